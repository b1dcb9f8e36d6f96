#include "CLabHost.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t targets[2] = {-1, -1};

static void tell(int number) {
  (void)number;
  int saved = errno;
  uint64_t one = 1;
  for (int index = 0; index < 2; index++)
    if (targets[index] >= 0 && write((int)targets[index], &one, sizeof one) < 0) continue;
  errno = saved;
}

int lab_make_event(void) {
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

// To ignore a signal would pass on to every program that is executed; a handler does not.
static void go_on(int number) { (void)number; }

static int handle(int number, void (*handler)(int)) {
  struct sigaction wanted = {0};
  struct sigaction present;
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  if (sigaction(number, NULL, &present) != 0) return -errno;
  // A signal that the caller's parent ignores, as nohup(1) does, stays ignored.
  if (present.sa_handler == SIG_IGN) return 0;
  return sigaction(number, &wanted, NULL) == 0 ? 0 : -errno;
}

int lab_tell_signals(int flag, int count) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  targets[0] = flag;
  targets[1] = count;
  int status = handle(SIGPIPE, go_on);
  for (size_t index = 0; status == 0 && index < sizeof numbers / sizeof *numbers; index++)
    status = handle(numbers[index], tell);
  return status;
}

int lab_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno; }
