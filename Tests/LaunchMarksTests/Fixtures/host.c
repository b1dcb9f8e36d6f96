// Loads a library that shows no symbols but one, runs a phase, and unloads it.
#include "launch_marks.h"

#include <dlfcn.h>
#include <stdio.h>

LAUNCH_TASK("first screen", window) { puts("window"); }

int main(int count, char **arguments) {
  void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) return 1;
  launch_run_phase("first screen");
  dlclose(library);
  launch_run_phase("first screen");
  puts("end");
  return 0;
}
