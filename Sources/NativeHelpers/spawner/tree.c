// The end of a process tree: asked first, then killed, until nothing of it is left.
//
// The spawner is a child subreaper, so that whatever a target starts becomes its child once it is
// orphaned; that it has no child proves that the tree is empty. Where there is a cgroup, spawner
// and targets live in it together, which costs a launch nothing. The spawner leaves it only to
// kill the rest at once, which no storm of forks can outrun.
#define _GNU_SOURCE
#include "tree.h"

#include "output.h"
#include "probe.h"
#include "processes.h"
#include "request.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SWEEPS = 4 };

// How long killed processes may take to go before they are looked for again.
enum { SWEEP_WAIT = 50000000 };

// When it is first looked whether the main process still ignores what it was sent.
enum { FIRST_LOOK = 5000000 };

static char run_directory[PATH_MAX - 64];

// The open cgroup.procs of the targets' cgroup, or -1.
int members = -1;

static int open_in_run(const char *name, int flags) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", run_directory, name);
  return open(path, flags | O_CLOEXEC);
}

static int write_in_run(const char *name, const char *text) {
  int file = open_in_run(name, O_WRONLY);
  if (file < 0) return -1;
  ssize_t written = write(file, text, strlen(text));
  close(file);
  return written < 0 ? -1 : 0;
}

// Takes the run's cgroup, which the controller has made; without one the sweep has to do.
void join_cgroup(const char *directory) {
  if (!*directory || strlen(directory) >= sizeof run_directory) return;
  strcpy(run_directory, directory);
  if (write_in_run(TARGETS_CGROUP "/cgroup.procs", "0") == 0)
    members = open_in_run(TARGETS_CGROUP "/cgroup.procs", O_RDONLY);
}

// Removes the cgroups, for the case that no controller is left to do it.
void leave_cgroup(void) {
  if (!*run_directory) return;
  write_in_run("../cgroup.procs", "0");
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/" TARGETS_CGROUP, run_directory);
  rmdir(path);
  rmdir(run_directory);
}

static void add_times(struct timeval *sum, const struct timeval *more) {
  sum->tv_sec += more->tv_sec;
  sum->tv_usec += more->tv_usec;
}

static void add_usage(struct rusage *sum, const struct rusage *more) {
  add_times(&sum->ru_utime, &more->ru_utime);
  add_times(&sum->ru_stime, &more->ru_stime);
  if (more->ru_maxrss > sum->ru_maxrss) sum->ru_maxrss = more->ru_maxrss;
  sum->ru_minflt += more->ru_minflt;
  sum->ru_majflt += more->ru_majflt;
  sum->ru_nvcsw += more->ru_nvcsw;
  sum->ru_nivcsw += more->ru_nivcsw;
  sum->ru_inblock += more->ru_inblock;
}

static void subtract_time(struct timeval *from, const struct timeval *less) {
  if (timercmp(from, less, <))
    timerclear(from);
  else
    timersub(from, less, from);
}

// Takes away what the spawner's own code used in the process that became the target.
static void subtract_usage(struct rusage *from, const struct rusage *less) {
  subtract_time(&from->ru_utime, &less->ru_utime);
  subtract_time(&from->ru_stime, &less->ru_stime);
  from->ru_minflt -= less->ru_minflt;
  from->ru_majflt -= less->ru_majflt;
  from->ru_nvcsw -= less->ru_nvcsw;
  from->ru_nivcsw -= less->ru_nivcsw;
  from->ru_inblock -= less->ru_inblock;
}

// Waits for what has ended; false when nothing of the tree is left.
int reap(struct launch *launch) {
  for (;;) {
    int status;
    struct rusage usage;
    pid_t pid = wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid == 0;
    if (WIFSTOPPED(status)) {
      // Only a tracer is told of this.
      handle_stop(launch, status >> 8);
      continue;
    }
    if (pid == launch->pid) {
      launch->main_alive = 0;
      launch->main_status = status;
      launch->main_usage = usage;
      subtract_usage(&launch->main_usage, &launch->before_exec);
    } else {
      add_usage(&launch->orphan_usage, &usage);
    }
  }
}

enum wait_flag { WATCH_MAIN = 1, WATCH_CONTROLLER = 2 };

