// What a Swift module needs of this target, because the importer of C headers emits inline functions,
// and neither variables nor constructors.
#include "launch_marks.h"

LAUNCH_MARKS_HIDDEN void launch_marks_run_phase(const char *phase) { launch_run_phase(phase); }

__attribute__((constructor)) static void launch_marks_began(void) { launch_marks_begin_module(0); }
