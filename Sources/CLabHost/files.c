#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int lab_open_unnoticed(const char *path) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int descriptor = open(path, flags | O_NOATIME);
  if (descriptor < 0 && errno == EPERM) {
    descriptor = open(path, flags);
  }
  return descriptor >= 0 ? descriptor : -errno;
}

int lab_make_memory_file(void) {
  int descriptor = memfd_create("launchlab", MFD_CLOEXEC);
  return descriptor >= 0 ? descriptor : -errno;
}

int lab_is_locked(int descriptor) {
  struct statx status;
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0) {
    return -errno;
  }
  return (status.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
}

long lab_list_attributes(int descriptor, char *names, unsigned long size) {
  ssize_t length = flistxattr(descriptor, names, size);
  return length >= 0 ? length : -errno;
}

long lab_get_attribute(int descriptor, const char *name, void *value, unsigned long size) {
  ssize_t length = fgetxattr(descriptor, name, value, size);
  return length >= 0 ? length : -errno;
}

int lab_set_attribute(int descriptor, const char *name, const void *value, unsigned long size) {
  return fsetxattr(descriptor, name, value, size, 0) == 0 ? 0 : -errno;
}

int lab_remove_attribute(int descriptor, const char *name) {
  return fremovexattr(descriptor, name) == 0 ? 0 : -errno;
}
