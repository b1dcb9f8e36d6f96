#include "calls.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "shared.h"

// By their numbers; embed.sh makes the list of the machine's headers.
static const char *const names[] = {
#include "system_calls.h"
};

struct text_rule {
  const char *call;
  unsigned char text;
};

static const struct text_rule text_rules[] = {
    {"open", TEXT_PATH},           {"openat", TEXT_PATH | 1},      {"openat2", TEXT_PATH | 1},
    {"creat", TEXT_PATH},          {"execve", TEXT_PATH},          {"execveat", TEXT_PATH | 1},
    {"stat", TEXT_PATH},           {"lstat", TEXT_PATH},           {"newfstatat", TEXT_PATH | 1},
    {"statx", TEXT_PATH | 1},      {"access", TEXT_PATH},          {"faccessat", TEXT_PATH | 1},
    {"faccessat2", TEXT_PATH | 1}, {"readlink", TEXT_PATH},        {"readlinkat", TEXT_PATH | 1},
    {"chdir", TEXT_PATH},          {"unlink", TEXT_PATH},          {"unlinkat", TEXT_PATH | 1},
    {"mkdir", TEXT_PATH},          {"mkdirat", TEXT_PATH | 1},     {"rmdir", TEXT_PATH},
    {"rename", TEXT_PATH | 1},     {"renameat", TEXT_PATH | 3},    {"renameat2", TEXT_PATH | 3},
    {"link", TEXT_PATH | 1},       {"linkat", TEXT_PATH | 3},      {"symlink", TEXT_PATH | 1},
    {"symlinkat", TEXT_PATH | 2},  {"truncate", TEXT_PATH},        {"statfs", TEXT_PATH},
    {"chmod", TEXT_PATH},          {"fchmodat", TEXT_PATH | 1},    {"chown", TEXT_PATH},
    {"lchown", TEXT_PATH},         {"fchownat", TEXT_PATH | 1},    {"utimensat", TEXT_PATH | 1},
    {"getxattr", TEXT_PATH},       {"lgetxattr", TEXT_PATH},       {"listxattr", TEXT_PATH},
    {"mknodat", TEXT_PATH | 1},    {"memfd_create", TEXT_PATH},    {"inotify_add_watch", TEXT_PATH | 1},
    {"connect", TEXT_ADDRESS | 1}, {"bind", TEXT_ADDRESS | 1},
};

const char *call_name(uint32_t call) { return call < call_count() ? names[call] : NULL; }

uint32_t call_count(void) { return sizeof names / sizeof *names; }

unsigned char call_text(uint32_t call) {
  const char *name = call_name(call);
  if (name == NULL) return TEXT_NONE;
  for (size_t rule = 0; rule < sizeof text_rules / sizeof *text_rules; rule++)
    if (strcmp(name, text_rules[rule].call) == 0) return text_rules[rule].text;
  return TEXT_NONE;
}
