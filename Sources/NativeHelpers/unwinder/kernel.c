#include "kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
  uint64_t address;
  size_t name;      // where it begins in the names
  uint32_t number;  // of its text, plus 1; 0 as long as nobody asked
  int executes;
};

struct kernel {
  struct answer *answer;
  int is_read;
  struct bytes symbols;
  struct bytes names;
  uint32_t unknown;
};

static int compare(const void *left, const void *right) {
  const struct symbol *a = left, *b = right;
  if (a->address != b->address) {
    return a->address < b->address ? -1 : 1;
  }
  return a->name < b->name ? -1 : a->name > b->name;
}

// Lines are `ADDRESS TYPE NAME [MODULE]`; addresses are 0 for users who may not know them.
static void add_line(struct kernel *kernel, char *line) {
  char *rest = NULL;
  uint64_t address = strtoull(line, &rest, 16);
  if (address == 0 || rest[0] != ' ' || strchr("tTwW", rest[1]) == NULL || rest[2] != ' ') {
    return;
  }
  char *name = rest + 3, *end = name;
  while (*end != 0 && !isspace((unsigned char)*end)) {
    end++;
  }
  *end = 0;
  const struct symbol symbol = {.address = address, .name = kernel->names.used};
  add_bytes(&kernel->symbols, &symbol, sizeof symbol);
  add_bytes(&kernel->names, name, (size_t)(end - name) + 1);
}

static size_t symbol_count(const struct kernel *kernel) {
  return kernel->symbols.used / sizeof(struct symbol);
}

static void read_symbols(struct kernel *kernel) {
  kernel->is_read = 1;
  FILE *file = fopen("/proc/kallsyms", "re");
  if (file == NULL) {
    return;
  }
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, file) > 0) {
    add_line(kernel, line);
  }
  free(line);
  fclose(file);
  if (kernel->symbols.used > 0) {
    qsort(kernel->symbols.start, symbol_count(kernel), sizeof(struct symbol), compare);
  }
}

struct kernel *kernel_open(struct answer *answer) {
  struct kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) {
    return NULL;
  }
  kernel->answer = answer;
  kernel->unknown = text_number(answer, "[kernel]");
  return kernel;
}

// Compilers may add something to the names, such as `.part.0`.
static int executes_program(const char *name) {
  static const char *const functions[] = {
    "do_execveat_common", "bprm_execve", "begin_new_exec", "load_elf_binary",
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    if (strncmp(name, functions[index], strlen(functions[index])) == 0) {
      return 1;
    }
  }
  return 0;
}

uint32_t kernel_function(struct kernel *kernel, uint64_t address, int *is_executing) {
  if (!kernel->is_read) {
    read_symbols(kernel);
  }
  struct symbol *symbols = (struct symbol *)kernel->symbols.start;
  size_t low = 0, high = symbol_count(kernel);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (symbols[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) {
    return kernel->unknown;
  }
  struct symbol *found = &symbols[low - 1];
  // The first of several names for one address.
  while (found > symbols && found[-1].address == found->address) {
    found--;
  }
  if (found->number == 0) {
    const char *name = kernel->names.start + found->name;
    found->number = text_number(kernel->answer, name) + 1;
    found->executes = executes_program(name);
  }
  *is_executing |= found->executes;
  return found->number - 1;
}
