#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "display.h"

enum {
  NAME_DESCRIPTOR = 4,  // where an X server writes the number of its display, as `-displayfd 4` asks
  START_LIMIT = 20000,  // milliseconds
  END_LIMIT = 2000,
  STEP = 2,
  SERVER_PRIORITY = -10,  // so that work beside the launches does not keep it from showing them
};

static pid_t running[COMPANION_COUNT];

static _Noreturn void become(enum companion companion, char **command, char **environment, int name,
                             pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (companion == SERVER) setpriority(PRIO_PROCESS, 0, SERVER_PRIORITY);
  if (dup2(name, NAME_DESCRIPTOR) < 0) _exit(127);
  close_range(NAME_DESCRIPTOR + 1, ~0U, 0);
  close(CONTROL_DESCRIPTOR);
  execve(command[0], command, environment);
  _exit(127);
}

int start_companion(enum companion companion, char **command, char **environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid == 0) become(companion, command, environment, ends[1], parent);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return -1;
  }
  // Both set it, so that it is set for whoever is first.
  setpgid(pid, pid);
  running[companion] = pid;
  return ends[0];
}

// The program has ended, and is waited for.
static int has_ended(enum companion companion) {
  if (waitpid(running[companion], NULL, WNOHANG) == 0) return 0;
  running[companion] = 0;
  return 1;
}

int read_display_number(int names, char *display, size_t room) {
  char digits[16] = "";
  size_t count = 0;
  while (!strchr(digits, '\n')) {
    struct pollfd polled = {names, POLLIN, 0};
    if (count == sizeof digits - 1 || poll(&polled, 1, START_LIMIT) <= 0) return 0;
    ssize_t got = read(names, digits + count, sizeof digits - 1 - count);
    if (got <= 0) return 0;
    count += (size_t)got;
    digits[count] = 0;
  }
  digits[strcspn(digits, "\n")] = 0;
  return (size_t)snprintf(display, room, ":%s", digits) < room;
}

int await_socket(enum companion companion, const char *path) {
  for (int waited = 0; waited < START_LIMIT; waited += STEP) {
    if (access(path, F_OK) == 0) return 1;
    if (has_ended(companion)) return 0;
    poll(NULL, 0, STEP);
  }
  return 0;
}

// Kills what a bus had started: whatever has become a child of this process by now, but the server.
static void end_orphans(void) {
  char path[64], list[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  for (int round = 0; round < 100; round++) {
    for (pid_t ended; (ended = waitpid(-1, NULL, WNOHANG)) > 0;)
      if (ended == running[SERVER]) running[SERVER] = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC), others = 0;
    if (file < 0) return;
    ssize_t length = read(file, list, sizeof list - 1);
    close(file);
    // Each ends with a space; what is cut off is seen in the next round.
    while (length > 0 && list[length - 1] != ' ') length--;
    list[length > 0 ? length : 0] = 0;
    for (char *next = list; *next;) {
      pid_t pid = (pid_t)strtol(next, &next, 10);
      while (*next == ' ') next++;
      if (pid <= 0 || pid == running[SERVER]) continue;
      kill(pid, SIGKILL);
      others++;
    }
    if (!others) return;
    poll(NULL, 0, 1);
  }
}

void end_companion(enum companion companion) {
  pid_t pid = running[companion];
  if (pid <= 0) return;
  // A bus has nothing to leave in order; a server removes its socket and its lock.
  kill(pid, companion == BUS ? SIGKILL : SIGTERM);
  for (int waited = 0; waited < END_LIMIT && !has_ended(companion); waited += STEP)
    poll(NULL, 0, STEP);
  kill(-pid, SIGKILL);
  if (running[companion]) waitpid(pid, NULL, 0);
  running[companion] = 0;
  if (companion == BUS) end_orphans();
}
