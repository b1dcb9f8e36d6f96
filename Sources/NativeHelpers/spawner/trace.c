// When a program reaches its first places: its loader, its entry point, `main`.
//
// The target asks to be traced, and so stops once the kernel has executed it and before anything
// of it runs. Breakpoints are set then, and it is let go: perf events take the times by themselves.
// Where they are refused, the spawner stays the tracer up to the last place and takes the times.
// The memory of the target is never written: a patched instruction would be shared with threads
// and children that nobody traces, and would kill them.
#define _GNU_SOURCE
#include "trace.h"

#include "trace_events.h"
#include "trace_registers.h"
#include "trace_stop.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
  // IDLE: there is no tracer, or not any more. EXPECTING: the target has not executed yet.
  enum { IDLE, EXPECTING, FOLLOWING } phase;
  int signals;  // readable when a child has stopped; -1 unless there is a tracer
  uint64_t addresses[PLACE_LIMIT];
} state = {.signals = -1};

int is_traced(const struct launch *launch) { return launch->request->flags & REQUEST_TRACE; }

// Runs before the clone.
void open_trace(struct launch *launch) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGCHLD);
  state.signals = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
  if (state.signals < 0) launch->result.trace.error = errno;
}

// Runs in the child. A signal that would stop it before it executes would stop the spawner too,
// which waits for that; so all stay blocked until its tracer unblocks them.
void ask_for_trace(struct launch *launch, sigset_t *blocked) {
  if (state.signals < 0) return;
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
    launch->result.trace.error = errno;
    return;
  }
  sigfillset(blocked);
  sigdelset(blocked, SIGTRAP);
  state.phase = EXPECTING;
}

int trace_descriptor(void) { return state.signals; }

static void end_trace(void) {
  state.phase = IDLE;
  if (state.signals >= 0) close(state.signals);
  state.signals = -1;
}

static void unblock_signals(pid_t pid) {
  uint64_t none = 0;
  ptrace(PTRACE_SETSIGMASK, pid, (void *)sizeof none, &none);
}

static void let_go(struct launch *launch, int number) {
  if (state.phase == EXPECTING) unblock_signals(launch->pid);
  if (launch->result.trace.method == TRACE_REGISTERS) clear_breakpoints(launch->pid);
  if (!launch->result.trace.resumed) launch->result.trace.resumed = monotonic();
  ptrace(PTRACE_DETACH, launch->pid, NULL, (void *)(long)number);
  end_trace();
}

static void miss_all(struct launch *launch, int code) {
  for (int place = 0; place < PLACE_LIMIT; place++) launch->result.trace.errors[place] = code;
}

// What the kernel has told the program of itself; getauxval(3).
static int read_auxiliary(pid_t pid, uint64_t *entry, uint64_t *loader) {
  char path[32];
  uint64_t vector[128];
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ssize_t count = read(file, vector, sizeof vector);
  int code = count < 0 ? errno : 0;
  close(file);
  *entry = *loader = 0;
  for (int index = 0; index + 1 < count / (ssize_t)sizeof *vector; index += 2) {
    if (vector[index] == AT_ENTRY) *entry = vector[index + 1];
    if (vector[index] == AT_BASE) *loader = vector[index + 1];
  }
  return code ? code : *entry ? 0 : ENOEXEC;
}

// Where the places are in memory; 0 for one that is not.
static int locate(struct launch *launch) {
  uint64_t entry, loader;
  int code = read_auxiliary(launch->pid, &entry, &loader);
  if (code) return code;
  uint64_t bias = entry - launch->request->entry;
  // The file was replaced since the places were looked up.
  if (bias % 4096 != 0) return ESTALE;
  for (int index = 0; index < PLACE_LIMIT; index++) {
    const struct wire_place *place = &launch->request->places[index];
    uint64_t address = 0;
    if (place->base == PLACE_ENTRY) address = entry;
    if (place->base == PLACE_PROGRAM) address = bias + place->address;
    if (place->base == PLACE_LOADER && loader) address = loader + place->address;
    state.addresses[index] = address;
    if (!address && place->base) launch->result.trace.errors[index] = ENXIO;
  }
  return 0;
}

