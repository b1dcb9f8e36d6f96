// The socket of sd_notify(3), private to the spawner and made anew for each launch.
#define _GNU_SOURCE
#include "spawner.h"

#include <limits.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char variable[] = "NOTIFY_SOCKET=";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char assignment[sizeof variable + sizeof address.sun_path];

static void set_variable(char **environment) {
  snprintf(assignment, sizeof assignment, "%s%s", variable, address.sun_path);
  while (*environment && strncmp(*environment, variable, sizeof variable - 1) != 0) environment++;
  if (!*environment) environment[1] = NULL;
  *environment = assignment;
}

// The socket is open to every user, because the target may become another one; the directory
// gives its name to nobody.
int open_notification(struct launch *launch) {
  size_t room = sizeof address.sun_path;
  if ((size_t)snprintf(address.sun_path, room, "%s/notify", runtime_directory) >= room) {
    errno = ENAMETOOLONG;
    return -1;
  }
  unlink(address.sun_path);
  launch->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (launch->notify < 0) return -1;
  if (bind(launch->notify, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  set_variable(launch->environment);
  return chmod(address.sun_path, 0777);
}

static int says_ready(const char *message, size_t count) {
  static const char ready[] = "READY=1";
  const char *end = message + count;
  while (message < end) {
    const char *newline = memchr(message, '\n', (size_t)(end - message));
    size_t length = (size_t)((newline ? newline : end) - message);
    if (length == sizeof ready - 1 && memcmp(message, ready, length) == 0) return 1;
    message += length + 1;
  }
  return 0;
}

int receive_notification(struct launch *launch) {
  static char message[64 << 10];
  for (;;) {
    ssize_t count = recv(launch->notify, message, sizeof message, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return 0;
    if (says_ready(message, (size_t)count)) return 1;
  }
}

void close_notification(struct launch *launch) {
  if (launch->notify < 0) return;
  close(launch->notify);
  unlink(address.sun_path);
}
