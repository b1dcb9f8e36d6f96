// The file of events that the probe, and programs with launch marks, write during a launch.
//
// It is mapped shared by every process of the launch, and has three parts: the header, `capacity`
// events, and `text_capacity` bytes of text. A writer claims an event by adding 1 to `next`, and
// bytes of text by adding their number to `text_next`; what is claimed beyond the capacity is lost,
// and can be counted. The kind of an event is stored last, with release order. Times are of CLOCK_MONOTONIC, in nanoseconds.
//
// `launch_marks.h` repeats this layout, because it must be a single file; a test compares the two.
#ifndef LAUNCH_EVENTS_H
#define LAUNCH_EVENTS_H

#include <stdint.h>

#define LAUNCH_EVENTS_MAGIC 0x31544e4556454c4cULL  // "LLEVENT1" in memory

// What the file is called; it lies beside the probe.
#define LAUNCH_EVENTS_NAME "events"

#define LAUNCH_EVENTS_HIDDEN 1U  // take the probe's variables out of the target's environment

// The first of GLIBC_TUNABLES where a target has the probe: room for thread-local variables that
// must have a fixed place, such as those of jemalloc.
//
// Where there is an auditor, the loader sets up threads before it has loaded the program's
// libraries, so that all of these have to find room in what it keeps free: 512 bytes unless it is
// told otherwise. The room is taken from the stack of each thread, and threads may have as little
// as 16 KiB; Node has one of less than twice that. Sources: glibc 2.36, elf/rtld.c, elf/dl-tls.c
// and nptl/allocatestack.c; its manual, "Dynamic Linking Tunables".
#define LAUNCH_EVENTS_TUNABLE "glibc.rtld.optional_static_tls=8192"

// The kinds of events, as LaunchEvent.Kind explains them.
enum {
  EVENT_NONE,  // claimed, and not written
  EVENT_PROGRAM_BEGAN,
  EVENT_OBJECT_OPENED,
  EVENT_ADDING,
  EVENT_CONSISTENT,
  EVENT_INITIALIZER,
  EVENT_MAIN_BEGINS,
  EVENT_INITIALIZERS_FOUND,
  EVENT_INITIALIZERS_UNTIMED,
  EVENT_LOADER_TOO_OLD,
  // Those of launch marks.
  EVENT_MARK = 32,
  EVENT_INTERVAL,
  EVENT_TASK,
  EVENT_PHASE,
};

struct launch_events_header {
  uint64_t magic;
  uint32_t capacity;
  uint32_t text_capacity;
  uint32_t next;
  uint32_t text_next;
  uint32_t options;
  uint32_t reserved;
  char ready_mark[64];     // the name of the mark that means ready, or empty
  char ready_socket[108];  // the path of the datagram socket that is told of it, or empty
  uint8_t padding[52];
};

struct launch_event {
  uint64_t time;
  uint64_t end;      // 0: an instant, or not ended
  uint64_t address;  // see LaunchEvent.Kind, as for the fields below
  uint32_t pid;
  uint32_t object;
  uint32_t text;  // where the text begins in the text part
  uint16_t text_length;
  uint16_t kind;
};

_Static_assert(sizeof(struct launch_events_header) == 256, "the header's size is fixed");
_Static_assert(sizeof(struct launch_event) == 40, "an event's size is fixed");

#endif