// Reaps, and drains the output that would keep a target from ending, until the tree is empty, the
// time has come, or what the flags say has happened. True when the tree is empty.
static int wait_for_end(struct launch *launch, int64_t until, int flags) {
  int64_t began = monotonic();
  for (;;) {
    if (!reap(launch)) return 1;
    drain(launch, NULL);
    int64_t now = monotonic();
    if (now >= until) return 0;
    if ((flags & WATCH_MAIN) && !launch->main_alive) return 0;
    if ((flags & WATCH_CONTROLLER) && controller_is_gone()) return 0;
    int64_t interval = probe_interval(now - began);
    struct timespec wait = {.tv_nsec = interval < until - now ? interval : until - now};
    struct pollfd ended = {.fd = launch->main_alive ? launch->pidfd : -1, .events = POLLIN};
    ppoll(&ended, 1, &wait, NULL);
  }
}

// Signals one process that was seen with this parent; a process that took over the number has
// another one.
static void signal_process(struct process process, int number) {
  int file = (int)syscall(SYS_pidfd_open, process.pid, 0);
  if (file < 0) return;
  char buffer[512];
  const char *fields = stat_fields(process.pid, buffer, sizeof buffer);
  int parent = 0;
  if (fields && sscanf(fields + 2, "%d", &parent) == 1)
    if (parent == process.parent || parent == getpid())
      syscall(SYS_pidfd_send_signal, file, number, NULL, 0);
  close(file);
}

static void signal_descendants(int number) {
  const struct process *found;
  unsigned count = find_descendants(&found);
  for (unsigned index = 0; index < count; index++) signal_process(found[index], number);
}

static void kill_cgroup(void) {
  if (members < 0 || write_in_run("cgroup.procs", "0") != 0) return;
  write_in_run(TARGETS_CGROUP "/cgroup.kill", "1");
  write_in_run(TARGETS_CGROUP "/cgroup.procs", "0");
}

void kill_tree(struct launch *launch) {
  for (int sweep = 1; reap(launch); sweep++) {
    signal_descendants(SIGKILL);
    if (wait_for_end(launch, monotonic() + SWEEP_WAIT, 0)) return;
    if (sweep % SWEEPS == 0) kill_cgroup();
  }
}

// Asks the main process to stop, and once more when it ignored the signal and no longer does, as a
// server that was still starting.
static int stops_main(struct launch *launch, int number, int64_t until) {
  int is_lost = loses_signal(launch->pid, number);
  syscall(SYS_pidfd_send_signal, launch->pidfd, number, NULL, 0);
  // A shell at a terminal ignores SIGTERM, and sees SIGHUP only when it has nothing more to read.
  if ((is_lost || number == SIGHUP) && launch->request->flags & REQUEST_TTY) hang_up(launch);
  for (int64_t interval = FIRST_LOOK;; interval *= 2) {
    int64_t look = monotonic() + interval;
    if (wait_for_end(launch, look < until ? look : until, WATCH_MAIN | WATCH_CONTROLLER)) return 1;
    if (!launch->main_alive || monotonic() >= until || controller_is_gone()) return 0;
    if (!is_lost || loses_signal(launch->pid, number)) continue;
    is_lost = 0;
    syscall(SYS_pidfd_send_signal, launch->pidfd, number, NULL, 0);
  }
}

// Asks the main process, and once it has ended what it has left; true when all of it stopped.
static int stops_when_asked(struct launch *launch) {
  int number = (int)launch->request->stop_signal;
  int64_t until = monotonic() + launch->request->grace;
  if (launch->main_alive) {
    if (stops_main(launch, number, until)) return 1;
    if (launch->main_alive) return 0;
    // Children of a main process that stopped in good order are about to end by themselves.
    int64_t soon = monotonic() + SWEEP_WAIT;
    if (wait_for_end(launch, soon < until ? soon : until, WATCH_CONTROLLER)) return 1;
  }
  signal_descendants(number);
  return wait_for_end(launch, until, WATCH_CONTROLLER);
}

// Nothing that the target started is left when this returns.
void stop_tree(struct launch *launch) {
  if (!reap(launch)) return;
  if (launch->request->ready.kind == READY_EXIT && launch->result.outcome != OUTCOME_TIMED_OUT) {
    launch->result.flags |= RESULT_LEFT;
  } else {
    if (launch->result.outcome == OUTCOME_EXITED || launch->result.outcome == OUTCOME_SIGNALLED)
      launch->result.flags |= RESULT_LEFT;
    int64_t rest = launch->result.outcome == OUTCOME_READY ? launch->request->rest : 0;
    if (rest > 0 && wait_for_end(launch, monotonic() + rest, WATCH_CONTROLLER)) return;
    if (stops_when_asked(launch)) return;
    launch->result.flags |= RESULT_KILLED;
  }
  kill_tree(launch);
}
