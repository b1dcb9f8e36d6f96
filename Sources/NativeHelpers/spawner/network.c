// A network of its own for each launch, with only loopback; network_namespaces(7).
//
// The spawner goes into a new namespace before the launch, so that the target is born in it and
// readiness is looked for in it, and leaves it when the target has gone. Without the right to do
// so it takes a user namespace, in which it has that right, and stays in it.
#define _GNU_SOURCE
#include "network.h"

#include "launch.h"
#include "listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The namespace between two such launches; -1 before the first of them.
static int home = -1;
static int is_inside;

static int open_namespace(void) { return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC); }

// 127.0.0.1 and ::1 come with it.
static int raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  int status = ioctl(file, SIOCSIFFLAGS, &request);
  int code = errno;
  close(file);
  errno = code;
  return status;
}

static int write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t written = write(file, text, strlen(text));
  int code = errno;
  close(file);
  errno = code;
  return written < 0 ? -1 : 0;
}

static int map_itself(const char *path, unsigned number) {
  char text[32];
  char *end = put_number(text, number);
  *end++ = ' ';
  strcpy(put_number(end, number), " 1");
  return write_text(path, text);
}

// A user namespace in which this user and this group are what they were; user_namespaces(7).
static int take_user_namespace(void) {
  unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return -1;
  if (write_text("/proc/self/setgroups", "deny") != 0) return -1;
  if (map_itself("/proc/self/uid_map", user) != 0) return -1;
  return map_itself("/proc/self/gid_map", group);
}

// A process of its own tries that first: one that fails halfway has lost its user.
static int try_user_namespace(void) {
  pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) {
    int is_possible =
        take_user_namespace() == 0 && unshare(CLONE_NEWNET) == 0 && raise_loopback() == 0;
    _exit(is_possible ? 0 : errno);
  }
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
  return errno ? -1 : 0;
}

static int make_namespace(void) {
  if (home < 0) home = open_namespace();
  if (home < 0) return -1;
  // Root of a user namespace, as in a container, may leave the network but not come back to it.
  if (setns(home, CLONE_NEWNET) == 0 && unshare(CLONE_NEWNET) == 0) return 0;
  if (errno != EPERM || try_user_namespace() != 0) return -1;
  close(home);
  // From here on there is no way back.
  if (take_user_namespace() != 0 || (home = open_namespace()) < 0) _exit(3);
  return unshare(CLONE_NEWNET);
}

int enter_network(void) {
  if (make_namespace() != 0) return -1;
  is_inside = 1;
  forget_listeners();
  if (raise_loopback() == 0) return 0;
  int code = errno;
  leave_network();
  errno = code;
  return -1;
}

// The namespace ends here, unless a process is left in it.
void leave_network(void) {
  if (!is_inside) return;
  is_inside = 0;
  forget_listeners();
  if (setns(home, CLONE_NEWNET) != 0) _exit(3);
}