static int use_events(struct launch *launch) {
  struct wire_trace *trace = &launch->result.trace;
  if (trace->event_error) return 0;
  int added = 0;
  for (int place = 0; place < PLACE_LIMIT; place++) {
    if (!state.addresses[place]) continue;
    trace->errors[place] = add_trace_event(launch, place, state.addresses[place]);
    if (trace->errors[place])
      trace->event_error = trace->errors[place];
    else
      added++;
  }
  if (added) trace->method = TRACE_EVENTS;
  return added;
}

static int use_registers(struct launch *launch) {
  struct wire_trace *trace = &launch->result.trace;
  if (!set_breakpoints(launch->pid, state.addresses, trace->errors)) return 0;
  trace->method = TRACE_REGISTERS;
  ptrace(PTRACE_SETOPTIONS, launch->pid, NULL, (void *)PTRACE_O_TRACEEXEC);
  return 1;
}

static void resume(struct launch *launch, int number) {
  ptrace(PTRACE_CONT, launch->pid, NULL, (void *)(long)number);
}

// The program has been executed, and nothing of it has run.
static void begin(struct launch *launch) {
  struct wire_trace *trace = &launch->result.trace;
  trace->stopped = monotonic();
  int code = locate(launch);
  if (code) miss_all(launch, code);
  if (code || use_events(launch) || !use_registers(launch)) return let_go(launch, 0);
  unblock_signals(launch->pid);
  state.phase = FOLLOWING;
  trace->resumed = monotonic();
  resume(launch, 0);
}

// True when none of the places is still to come.
static int note_hit(struct launch *launch, uint64_t address, int64_t now) {
  int last = 0;
  for (int place = 0; place < PLACE_LIMIT; place++) {
    if (!state.addresses[place] || launch->result.trace.errors[place]) continue;
    last = 0;
    if (state.addresses[place] != address) continue;
    add_hit(launch->result.trace.hits[place], now);
    last = 1;
  }
  return last;
}

static int stops_job(int number) {
  return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

// The traced target has stopped; the code is its signal, with an event of ptrace(2) above it.
void handle_stop(struct launch *launch, int code) {
  int64_t now = monotonic();
  int number = code & 0xff;
  if (state.phase == IDLE) return;
  if (code >> 8 == PTRACE_EVENT_EXEC) {
    launch->result.trace.flags |= TRACE_EXECUTED_AGAIN;
    return let_go(launch, 0);
  }
  // A tracer of this kind cannot leave a target stopped, and so goes.
  if (stops_job(number)) {
    miss_all(launch, EINTR);
    return let_go(launch, number);
  }
  if (number != SIGTRAP) return resume(launch, number);
  if (state.phase == EXPECTING) return begin(launch);
  uint64_t address = breakpoint_hit(launch->pid);
  if (!address) return resume(launch, number);
  if (note_hit(launch, address, now)) return let_go(launch, 0);
  resume(launch, 0);
}

// Looks whether the target has stopped; its end is left to reap().
void follow(struct launch *launch) {
  struct signalfd_siginfo signal;
  while (read(state.signals, &signal, sizeof signal) > 0) continue;
  while (state.phase != IDLE) {
    siginfo_t child = {0};
    if (waitid(P_PID, (id_t)launch->pid, &child, WSTOPPED | WNOHANG) != 0 || !child.si_pid) return;
    handle_stop(launch, child.si_status);
  }
}

void take_trace(struct launch *launch) {
  if (launch->result.trace.method == TRACE_EVENTS) take_trace_events(launch, state.addresses);
  take_stop(&launch->result.trace);
}

void close_trace(void) {
  end_trace();
  close_trace_events();
  close_stop();
  for (int place = 0; place < PLACE_LIMIT; place++) state.addresses[place] = 0;
}
