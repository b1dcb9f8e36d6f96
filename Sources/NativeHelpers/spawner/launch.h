// A launch, which the parts of the spawner hand on. Each part is one file, and includes only the
// parts that it stands on.
#pragma once

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "launch_wire.h"

struct launch {
  struct wire_request *request;
  const char *program, *directory, *standard_input, *text, *host;
  const char *stop_text, *stop_host;
  const char *chosen_name, *chosen_path;  // of the program whose peak memory is asked for; empty for none
  char **arguments, **environment;

  pid_t pid;
  int pidfd;
  int main_alive;
  int main_status;
  int input;       // opened standard input, or -1 for the spawner's own /dev/null
  int streams[2];  // what the spawner reads; -1 when closed
  int ends[2];     // what the target writes to
  int notify;      // the bound notification socket, or -1
  int counter_files[COUNTER_LIMIT];

  int64_t before_clone;
  int64_t started;  // just before execve
  struct rusage before_exec;  // what the main process had used by then
  struct rusage main_usage;   // without that
  struct rusage orphan_usage;  // the sum of the orphans that ended by themselves
  struct wire_result result;
};

static inline int64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// The C library's own formatting would take pages that then count as the target's peak memory.
static inline char *put_number(char *text, unsigned number) {
  char digits[10];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10));
  while (count > 0) *text++ = digits[--count];
  *text = 0;
  return text;
}
