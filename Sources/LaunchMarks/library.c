// liblaunchmarks.so: the functions of launch_marks.h for languages that call C functions by name.
//
// The header's functions are inline; here they get names in the dynamic symbol table. Start-up tasks
// are registered when C, C++ or Swift is compiled, and are not part of the library.
#define launch_mark launch_marks_inline_mark
#define launch_ready launch_marks_inline_ready
#define launch_interval_begin launch_marks_inline_interval_begin
#define launch_interval_end launch_marks_inline_interval_end
#include "launch_marks.h"
#undef launch_mark
#undef launch_ready
#undef launch_interval_begin
#undef launch_interval_end

#define LAUNCH_MARKS_EXPORTED __attribute__((visibility("default")))

LAUNCH_MARKS_EXPORTED void launch_mark(const char *name) { launch_marks_inline_mark(name); }

LAUNCH_MARKS_EXPORTED void launch_ready(void) { launch_marks_inline_ready(); }

LAUNCH_MARKS_EXPORTED launch_interval launch_interval_begin(const char *name) {
  return launch_marks_inline_interval_begin(name);
}

LAUNCH_MARKS_EXPORTED void launch_interval_end(launch_interval interval) {
  launch_marks_inline_interval_end(interval);
}
