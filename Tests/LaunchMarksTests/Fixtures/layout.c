// Both descriptions of the file of events, which must be the same.
#include "launch_marks.h"

#include <stddef.h>

#include "launch_events.h"

#define SAME(ours, theirs, field)                                                             \
  _Static_assert(offsetof(struct ours, field) == offsetof(struct theirs, field), #field);     \
  _Static_assert(sizeof(((struct ours *)0)->field) == sizeof(((struct theirs *)0)->field), #field)

_Static_assert(LAUNCH_MARKS_MAGIC == LAUNCH_EVENTS_MAGIC, "the magic number");
_Static_assert((int)LAUNCH_MARKS_MARK == (int)EVENT_MARK, "the kind of a mark");
_Static_assert((int)LAUNCH_MARKS_INTERVAL == (int)EVENT_INTERVAL, "the kind of an interval");
_Static_assert((int)LAUNCH_MARKS_TASK == (int)EVENT_TASK, "the kind of a task");
_Static_assert((int)LAUNCH_MARKS_PHASE == (int)EVENT_PHASE, "the kind of a phase");
_Static_assert(sizeof(struct launch_marks_header) == sizeof(struct launch_events_header), "header");
_Static_assert(sizeof(struct launch_marks_event) == sizeof(struct launch_event), "event");
SAME(launch_marks_header, launch_events_header, magic);
SAME(launch_marks_header, launch_events_header, capacity);
SAME(launch_marks_header, launch_events_header, text_capacity);
SAME(launch_marks_header, launch_events_header, next);
SAME(launch_marks_header, launch_events_header, text_next);
SAME(launch_marks_header, launch_events_header, options);
SAME(launch_marks_header, launch_events_header, ready_mark);
SAME(launch_marks_header, launch_events_header, ready_socket);
SAME(launch_marks_event, launch_event, time);
SAME(launch_marks_event, launch_event, end);
SAME(launch_marks_event, launch_event, address);
SAME(launch_marks_event, launch_event, pid);
SAME(launch_marks_event, launch_event, object);
SAME(launch_marks_event, launch_event, text);
SAME(launch_marks_event, launch_event, text_length);
SAME(launch_marks_event, launch_event, kind);

int main(void) { return 0; }
