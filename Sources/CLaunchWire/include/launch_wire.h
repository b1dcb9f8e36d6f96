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
//   program, directory, standard input (empty: /dev/null, or the terminal), of the two conditions text (a compiled
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
  STATUS_WORDS = 4,  // of 64 exit statuses each
  QUERY_LIMIT = 32,  // bytes of a query of a terminal, with the NUL byte
  TRACEPOINT_LIMIT = 4,
  PADDING_LIMIT = 4095,
};

// The socket of notifications, in the runtime directory.
#define NOTIFICATION_SOCKET "notify"

// The cgroup of the spawner and what it launches, in that of the run.
#define TARGETS_CGROUP "targets"

// The flags of a request.
#define REQUEST_TTY 1U  // a terminal, which is stdin too where there is no file for it
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
  // Like READY_NOTIFY, but the program finds the socket in the file of events, or it is the display
  // observer that says it.
  READY_MARK,
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
  uint64_t statuses[STATUS_WORDS];  // that READY_EXIT takes: bit i of word w is status 64 w + i
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
  uint8_t unanswered[QUERY_LIMIT];  // the first query of the terminal without an answer, printable
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

// MARK: The display observer.
//
// usage: display x11 DISPLAY NOTIFICATIONS AUTHORITY [SERVER ARGUMENT...], or
//        display wayland SOCKET UPSTREAM NOTIFICATIONS AUTHORITY [SERVER ARGUMENT...].
// NOTIFICATIONS is the spawner's socket, which is told when the moment has come that a launch waits
// for, as launch marks tell it. AUTHORITY is the file with the cookies of X displays, or empty. For
// Wayland the observer listens at SOCKET, and passes all on to UPSTREAM. A SERVER is started, and ends
// with the observer; an X server writes its display's number to descriptor 4, and DISPLAY is empty.
//
// Requests come on the stream socket, descriptor 3: struct display_request, then texts that each end
// with a NUL byte: the patterns of the title and of the class, which may be empty; of DISPLAY_BEGIN
// also the socket of the launch's own message bus, or nothing, the command that starts the bus, an
// empty text, and the environment of the bus. A request whose length is 0, and the end of file, ask
// it to exit. Each has one answer: struct display_answer, then why no windows can be seen, or
// nothing, and a NUL byte; then of DISPLAY_END its windows, each a struct display_window, the title
// and the class, with a NUL byte each, and of DISPLAY_NAME what the display is called, and a NUL byte.
// DISPLAY_FILM, after DISPLAY_END, is answered with the film of the window whose moment was told, in
// the order of time: a struct film_frame each, and then so many bytes of PNG.

enum display_command { DISPLAY_BEGIN, DISPLAY_END, DISPLAY_NAME, DISPLAY_FILM };

// What a launch waits for of the window.
enum display_moment {
  MOMENT_WINDOW,   // it is mapped
  MOMENT_FRAME,    // it has content: more than one color
  MOMENT_SETTLED,  // it has content that did not change for a while; the instant is that of the last change
  MOMENT_NONE,     // nothing
};

struct display_request {
  uint32_t length;  // bytes after this field
  enum display_command command;
  int32_t spawner;  // whose descendants are the launch
  enum display_moment moment;
  uint32_t nth;  // which window of those that match, in the order in which they were mapped; from 1
  uint32_t is_filmed;
  int64_t quiet;  // how long a settled window does not change
};

struct display_answer {
  uint32_t length;
  uint32_t count;
};

enum window_flags {
  WINDOW_IS_OTHER = 1,     // of no process of the launch
  WINDOW_OVERRIDES = 2,    // no window manager has a say in it, as for menus and tooltips
  WINDOW_IS_TRANSIENT = 4, // of a type such as splash, tooltip, dock or notification
  WINDOW_IS_CHOSEN = 8,    // the one whose moment was told
};

// The instants are of CLOCK_MONOTONIC; 0 for what has not happened.
struct display_window {
  uint64_t id;
  int32_t pid;  // of the process that made it, or 0
  uint32_t flags;
  uint32_t width;
  uint32_t height;
  uint32_t colors;   // counted up to 2
  uint32_t is_shown;
  int64_t connected;  // its process, to the display
  int64_t created;
  int64_t mapped;
  int64_t drawn;    // its first change of a pixel
  int64_t content;
  int64_t shown;    // the content, by the word of the display server
  int64_t changed;  // its last change of more than 1 % of its pixels
  int64_t hidden;  // it was unmapped
  int64_t gone;
};

enum { COLOR_LEVELS = 256 };

// How a window looked from an instant on, made smaller.
struct film_frame {
  int64_t at;
  uint32_t png_length;
  // How many pixels have each level of red, of green and of blue.
  uint32_t histogram[3][COLOR_LEVELS];
  uint32_t reserved;
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
