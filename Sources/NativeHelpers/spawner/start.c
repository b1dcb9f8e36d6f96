// From the request to the running target.
#define _GNU_SOURCE
#include "start.h"

#include "chosen.h"
#include "conditions.h"
#include "counters.h"
#include "environment.h"
#include "faults.h"
#include "match.h"
#include "network.h"
#include "notify.h"
#include "output.h"
#include "probe.h"
#include "trace.h"
#include "trace_events.h"
#include "trace_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Written by the child, which shares this memory until it executes.
static volatile int64_t exec_instant;
static volatile int child_errno;
static volatile uint32_t child_step;

static _Alignas(16) char child_stack[64 << 10];

static void give_up(enum wire_step step) {
  child_step = step;
  child_errno = errno;
  _exit(127);
}

static int has_events(const struct launch *launch) {
  const struct wire_request *request = launch->request;
  return request->counter_count || request->flags & (REQUEST_TRACE | REQUEST_FAULTS);
}

// Runs on the child's side of a vfork: system calls only, nothing that locks or allocates.
static int be_target(void *argument) {
  struct launch *launch = argument;
  if (has_events(launch)) {
    // The descriptor table is shared up to here, so that the spawner can read the events.
    open_counters(launch);
    if (is_traced(launch)) {
      open_trace_events(launch);
      open_stop();
    }
    if (launch->request->flags & REQUEST_FAULTS) open_faults(launch);
    if (unshare(CLONE_FILES) != 0) give_up(STEP_CLONE);
  }
  setsid();
  enum wire_step failed = set_conditions(launch);
  if (failed) give_up(failed);
  if (chdir(launch->directory) != 0) give_up(STEP_DIRECTORY);
  int input = launch->request->flags & REQUEST_TTY ? launch->ends[0] : -1;
  if (launch->input >= 0) input = launch->input;
  if (input >= 0 && dup2(input, 0) < 0) give_up(STEP_INPUT);
  if (dup2(launch->ends[0], 1) < 0 || dup2(launch->ends[1], 2) < 0) give_up(STEP_OUTPUT);
  if (launch->request->flags & REQUEST_TTY) ioctl(1, TIOCSCTTY, 0);
  if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0)
    for (int file = 3; file < 1024; file++) close(file);
  sigset_t blocked;
  sigemptyset(&blocked);
  if (is_traced(launch)) ask_for_trace(launch, &blocked);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  getrusage(RUSAGE_SELF, &launch->before_exec);
  exec_instant = monotonic();
  execve(launch->program, launch->arguments, launch->environment);
  give_up(STEP_EXECUTE);
  return 127;
}

static int refuse(struct launch *launch, enum wire_step step, int code) {
  launch->result.outcome = OUTCOME_NOT_STARTED;
  launch->result.step = step;
  launch->result.code = code;
  return -1;
}

// A FIFO would be waited for until another process writes to it.
static int open_input(struct launch *launch) {
  struct stat status;
  launch->input = open(launch->standard_input, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (launch->input < 0 || fstat(launch->input, &status) != 0) return -1;
  errno = ESPIPE;
  return S_ISFIFO(status.st_mode) ? -1 : fcntl(launch->input, F_SETFL, 0);
}

static int set_up(struct launch *launch) {
  const struct wire_request *request = launch->request;
  if (request->flags & REQUEST_NO_NETWORK && enter_network() != 0)
    return refuse(launch, STEP_NETWORK, errno);
  if (set_own_scheduling(launch) != 0) return refuse(launch, STEP_REALTIME, errno);
  if (held_before(launch)) return refuse(launch, launch->result.step, 0);
  if (*launch->standard_input) {
    if (open_input(launch) != 0) return refuse(launch, STEP_INPUT, errno);
  }
  if (request->ready.kind == READY_OUTPUT && open_pattern(launch->text) != 0)
    return refuse(launch, STEP_PATTERN, EINVAL);
  if (hears_notifications(launch) && open_notification(launch) != 0)
    return refuse(launch, STEP_NOTIFY, errno);
  if (open_streams(launch) != 0) return refuse(launch, STEP_OUTPUT, errno);
  if (request->flags & REQUEST_NICE) prepare_conditions(launch);
  if (request->flags & REQUEST_PADDING) pad_environment(launch);
  if (is_polled(launch)) open_probe();
  if (has_chosen(launch)) open_exits(launch);
  if (is_traced(launch)) open_trace(launch);
  if (request->flags & REQUEST_FAULTS) prepare_faults(launch);
  return 0;
}

int start(struct launch *launch) {
  if (set_up(launch) != 0) return -1;
  child_step = STEP_NONE;
  exec_instant = 0;
  int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  if (has_events(launch)) flags |= CLONE_FILES;
  launch->before_clone = monotonic();
  // The wrapper of the C library, not clone3: it brings the stack switch of every architecture.
  pid_t pid =
      clone(be_target, child_stack + sizeof child_stack, flags, launch, &launch->pidfd);
  int clone_errno = errno;
  if (pid < 0) return refuse(launch, STEP_CLONE, clone_errno);
  launch->pid = pid;
  launch->main_alive = 1;
  // A child that was killed on its way has no such instant.
  launch->started = exec_instant ? exec_instant : launch->before_clone;
  launch->result.spawn = launch->started - launch->before_clone;
  launch->result.started = launch->started;
  launch->result.pid = pid;
  if (child_step == STEP_NONE) return 0;
  launch->result.spawn = 0;
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  return refuse(launch, child_step, child_errno);
}
