// What launchlab and its native helpers say to each other: the helpers include this header, and
// Swift imports it. Both ends are of one build on one machine, so that all is in the machine's own
// byte order. `launch_events.h` has the file of events.
#ifndef LAUNCH_WIRE_H
#define LAUNCH_WIRE_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "perf_records.h"

// Structures are sent and compared as bytes, so that none may have padding.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

// MARK: The spawner.
//
// Its language is spoken on a stream socket. One request gives one result. A request whose length
// is 0 asks the spawner to exit. End of file asks it to kill what it launched, to remove its cgroup
// and to exit.
//
// request: struct wire_request, then strings that each end with a NUL byte, in this order:
//   program, directory, standard input (empty: /dev/null), of the two conditions text (a compiled
//   pattern, a path, or the path of an HTTP request) and host (of an HTTP request), the name and the
//   path of the chosen program (both may be empty), the arguments, the environment.
// result: struct wire_result, then the kept bytes: head and tail of stdout, head and tail of
//   stderr; then the records of page faults.

enum {
  CONTROL_DESCRIPTOR = 3,   // of the spawner's end of the socket
  REQUEST_LIMIT = 8 << 20,  // bytes; the kernel refuses larger arguments anyway
  STREAM_LIMIT = 64 << 10,  // bytes kept at each end of a stream
  COUNTER_LIMIT = 16,
  PLACE_LIMIT = 4,  // as many breakpoints as an x86 processor has
  HIT_LIMIT = 2,    // of one place
  CPU_WORDS = 16,   // of 64 processors each
  TRACEPOINT_LIMIT = 4,
  PADDING_LIMIT = 4095,
};

// The socket of notifications, in the runtime directory.
#define NOTIFICATION_SOCKET "notify"

// The cgroup of the spawner and what it launches, in that of the run.
#define TARGETS_CGROUP "targets"

// The flags of a request.
#define REQUEST_TTY 1U
#define REQUEST_TRACE 2U   // take the times at which places of the program are reached
#define REQUEST_FAULTS 4U  // record the major faults
#define REQUEST_CPUS 8U
#define REQUEST_FIXED_ADDRESSES 16U
#define REQUEST_NICE 32U
#define REQUEST_POLICY 64U
#define REQUEST_NO_NETWORK 128U  // a fresh network namespace
#define REQUEST_PADDING 256U
#define REQUEST_REALTIME 512U  // the spawner runs one level above the target, which is limited

// What the address of a place is added to.
enum place_base {
  PLACE_NONE,
  PLACE_ENTRY,    // the entry point of the program; the address is not used
  PLACE_PROGRAM,  // the load bias of the program
  PLACE_LOADER,   // the load address of its dynamic loader
};

struct wire_place {
  uint64_t address;
  enum place_base base;
  uint32_t reserved;
};

enum ready_kind {
  READY_EXIT,
  READY_OUTPUT,
  READY_NOTIFY,
  READY_TCP,
  READY_UNIX,
  READY_HTTP,
  READY_FILE,
  READY_MARK,  // like READY_NOTIFY, but the program finds the socket in the file of events
};

struct wire_condition {
  enum ready_kind kind;
  uint32_t stream;  // 0 is stdout, 1 is stderr
  uint32_t family;  // AF_INET or AF_INET6
  uint32_t port;
  uint8_t address[16];  // in network order
};

// The numbers are those of sched_setscheduler(2).
enum scheduling_policy { POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_BATCH };

// An event as struct perf_event_attr has it.
struct wire_counter {
  uint32_t type;
  uint32_t config;
};

struct wire_request {
  uint32_t length;  // bytes after this field
  uint32_t flags;
  uint32_t stop_signal;
  uint32_t counter_count;
  int64_t timeout;  // nanoseconds, as every time here; that of both conditions
  int64_t grace;
  int64_t rest;  // how long a target goes on before it is asked to stop
  uint32_t argument_count;
  uint32_t environment_count;
  struct wire_condition ready;
  struct wire_condition stop;  // what a ready target does before it is asked to stop; READY_EXIT for nothing
  uint64_t entry;              // of the traced program, as in its file
  struct wire_place places[PLACE_LIMIT];  // in the order in which they are reached
  uint64_t cpus[CPU_WORDS];               // bit i of word w is processor 64 w + i
  int32_t nice;
  enum scheduling_policy policy;
  uint32_t level;    // of the policies fifo and rr, else 0
  uint32_t padding;  // characters of the variable LAUNCHLAB_PADDING
  struct wire_counter counters[COUNTER_LIMIT];
  // With REQUEST_FAULTS: the kernel's numbers of mm_filemap_add_to_page_cache, mm_filemap_fault,
  // mm_filemap_get_pages and sched_switch; 0 for none.
  uint32_t tracepoints[TRACEPOINT_LIMIT];
};

enum wire_outcome {
  OUTCOME_READY,
  OUTCOME_EXITED,
  OUTCOME_SIGNALLED,
  OUTCOME_TIMED_OUT,
  OUTCOME_NOT_STARTED,
};

// What a launch that was not started failed at.
enum wire_step {
  STEP_NONE,
  STEP_EXECUTE,
  STEP_DIRECTORY,
  STEP_INPUT,
  STEP_OUTPUT,
  STEP_CLONE,
  STEP_NOTIFY,
  STEP_PATTERN,
  STEP_PORT_IN_USE,    // detail is the inode of the listening socket
  STEP_SOCKET_IN_USE,  // a Unix socket already accepts
  STEP_FILE_EXISTS,
  STEP_AFFINITY,
  STEP_PERSONALITY,
  STEP_PRIORITY,
  STEP_NETWORK,
  STEP_REALTIME,
};

