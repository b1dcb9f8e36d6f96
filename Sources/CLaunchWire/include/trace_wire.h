// What the helpers that trace launches, `timeline`, `tracer` and `profiler`, and launchlab say to
// each other.
//
// A helper is started with the path of the file that it writes, and gets requests on descriptor
// CONTROL_DESCRIPTOR; each has an answer. TRACE_BEGIN makes it trace whatever the spawner starts
// next, TRACE_END makes it stop and write its file anew. It exits when the socket is closed.
#ifndef TRACE_WIRE_H
#define TRACE_WIRE_H

#include <stdint.h>

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpadded"
#endif

enum trace_command { TRACE_BEGIN = 1, TRACE_END = 2 };

struct trace_request {
  uint32_t command;
  int32_t spawner;       // the process whose children are traced, with all that they start
  uint64_t period;       // of a profile: nanoseconds of processor time between two samples
  uint32_t stack_bytes;  // of a profile: how much of the stack a sample copies, a multiple of 8
  uint32_t reserved;
};

struct trace_answer {
  uint32_t length;  // bytes after this field
  int32_t error;    // 0, or the errno of the step
  uint32_t step;    // one of trace_step
  uint32_t cost;    // picoseconds that an event of a timeline takes on this host
  uint64_t events;  // in the file
  uint64_t lost;    // events that there was no room for
  uint64_t used;    // nanoseconds of processor time that the helper itself took meanwhile
  uint32_t level;   // of a profile: whether the kernel is sampled, too
  uint32_t reserved;
};

// What failed.
enum trace_step {
  TRACE_STEP_NONE,
  TRACE_STEP_LOAD,    // the programs of the kernel are refused, or the kernel has no type information
  TRACE_STEP_ATTACH,  // to the tracepoints
  TRACE_STEP_EVENT,   // perf_event_open(2)
  TRACE_STEP_RING,
  TRACE_STEP_FILE,
  TRACE_STEP_REQUEST,
};

// MARK: The file of a timeline.
//
// A struct timeline_header, then records, each a struct timeline_record and `length` bytes of text
// after it, padded with zeros to a multiple of 8; then, after the number of records that the header
// says, the names of system calls: each the number as a uint32_t, the length of its name as a
// uint32_t, and the name.

#define TIMELINE_MAGIC 0x31304c54424c414cULL  // "LALBTL01"

struct timeline_header {
  uint64_t magic;
  uint64_t records;
  uint64_t lost;
  uint64_t names;
};

enum timeline_kind {
  TIMELINE_ENTER = 1,   // call; values: the first five arguments; text: a path or a socket address
  TIMELINE_LEAVE,       // values[0]: the result; text: the path, where it could not be read before
  TIMELINE_SWITCH,      // thread stops: values[0] the next thread, values[1] flags TIMELINE_*
  TIMELINE_WAKE,        // thread is woken: values[0] the waker, [1] its process, [2] one of timeline_waker
  TIMELINE_FAULT,       // values[0]: the address
  TIMELINE_FORK,        // values[0]: the new thread, [1]: its process
  TIMELINE_EXECUTE,     // values[0]: the thread that it was before, [1]: TIMELINE_WITHOUT_RIGHTS; text: the path
  TIMELINE_END_THREAD,

  // By ptrace only, which sees calls and no wake-ups: who woke a thread is found by the keys of these.
  TIMELINE_WAIT,    // thread waits: values[0] until when at most, [1] until when if nobody is known to have
                    // woken it, [2] for which key, [3] or which other one, [4] TIMELINE_DISK or 0
  TIMELINE_SIGNAL,  // thread wakes who waits for the key values[0]

  TIMELINE_PAGE_IN,  // values[0] pages of a file come into the page cache for the thread, by eBPF only
};

// What is executed has lost the rights that its file gives (set-user-ID), since it is traced.
#define TIMELINE_WITHOUT_RIGHTS 1U

// The flags of a switch.
#define TIMELINE_PREEMPTED 1U  // the thread that stops could have gone on
#define TIMELINE_DISK 2U       // it waits for a block device
#define TIMELINE_FROM 4U       // the thread that stops is one of the launch
#define TIMELINE_TO 8U         // the thread that begins is one of the launch

// Who woke a thread: an interrupt wakes whatever thread it interrupts.
enum timeline_waker { TIMELINE_BY_THREAD, TIMELINE_BY_INTERRUPT, TIMELINE_BY_UNKNOWN };

// Set in the number of a system call that a 32-bit program made; it has no name here.
#define TIMELINE_32BIT (1U << 30)

// How the text of a record is meant.
enum timeline_text { TIMELINE_NO_TEXT, TIMELINE_PATH, TIMELINE_ADDRESS, TIMELINE_NAME };

struct timeline_record {
  uint16_t kind;
  uint16_t text;    // one of timeline_text
  uint32_t length;  // bytes of the text
  int32_t thread;
  uint32_t call;  // the number of the system call
  uint64_t time;
  uint64_t values[5];
};

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
