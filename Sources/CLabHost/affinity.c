#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int lab_get_affinity(int thread, unsigned char *mask, unsigned long size) {
  // The kernel writes no more than it has processors for.
  for (unsigned long index = 0; index < size; index++) mask[index] = 0;
  return syscall(SYS_sched_getaffinity, thread, size, mask) < 0 ? -errno : 0;
}

int lab_set_affinity(int thread, const unsigned char *mask, unsigned long size) {
  return syscall(SYS_sched_setaffinity, thread, size, mask) < 0 ? -errno : 0;
}
