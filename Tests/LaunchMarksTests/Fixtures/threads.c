// Four threads make 500 marks each, and run the same phase.
#include "launch_marks.h"

#include <pthread.h>
#include <stdio.h>

static int count;
LAUNCH_TASK("together", once) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

static void *make(void *context) {
  for (int index = 0; index < 500; index++) launch_mark("mark");
  launch_run_phase("together");
  return context;
}

int main(void) {
  pthread_t threads[4];
  for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, make, NULL);
  for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
  printf("%d\n", count);
  return 0;
}
