// The language between launchlab and its spawner, on a stream socket at descriptor 3.
//
// One request gives one result; both are in the machine's own byte order, since both ends are of
// one build on one machine. A request whose length is 0 asks the spawner to exit. End of file asks
// it to kill what it launched, to remove its cgroup and to exit.
//
// request: struct request_header, then strings that each end with a NUL byte, in this order:
//   program, directory, standard input (empty: /dev/null), of the two conditions text (a compiled
//   pattern, a path, or the path of an HTTP request) and host (of an HTTP request), the name and the
//   path of the chosen program (both may be empty), the arguments, the environment.
// result: struct result_header, then the kept bytes: head and tail of stdout, head and tail of
//   stderr; then the records of page faults as perf_event_open(2) has them.
//
// Every field is naturally aligned, so that neither side needs padding.
#ifndef SPAWNER_PROTOCOL_H
#define SPAWNER_PROTOCOL_H

#include <stdint.h>

enum {
  REQUEST_LIMIT = 8 << 20,  // bytes; the kernel refuses larger arguments anyway
  STREAM_LIMIT = 64 << 10,  // bytes kept at each end of a stream
  COUNTER_LIMIT = 16,
  PLACE_LIMIT = 4,  // as many breakpoints as an x86 processor has
  HIT_LIMIT = 2,    // of one place
  CPU_WORDS = 16,   // of 64 processors each
  TRACEPOINT_LIMIT = 4,
  PADDING_LIMIT = 4095,
};

enum request_flag {
  REQUEST_TTY = 1,
  REQUEST_TRACE = 2,   // take the times at which places of the program are reached
  REQUEST_FAULTS = 4,  // record the major faults
  REQUEST_CPUS = 8,
  REQUEST_FIXED_ADDRESSES = 16,
  REQUEST_NICE = 32,
  REQUEST_POLICY = 64,
  REQUEST_NO_NETWORK = 128,  // a fresh network namespace
  REQUEST_PADDING = 256,
  REQUEST_REALTIME = 512,  // the spawner runs one level above the target, whose real-time work is limited
};

// What the address of a place is added to.
enum place_base {
  PLACE_NONE,
  PLACE_ENTRY,    // the entry point of the program; the address is not used
  PLACE_PROGRAM,  // the load bias of the program
  PLACE_LOADER,   // the load address of its dynamic loader
};

struct place {
  uint64_t address;
  uint32_t base;  // enum place_base
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

struct condition {
  uint32_t kind;    // enum ready_kind
  uint32_t stream;  // 0 is stdout, 1 is stderr
  uint32_t family;  // AF_INET or AF_INET6
  uint32_t port;
  uint8_t address[16];  // in network order
};

struct request_header {
  uint32_t length;  // bytes after this field
  uint32_t flags;
  uint32_t stop_signal;
  uint32_t counters;  // bit i asks for event i of spawner_counters.c
  int64_t timeout;    // nanoseconds, as every time here; that of both conditions
  int64_t grace;
  int64_t rest;  // how long a target goes on before it is asked to stop
  uint32_t argument_count;
  uint32_t environment_count;
  struct condition ready;
  struct condition stop;  // what a ready target does before it is asked to stop; READY_EXIT for nothing
  uint64_t entry;       // of the traced program, as in its file
  struct place places[PLACE_LIMIT];  // in the order in which they are reached
  uint64_t cpus[CPU_WORDS];          // bit i of word w is processor 64 w + i
  int32_t nice;
  uint32_t policy;   // of sched_setscheduler(2)
  uint32_t level;    // of the policies SCHED_FIFO and SCHED_RR, else 0
  uint32_t padding;  // characters of the variable LAUNCHLAB_PADDING
  // With REQUEST_FAULTS: the kernel's numbers of mm_filemap_add_to_page_cache, mm_filemap_fault,
  // mm_filemap_get_pages and sched_switch; 0 for none.
  uint32_t tracepoints[TRACEPOINT_LIMIT];
};

enum outcome {
  OUTCOME_READY,
  OUTCOME_EXITED,
  OUTCOME_SIGNALLED,
  OUTCOME_TIMED_OUT,
  OUTCOME_NOT_STARTED,
};

// What a launch that was not started failed at.
enum step {
  STEP_NONE,
  STEP_EXECUTE,
  STEP_DIRECTORY,
  STEP_INPUT,
  STEP_OUTPUT,
  STEP_CLONE,
  STEP_NOTIFY,
  STEP_PATTERN,
  STEP_REQUEST,
  STEP_PORT_IN_USE,    // detail is the inode of the listening socket
  STEP_SOCKET_IN_USE,  // a Unix socket already accepts
  STEP_FILE_EXISTS,
  STEP_AFFINITY,
  STEP_PERSONALITY,
  STEP_PRIORITY,
  STEP_NETWORK,
  STEP_REALTIME,
};

enum result_flag {
  RESULT_BLOCKED = 1,
  RESULT_LEFT = 2,
  RESULT_KILLED = 4,
  RESULT_TRUNCATED = 8,
  RESULT_WAITED_CHILDREN = 16,  // the figures contain children that were waited for
  RESULT_CROWDED = 32,  // more real-time threads wanted to run than there are processors for them
  RESULT_STOPPED_EARLY = 64,  // what the stop waits for did not come in time
};

enum figure {
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

enum trace_flag {
  TRACE_EXECUTED_AGAIN = 1,  // the process has executed another program; that one is not followed
  TRACE_LOST = 2,            // the kernel may have had no room for records
};

struct trace_result {
  int64_t stopped;  // the program was executed and had not run yet; 0 when that was not seen
  int64_t resumed;  // it could go on; both by the kernel where there are perf events
  int64_t hits[PLACE_LIMIT][HIT_LIMIT];  // 0: not reached
  int32_t errors[PLACE_LIMIT];           // 0, or the errno that kept the place away
  uint32_t method;  // enum trace_method
  uint32_t flags;
  int32_t error;        // 0, or the errno that kept the process from being traced
  int32_t event_error;  // 0, or the errno that kept perf events away
};

enum fault_flag {
  FAULTS_IN_USER_MODE = 1,  // faults inside of system calls are not recorded
  FAULTS_LOST = 2,          // the kernel may have had no room for records, or a CPU has no ring
};

struct result_header {
  uint32_t length;   // bytes after this field
  uint32_t outcome;  // enum outcome
  int32_t code;      // exit status, signal, or errno of the step
  uint32_t step;     // enum step
  uint32_t flags;
  uint32_t counters;  // the events that were asked for
  int64_t launch;
  int64_t spawn;
  int64_t resolution;
  uint64_t detail;
  int64_t started;     // the instant just before execve
  int32_t pid;         // the process that was launched
  int32_t ready_pid;   // the process that said it is ready, or 0
  int64_t figures[FIGURE_COUNT];
  int64_t counter_values[COUNTER_LIMIT];
  uint64_t totals[2];  // bytes written to stdout and stderr
  uint32_t heads[2];
  uint32_t tails[2];
  int32_t figure_errors[FIGURE_COUNT + 1];   // 0, or the errno that kept the figure away
  int32_t counter_errors[COUNTER_LIMIT];     // 0, or the errno that kept the event away
  struct trace_result trace;
  uint32_t fault_bytes;  // of all records
  int32_t fault_error;   // 0, or the errno that kept the records away
  uint32_t fault_flags;
  int32_t tracepoint_error;  // 0, or the errno that kept the tracepoints away
};

#endif
