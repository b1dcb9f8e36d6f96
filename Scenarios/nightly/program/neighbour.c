// A job that needs a tenth of a processor: 1 ms of every 10 ms.
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void) {
  for (;;) {
    for (double begin = seconds(); seconds() < begin + 0.001;) {}
    nanosleep(&(struct timespec){.tv_nsec = 9000000}, 0);
  }
}
