// The spawner launches programs for launchlab and times them.
//
// usage: spawner RUNTIME_DIRECTORY [CGROUP_DIRECTORY [OWN_CPUS TARGET_CPUS]], with the control
// socket as descriptor 3. Processors are listed one by one, such as 0,2,3.
//
// It is a small process of its own because a launched program inherits from its parent what must
// not be in the figures: the parent's peak memory, its mapped libraries and its slow fork.
#include "spawner.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

char runtime_directory[PATH_MAX];

int64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// The C library's own formatting would take pages that then count as the target's peak memory.
char *put_number(char *text, unsigned number) {
  char digits[10];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10));
  while (count > 0) *text++ = digits[--count];
  *text = 0;
  return text;
}

// Every signal stays blocked, so that none interrupts a measurement and none needs a handler. The
// child unblocks them, and finds every disposition at its default. The system call reaches the two
// signals that the C library keeps for itself, and that some parents ignore.
static void set_up_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  static const char default_action[32];
  for (int number = 1; number < NSIG; number++)
    syscall(SYS_rt_sigaction, number, default_action, NULL, 8);
}

static void measure(struct launch *launch) {
  watch(launch);
  take_counters(launch);
  take_faults(launch);
  if (launch->request->ready.kind == READY_EXIT && launch->result.outcome != OUTCOME_TIMED_OUT)
    take_exit_figures(launch);
  else
    take_live_figures(launch);
  take_trace(launch);
  stop_tree(launch);
  drain(launch, NULL);
}

static void launch_once(struct launch *launch) {
  if (start(launch) == 0) measure(launch);
  close_counters(launch);
  close_streams(launch);
  close_notification(launch);
  close_probe();
  if (launch->pidfd >= 0) close(launch->pidfd);
  if (launch->input >= 0) close(launch->input);
  if (is_traced(launch)) close_trace();
  leave_network();
  send_result(launch);
}

int main(int count, char **arguments) {
  if (count < 2 || strlen(arguments[1]) >= sizeof runtime_directory) return 2;
  strcpy(runtime_directory, arguments[1]);
  set_up_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  join_cgroup(count > 2 ? arguments[2] : "");
  if (count > 4) keep_off_targets(arguments[3], arguments[4]);

  static struct launch launch;
  enum received received;
  while ((received = receive_request(&launch)) == REQUEST) launch_once(&launch);
  // A controller that says farewell removes the cgroup itself.
  if (received == END_OF_FILE) leave_cgroup();
  return 0;
}
