// What Swift needs of this target, because the importer of C headers emits inline functions, and
// neither variables nor constructors. Every executable and shared library gets its own.
#include "launch_marks.h"

LAUNCH_MARKS_HIDDEN void launch_marks_run_phase(const char *phase) { launch_run_phase(phase); }

LAUNCH_MARKS_HIDDEN void launch_task_describe(uintptr_t asked, const char *phase, const char *name,
                                              void (*run)(void)) {
  struct launch_phase_run *running = (struct launch_phase_run *)asked;
  if (strcmp(phase, running->phase) == 0) launch_marks_run(running, name, run);
}

__attribute__((constructor)) static void launch_marks_began(void) { launch_marks_begin_module(0); }
