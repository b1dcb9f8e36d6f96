// A child marks too, and ends an interval that is its parent's.
#include "launch_marks.h"

#include <stdio.h>
#include <sys/wait.h>

int main(void) {
  launch_mark("before");
  launch_interval parents = launch_interval_begin("parent's");
  pid_t child = fork();
  if (child == 0) {
    launch_interval_end(parents);
    launch_mark("child");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  launch_mark("after");
  printf("%d %d\n", (int)getpid(), (int)child);
  return 0;
}
