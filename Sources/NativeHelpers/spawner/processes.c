// Processes as /proc shows them; proc(5).
#define _GNU_SOURCE
#include "processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESS_LIMIT = 1 << 16 };

static struct process processes[PROCESS_LIMIT];

int read_file(const char *path, char *buffer, unsigned size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = read(file, buffer, size - 1);
  close(file);
  if (count < 0) return -1;
  buffer[count] = 0;
  return (int)count;
}

// The fields of /proc/PID/stat from the third, the state; the second may contain anything.
const char *stat_fields(pid_t pid, char *buffer, unsigned size) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_file(path, buffer, size) < 0) return NULL;
  char *end = strrchr(buffer, ')');
  return end && end[1] == ' ' ? end + 2 : NULL;
}

// Whether a signal that is sent to a process now is lost: it is ignored, and not kept for later.
int loses_signal(pid_t pid, int number) {
  char path[32], buffer[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (read_file(path, buffer, sizeof buffer) < 0) return 0;
  const char *ignored = strstr(buffer, "\nSigIgn:"), *blocked = strstr(buffer, "\nSigBlk:");
  if (!ignored || !blocked) return 0;
  uint64_t lost = strtoull(ignored + 8, NULL, 16) & ~strtoull(blocked + 8, NULL, 16);
  return lost >> (number - 1) & 1;
}

static unsigned read_processes(void) {
  static _Alignas(16) char entries[32 << 10];
  int directory = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 0;
  unsigned count = 0;
  long bytes;
  while ((bytes = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
    for (long at = 0; at < bytes && count < PROCESS_LIMIT;) {
      struct dirent64 *entry = (struct dirent64 *)(entries + at);
      at += entry->d_reclen;
      pid_t pid = atoi(entry->d_name);
      char buffer[512];
      const char *fields = pid > 0 ? stat_fields(pid, buffer, sizeof buffer) : NULL;
      if (!fields || fields[0] == 'Z' || fields[0] == 'X') continue;
      processes[count++] = (struct process){pid, atoi(fields + 2)};
    }
  }
  close(directory);
  return count;
}

static void swap(unsigned left, unsigned right) {
  struct process kept = processes[left];
  processes[left] = processes[right];
  processes[right] = kept;
}

// The living descendants of the spawner, parents before their children.
//
// Children of a parent that has just ended are seen in the next call, as the spawner's own.
unsigned find_descendants(const struct process **found) {
  unsigned count = read_processes();
  pid_t self = getpid();
  unsigned known = 0;
  for (unsigned index = 0; index < count; index++)
    if (processes[index].parent == self) swap(index, known++);
  for (unsigned parent = 0; parent < known; parent++)
    for (unsigned index = known; index < count; index++)
      if (processes[index].parent == processes[parent].pid) swap(index, known++);
  *found = processes;
  return known;
}
