// What this process may do, found out by trying; nothing of it outlasts the call.
#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int lab_try_counter(unsigned int type, unsigned long long event, int with_kernel) {
  struct perf_event_attr attributes = {
      .type = type,
      .size = sizeof attributes,
      .config = event,
      .disabled = 1,
      .exclude_kernel = !with_kernel,
      .exclude_hv = 1,
  };
  long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) return -errno;
  close((int)file);
  return 0;
}

static int enter_network_namespace(void) {
  if (unshare(CLONE_NEWNET) == 0) return 0;
  return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
}

static int be_traced(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? 0 : errno; }

// Tries in a child, which ends with the error number as its status.
static int try_in_child(int (*trial)(void)) {
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child == 0) _exit(trial());
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  // A filter of system calls may end the child.
  return WIFEXITED(status) ? -WEXITSTATUS(status) : -EPERM;
}

int lab_try_network_namespace(void) { return try_in_child(enter_network_namespace); }

int lab_try_tracing(void) { return try_in_child(be_traced); }
