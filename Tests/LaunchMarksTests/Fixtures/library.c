// A shared library with tasks of its own; the executable's phases run them.
#include "launch_marks.h"

#include <stdio.h>

LAUNCH_TASK("pre_main", locale) { puts("locale"); }
LAUNCH_TASK("first screen", fonts) { puts("fonts"); }
LAUNCH_TASK("first screen", colours) { puts("colours"); }

__attribute__((visibility("default"))) void use_library(void) { launch_mark("library"); }
