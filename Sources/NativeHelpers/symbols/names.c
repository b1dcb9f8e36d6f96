// Names of functions for people.
#define _GNU_SOURCE
#include "symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The demangler of the C++ ABI, from libsupc++.
char *__cxa_demangle(const char *name, char *output, size_t *length, int *status);

// The hash that ends a Rust name of the old scheme, mangled as `17h`, 16 digits and `E`.
enum { RUST_HASH = 3 + 16 };

static int is_rust(const char *name) {
  size_t length = strlen(name);
  if (strncmp(name, "_ZN", 3) != 0 || length < 3 + RUST_HASH + 1) {
    return 0;
  }
  const char *hash = name + length - RUST_HASH - 1;
  return strncmp(hash, "17h", 3) == 0 && strspn(hash + 3, "0123456789abcdef") == 16
    && hash[RUST_HASH] == 'E';
}

static char *demangled(const char *name) {
  int status = 0;
  char *readable = __cxa_demangle(name, NULL, NULL, &status);
  if (readable != NULL && is_rust(name)) {
    char *hash = strrchr(readable, ':');
    if (hash != NULL && hash > readable) {
      hash[-1] = 0;
    }
  }
  return readable;
}

// The mangled name at the end of one that compilers make of it, such as
// `_GLOBAL__sub_I__ZN1AC2Ev` or `_GLOBAL__sub_I.00101__ZN1AC2Ev`; NULL when there is none.
static const char *inner_name(const char *name) {
  static const char *const prefixes[] = {"_GLOBAL__sub_I", "_GLOBAL__sub_D"};
  for (size_t index = 0; index < sizeof prefixes / sizeof *prefixes; index++) {
    size_t length = strlen(prefixes[index]);
    if (strncmp(name, prefixes[index], length) != 0) {
      continue;
    }
    const char *rest = name + length;
    if (*rest == '.') {
      do {
        rest++;
      } while (isdigit((unsigned char)*rest));
    }
    return strncmp(rest, "__Z", 3) == 0 ? rest + 1 : NULL;
  }
  return NULL;
}

char *symbol_readable_name(const char *name) {
  char *readable = strncmp(name, "_Z", 2) == 0 ? demangled(name) : NULL;
  if (readable != NULL) {
    return readable;
  }
  const char *inner = inner_name(name);
  char *inner_readable = inner != NULL ? demangled(inner) : NULL;
  if (inner_readable == NULL) {
    // A version such as `@@GLIBC_2.34` is no part of the function's name.
    const char *version = strchr(name + (*name != 0), '@');
    return version != NULL ? strndup(name, (size_t)(version - name)) : strdup(name);
  }
  int is_made = asprintf(&readable, "%.*s%s", (int)(inner - name), name, inner_readable) >= 0;
  free(inner_readable);
  return is_made ? readable : NULL;
}
