#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int prepare(
  posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int control) {
  int status = 0;
  for (int file = 0; status == 0 && file < 3; file++)
    status = posix_spawn_file_actions_addopen(actions, file, "/dev/null", O_RDWR, 0);
  if (status == 0) status = posix_spawn_file_actions_adddup2(actions, control, 3);
  if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, 4);
  if (status == 0) status = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID);
  return status;
}

int lab_start_helper(const char *program, char *const *arguments, int control) {
  static char *const environment[] = {0};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t pid = 0;
  int status = posix_spawn_file_actions_init(&actions);
  if (status != 0) return -status;
  status = posix_spawnattr_init(&attributes);
  if (status == 0) {
    status = prepare(&actions, &attributes, control);
    if (status == 0)
      status = posix_spawn(&pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? pid : -status;
}

static int prepare_command(
  posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const char *directory, int output) {
  sigset_t none;
  sigemptyset(&none);
  int status = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  for (int file = 1; status == 0 && file < 3; file++)
    status = posix_spawn_file_actions_adddup2(actions, output, file);
  if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (status == 0) status = posix_spawn_file_actions_addchdir_np(actions, directory);
  if (status == 0) status = posix_spawnattr_setsigmask(attributes, &none);
  if (status == 0)
    status = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  return status;
}

int lab_start_command(
  const char *program, char *const *arguments, char *const *environment, const char *directory,
  int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t pid = 0;
  int status = posix_spawn_file_actions_init(&actions);
  if (status != 0) return -status;
  status = posix_spawnattr_init(&attributes);
  if (status == 0) {
    status = prepare_command(&actions, &attributes, directory, output);
    if (status == 0)
      status = posix_spawn(&pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? pid : -status;
}

int lab_watch_process(int process) {
  long file = syscall(SYS_pidfd_open, process, 0);
  return file < 0 ? -errno : (int)file;
}
