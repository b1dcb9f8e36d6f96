// The spawner launches programs for launchlab and times them.
//
// usage: spawner RUNTIME_DIRECTORY [CGROUP_DIRECTORY [OWN_CPUS TARGET_CPUS]], with the control
// socket as descriptor 3. Processors are listed one by one, such as 0,2,3.
//
// It is a small process of its own because a launched program inherits from its parent what must
// not be in the figures: the parent's peak memory, its mapped libraries and its slow fork.
#include "conditions.h"
#include "counters.h"
#include "faults.h"
#include "figures.h"
#include "network.h"
#include "notify.h"
#include "output.h"
#include "probe.h"
#include "request.h"
#include "start.h"
#include "trace.h"
#include "tree.h"
#include "watch.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  await_stop_condition(launch);
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
  if (count < 2) return 2;
  place_notifications(arguments[1]);
  set_up_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Yama lets nobody but an ancestor trace a process that does not say who may; here launchlab may,
  // with its helpers.
  prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);
  join_cgroup(count > 2 ? arguments[2] : "");
  if (count > 4) keep_off_targets(arguments[3], arguments[4]);

  static struct launch launch;
  enum received received;
  while ((received = receive_request(&launch)) == REQUEST) launch_once(&launch);
  // A controller that says farewell removes the cgroup itself.
  if (received == END_OF_FILE) leave_cgroup();
  return 0;
}
