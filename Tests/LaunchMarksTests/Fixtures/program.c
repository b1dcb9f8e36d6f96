// Tasks of several phases, one of which runs another phase, between marks and an interval.
#include "launch_marks.h"

#include <stdio.h>

LAUNCH_TASK("pre_main", settings) { puts("settings"); }
LAUNCH_TASK("deferred", statistics) { puts("statistics"); }
LAUNCH_TASK("first screen", theme) { puts("theme"); }
LAUNCH_TASK("first screen", window) {
  puts("window");
  launch_run_phase("nested");
}
LAUNCH_TASK("nested", icons) { puts("icons"); }
LAUNCH_TASK("first screen", menu) { puts("menu"); }
LAUNCH_TASK("first screen", caption) { puts("caption"); }

void use_library(void);

int main(void) {
  puts("main");
  launch_interval work = launch_interval_begin("work");
  launch_run_phase("first screen");
  launch_interval_end(work);
  launch_mark("first frame");
  launch_run_phase("first screen");
  launch_run_phase("deferred");
  launch_run_phase("empty");
#ifdef WITH_LIBRARY
  use_library();
#endif
  launch_ready();
  return 0;
}
