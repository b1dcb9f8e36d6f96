#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

int lab_has_steady_cycles(void) {
  unsigned int a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}

static int64_t raw_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static uint64_t cycle_count(void) {
  _mm_lfence();
  uint64_t count = __rdtsc();
  _mm_lfence();
  return count;
}

struct moment {
  int64_t time;
  uint64_t cycles;
};

// Reads both counters as nearly at once as can be: of several readings the one with the least time
// around it, since the process may lose its processor in any of them.
static struct moment look(void) {
  struct moment best = {0, 0};
  int64_t least = INT64_MAX;
  for (int attempt = 0; attempt < 32; attempt++) {
    int64_t before = raw_time();
    uint64_t cycles = cycle_count();
    int64_t after = raw_time();
    if (after - before < least) {
      least = after - before;
      best = (struct moment){before + least / 2, cycles};
    }
  }
  return best;
}

double lab_cycles_per_second(long nanoseconds) {
  const struct timespec pause = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  struct moment begin = look();
  nanosleep(&pause, NULL);
  struct moment end = look();
  if (end.time <= begin.time || end.cycles <= begin.cycles) {
    return 0;
  }
  return (double)(end.cycles - begin.cycles) * 1e9 / (double)(end.time - begin.time);
}

#else

int lab_has_steady_cycles(void) { return -ENOSYS; }

double lab_cycles_per_second(long nanoseconds) {
  (void)nanoseconds;
  return 0;
}

#endif
