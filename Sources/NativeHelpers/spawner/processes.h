// Processes as /proc shows them.
#pragma once

#include <sys/types.h>

struct process {
  pid_t pid;
  pid_t parent;
};
unsigned find_descendants(const struct process **found);
int read_file(const char *path, char *buffer, unsigned size);
const char *stat_fields(pid_t pid, char *buffer, unsigned size);
int loses_signal(pid_t pid, int number);
