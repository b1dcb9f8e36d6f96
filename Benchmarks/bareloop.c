// The least that a launch can cost: vfork, execve and wait in a loop, without anything else.
//
// usage: bareloop COUNT PROGRAM [ARGUMENT...]
// Prints the median and the tenth percentile in nanoseconds from just before execve until the wait
// returns, and the time of one whole round. It is the yardstick of scripts/bench.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t executed;

static int64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int64_t launch(char **command) {
  pid_t pid = vfork();
  if (pid == 0) {
    executed = monotonic();
    // The same environment as the launches it is compared with: execve copies all of it.
    execve(command[0], command, environ);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) exit(1);
  return monotonic() - executed;
}

static int compare(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left;
  int64_t b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  int launches = count > 2 ? atoi(arguments[1]) : 0;
  if (launches < 1) return 2;
  int64_t *times = calloc((size_t)launches, sizeof *times);
  if (!times) return 1;
  int64_t began = monotonic();
  for (int index = 0; index < launches; index++) times[index] = launch(arguments + 2);
  int64_t all = monotonic() - began;
  qsort(times, (size_t)launches, sizeof *times, compare);
  printf("{\"median_ns\": %lld, \"p10_ns\": %lld, \"round_ns\": %lld}\n",
         (long long)times[launches / 2], (long long)times[launches / 10],
         (long long)(all / launches));
  free(times);
  return 0;
}