// The flags of a result.
#define RESULT_BLOCKED 1U
#define RESULT_LEFT 2U
#define RESULT_KILLED 4U
#define RESULT_TRUNCATED 8U
#define RESULT_WAITED_CHILDREN 16U  // the figures contain children that were waited for
#define RESULT_CROWDED 32U  // more real-time threads wanted to run than there are processors for them
#define RESULT_STOPPED_EARLY 64U  // what the stop waits for did not come in time

// Where each figure is in a result.
enum {
  FIGURE_PEAK_RSS,
  FIGURE_PEAK_RSS_TREE,
  FIGURE_MINOR_FAULTS,
  FIGURE_MAJOR_FAULTS,
  FIGURE_VOLUNTARY,
  FIGURE_INVOLUNTARY,
  FIGURE_USER_TIME,
  FIGURE_SYSTEM_TIME,
  FIGURE_BYTES_READ,
  FIGURE_COUNT,
};

// How the times of a traced launch were taken.
enum trace_method {
  TRACE_NOTHING,    // the program was not stopped when it was executed
  TRACE_EVENTS,     // breakpoints of perf events, timed by the kernel
  TRACE_REGISTERS,  // breakpoints of ptrace(2), timed when the spawner wakes up
};

#define TRACE_EXECUTED_AGAIN 1U  // the process has executed another program, which is not followed
#define TRACE_LOST 2U            // the kernel may have had no room for records

struct wire_trace {
  int64_t stopped;  // the program was executed and had not run yet; 0 when that was not seen
  int64_t resumed;  // it could go on; both by the kernel where there are perf events
  int64_t hits[PLACE_LIMIT][HIT_LIMIT];  // 0: not reached
  int32_t errors[PLACE_LIMIT];           // 0, or the errno that kept the place away
  enum trace_method method;
  uint32_t flags;
  int32_t error;        // 0, or the errno that kept the process from being traced
  int32_t event_error;  // 0, or the errno that kept perf events away
};

#define FAULTS_IN_USER_MODE 1U  // faults inside of system calls are not recorded
#define FAULTS_LOST 2U  // the kernel may have had no room for records, or a CPU has no ring

struct wire_faults {
  uint32_t bytes;  // of all records
  int32_t error;   // 0, or the errno that kept the records away
  uint32_t flags;
  int32_t tracepoint_error;  // 0, or the errno that kept the tracepoints away
};

struct wire_result {
  uint32_t length;  // bytes after this field
  enum wire_outcome outcome;
  int32_t code;  // exit status, signal, or errno of the step
  enum wire_step step;
  uint32_t flags;
  int32_t pid;        // the process that was launched
  int32_t ready_pid;  // the process that said it is ready, or 0
  // 0, or the errno that kept the figure away; an odd number of them, so that no padding follows.
  int32_t figure_errors[FIGURE_COUNT | 1];
  int64_t launch;
  int64_t spawn;
  int64_t resolution;
  uint64_t detail;
  int64_t started;  // the instant just before execve
  int64_t figures[FIGURE_COUNT];
  int64_t counters[COUNTER_LIMIT];
  uint64_t totals[2];  // bytes written to stdout and stderr
  uint32_t heads[2];
  uint32_t tails[2];
  int32_t counter_errors[COUNTER_LIMIT];  // 0, or the errno that kept the event away
  struct wire_trace trace;
  struct wire_faults faults;
};

// The records of page faults are those of perf_event_open(2), with the sample type
// `TID | TIME | ADDR | RAW` and `sample_id_all`; perf_records.h has those that profiles have, too.

struct fault_sample {
  struct perf_event_header header;
  int32_t pid;
  int32_t thread;
  uint64_t time;
  uint64_t address;
  // The size of the content of a tracepoint, and the content, its number first.
};

// The end of every record but a sample.
struct fault_trailer {
  int32_t pid;
  int32_t thread;
  uint64_t time;
};

// MARK: The watcher.
//
// It writes texts that each end with a NUL byte:
//   KIND PID DEVICE INODE PATH    a regular file, with the numbers of stat(2)
//   WATCHED_TRACER PID            the process calls ptrace(2), in vain while it is traced itself
//   WATCHER_FAILED ERRNO STEP     the watcher failed, and the program was not executed

enum watched_kind {
  WATCHED_READ = 'r',      // something of it can have been read
  WATCHED_WRITTEN = 'w',   // it was empty, or opened for writing only
  WATCHED_EXECUTED = 'x',  // the program of a process
  WATCHED_NAMED = 's',     // what execve(2) was given: the same, or the script that it interprets
  WATCHED_MAPPED = 'm',    // mapped by the kernel when it executed a program: the loader
  WATCHED_TRACER = 'p',
  WATCHER_FAILED = 'e',
};

// MARK: The symbol reader.
//
// Request, on standard input: records that end with a NUL byte. SYMBOLS_FILE and a path begin a
// file, SYMBOLS_OFFSET and hexadecimal digits ask for the function at an offset of the file before.
// An offset is the run-time address less the load address that the loader gives, which is the
// virtual address in the file.
//
// Answer, on standard output: a record for each record of the request, in the same order, that
// also ends with a NUL byte: for a file why it cannot be read, or nothing; for an offset the name
// of the function, or nothing.

enum { SYMBOLS_FILE = 'f', SYMBOLS_OFFSET = 'o' };

#pragma GCC diagnostic pop

#endif
