// The socket of sd_notify(3) and of launch marks, private to the spawner and made anew for each
// launch.
#define _GNU_SOURCE
#include "notify.h"

#include "environment.h"

#include <limits.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *directory;
static const char variable[] = "NOTIFY_SOCKET=";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char assignment[sizeof variable + sizeof address.sun_path];

void place_notifications(const char *runtime_directory) { directory = runtime_directory; }

static void set_variable(char **environment) {
  snprintf(assignment, sizeof assignment, "%s%s", variable, address.sun_path);
  put_variable(environment, assignment);
}

int hears_notifications(const struct launch *launch) {
  return launch->request->ready.kind == READY_NOTIFY || launch->request->ready.kind == READY_MARK;
}

// The socket is open to every user, because the target may become another one; the directory
// gives its name to nobody.
int open_notification(struct launch *launch) {
  size_t room = sizeof address.sun_path;
  if ((size_t)snprintf(address.sun_path, room, "%s/" NOTIFICATION_SOCKET, directory) >= room) {
    errno = ENAMETOOLONG;
    return -1;
  }
  unlink(address.sun_path);
  launch->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (launch->notify < 0) return -1;
  if (bind(launch->notify, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  int is_on = 1;
  if (setsockopt(launch->notify, SOL_SOCKET, SO_PASSCRED, &is_on, sizeof is_on) != 0) return -1;
  if (launch->request->ready.kind == READY_NOTIFY) set_variable(launch->environment);
  return chmod(address.sun_path, 0777);
}

// Gives the lines of a message one after the other, and NULL after the last.
static const char *next_line(const char **rest, const char *end, size_t *length) {
  const char *line = *rest;
  if (line >= end) return NULL;
  const char *newline = memchr(line, '\n', (size_t)(end - line));
  *length = (size_t)((newline ? newline : end) - line);
  *rest = line + *length + 1;
  return line;
}

// What follows `prefix` in a line, up to its end, or NULL.
static const char *after(const char *prefix, const char *line, size_t *length) {
  size_t count = strlen(prefix);
  if (*length < count || memcmp(line, prefix, count) != 0) return NULL;
  *length -= count;
  return line + count;
}

static int says_ready(const char *message, const char *end) {
  size_t length;
  const char *line;
  while ((line = next_line(&message, end, &length)))
    if (after("READY=1", line, &length) && length == 0) return 1;
  return 0;
}

static int64_t parse_number(const char *digits, size_t length) {
  int64_t number = 0;
  if (length > 18) return 0;
  for (size_t index = 0; index < length; index++) {
    if (digits[index] < '0' || digits[index] > '9') return 0;
    number = number * 10 + (digits[index] - '0');
  }
  return number;
}

// The instant that a program gave for its mark, if it lies within the launch.
static void read_instant(const struct launch *launch, const char *message, const char *end,
                         int64_t *said_at) {
  size_t length;
  const char *line;
  while ((line = next_line(&message, end, &length))) {
    const char *digits = after("MONOTONIC_NSEC=", line, &length);
    int64_t instant = digits ? parse_number(digits, length) : 0;
    if (instant >= launch->started && instant <= *said_at) *said_at = instant;
  }
}

// The process that a mark was made for by another one, as `launchlab mark` does; 0 when it is the
// sender's own.
static int32_t marked_process(const char *message, const char *end) {
  size_t length;
  const char *line;
  while ((line = next_line(&message, end, &length))) {
    const char *digits = after("MAINPID=", line, &length);
    int64_t pid = digits ? parse_number(digits, length) : 0;
    if (pid > 0 && pid <= INT32_MAX) return (int32_t)pid;
  }
  return 0;
}

static int32_t sender(struct msghdr *header) {
  struct cmsghdr *control = CMSG_FIRSTHDR(header);
  for (; control; control = CMSG_NXTHDR(header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_CREDENTIALS) continue;
    struct ucred credentials;
    memcpy(&credentials, CMSG_DATA(control), sizeof credentials);
    return credentials.pid;
  }
  return 0;
}

// Reads what has been said; true when that is readiness. `said_at` comes in as now, and becomes
// the instant of the mark where one was made.
int receive_notification(struct launch *launch, int64_t *said_at) {
  static char message[64 << 10];
  static _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
  for (;;) {
    struct iovec piece = {message, sizeof message};
    struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
                            .msg_controllen = sizeof control};
    // A descriptor that was sent along finds no room, and is closed by the kernel.
    ssize_t count = recvmsg(launch->notify, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return 0;
    if (!says_ready(message, message + count)) continue;
    int32_t process = 0;
    if (launch->request->ready.kind == READY_MARK) {
      read_instant(launch, message, message + count, said_at);
      process = marked_process(message, message + count);
    }
    launch->result.ready_pid = process ? process : sender(&header);
    return 1;
  }
}

void close_notification(struct launch *launch) {
  if (launch->notify < 0) return;
  close(launch->notify);
  unlink(address.sun_path);
}
