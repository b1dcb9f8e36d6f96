// System calls of the probe: a value, or -errno.
#ifndef PROBE_SYSTEM_H
#define PROBE_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

#else
#error "the probe knows the system calls of x86-64 and aarch64 only"
#endif

static inline int system_open(const char *path, int flags) {
  return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags, 0, 0, 0);
}

static inline long system_size(int file) {
  struct stat status;
  long result = system_call(SYS_fstat, file, (long)&status, 0, 0, 0, 0);
  return result < 0 ? result : (long)status.st_size;
}

static inline void system_close(int file) { system_call(SYS_close, file, 0, 0, 0, 0, 0); }

static inline long system_map(size_t size, int protection, int flags, int file) {
  return system_call(SYS_mmap, 0, (long)size, protection, flags, file, 0);
}

static inline void system_unmap(void *start, size_t size) {
  system_call(SYS_munmap, (long)start, (long)size, 0, 0, 0, 0);
}

static inline int system_protect(uintptr_t start, size_t size, int protection) {
  return (int)system_call(SYS_mprotect, (long)start, (long)size, protection, 0, 0, 0);
}

static inline long system_read_link(const char *path, char *text, size_t size) {
#ifdef SYS_readlink
  return system_call(SYS_readlink, (long)path, (long)text, (long)size, 0, 0, 0);
#else
  return system_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)text, (long)size, 0, 0);
#endif
}

static inline int system_process(void) {
  return (int)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

// Whether memory can be read: as the path of a file it is not found, or it is a fault.
static inline int system_can_read(const void *memory) {
  enum { FAULT = 14 };
#ifdef SYS_access
  return system_call(SYS_access, (long)memory, 0, 0, 0, 0, 0) != -FAULT;
#else
  return system_call(SYS_faccessat, AT_FDCWD, (long)memory, 0, 0, 0, 0) != -FAULT;
#endif
}

// Whether a word can be written, to which the signal mask is written if so.
static inline int system_can_write_word(void *word) {
  _Static_assert(sizeof(void *) == 8, "the signal mask of the kernel is a word");
  return system_call(SYS_rt_sigprocmask, 0, 0, (long)word, 8, 0, 0) == 0;
}

#endif
