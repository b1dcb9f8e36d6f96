#define _GNU_SOURCE
#include "CLabHost.h"
#include "launch_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// How a program is started: its descriptors and attributes.
struct start {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

static int begin(struct start *start) {
  int status = posix_spawn_file_actions_init(&start->actions);
  if (status != 0) return status;
  status = posix_spawnattr_init(&start->attributes);
  if (status != 0) posix_spawn_file_actions_destroy(&start->actions);
  return status;
}

// Starts the program, unless what was prepared for it has failed with a status other than 0.
static int finish(
  struct start *start, int status, const char *program, char *const *arguments,
  char *const *environment) {
  pid_t pid = 0;
  if (status == 0)
    status = posix_spawn(&pid, program, &start->actions, &start->attributes, arguments, environment);
  posix_spawnattr_destroy(&start->attributes);
  posix_spawn_file_actions_destroy(&start->actions);
  return status == 0 ? pid : -status;
}

int lab_start_helper(const char *program, char *const *arguments, int control) {
  static char *const environment[] = {0};
  struct start start;
  int status = begin(&start);
  if (status != 0) return -status;
  for (int file = 0; status == 0 && file < 3; file++)
    status = posix_spawn_file_actions_addopen(&start.actions, file, "/dev/null", O_RDWR, 0);
  if (status == 0) status = posix_spawn_file_actions_adddup2(&start.actions, control, CONTROL_DESCRIPTOR);
  if (status == 0)
    status = posix_spawn_file_actions_addclosefrom_np(&start.actions, CONTROL_DESCRIPTOR + 1);
  if (status == 0) status = posix_spawnattr_setflags(&start.attributes, POSIX_SPAWN_SETSID);
  return finish(&start, status, program, arguments, environment);
}

int lab_start_command(
  const char *program, char *const *arguments, char *const *environment, const char *directory,
  int output) {
  const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK;
  sigset_t none;
  sigemptyset(&none);
  struct start start;
  int status = begin(&start);
  if (status != 0) return -status;
  status = posix_spawn_file_actions_addopen(&start.actions, 0, "/dev/null", O_RDONLY, 0);
  for (int file = 1; status == 0 && file < 3; file++)
    status = posix_spawn_file_actions_adddup2(&start.actions, output, file);
  if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(&start.actions, 3);
  if (status == 0) status = posix_spawn_file_actions_addchdir_np(&start.actions, directory);
  if (status == 0) status = posix_spawnattr_setsigmask(&start.attributes, &none);
  if (status == 0) status = posix_spawnattr_setflags(&start.attributes, flags);
  return finish(&start, status, program, arguments, environment);
}

int lab_watch_process(int process) {
  long file = syscall(SYS_pidfd_open, process, 0);
  return file < 0 ? -errno : (int)file;
}
