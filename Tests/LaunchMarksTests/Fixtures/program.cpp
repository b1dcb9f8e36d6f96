// A task before main finds the objects constructed that stand above it.
#include <cstdio>
#include <string>

#include "launch_marks.h"

static const std::string greeting = std::string("hel") + "lo";

LAUNCH_TASK("pre_main", greet) { std::puts(greeting.c_str()); }

namespace screen {
LAUNCH_TASK("first screen", theme) { std::puts("theme"); }
LAUNCH_TASK("first screen", window) { std::puts("window"); }
LAUNCH_TASK("first screen", menu) { std::puts("menu"); }
}  // namespace screen

int main() {
  launch_run_phase("first screen");
  launch_ready();
}
