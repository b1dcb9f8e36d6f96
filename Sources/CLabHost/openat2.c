#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kernel answers EAGAIN when a rename or mount elsewhere raced with the resolution.
static const int openat2_attempts = 64;

int lab_open_in(int directory, const char *name, int flags, unsigned int mode, int same_mount) {
  struct open_how how = {
    .flags = (uint64_t)(unsigned int)(flags | O_CLOEXEC | O_NOFOLLOW),
    .mode = (flags & O_CREAT) != 0 ? mode : 0,
    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  if (directory >= 0) {
    how.resolve |= RESOLVE_BENEATH;
  }
  if (same_mount) {
    how.resolve |= RESOLVE_NO_XDEV;
  }
  long result = -1;
  for (int attempt = 0; attempt < openat2_attempts; attempt++) {
    result = syscall(SYS_openat2, directory >= 0 ? directory : AT_FDCWD, name, &how, sizeof how);
    if (result >= 0) {
      return (int)result;
    }
    if (errno != EAGAIN && errno != EINTR) {
      break;
    }
  }
  return -errno;
}
