#define _GNU_SOURCE
#include "CLabHost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_OF_ALL_NAMES = 10 };

// The demangler of the Swift runtime (swift/Demangling/Demangle.h); its result is from malloc.
char *swift_demangle(
  const char *name, size_t length, char *output, size_t *output_length, uint32_t flags);

// A crash in the child is expected: it must leave no core, no message and no trace.
static void become_quiet(void) {
  static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGALRM};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
    signal(signals[index], SIG_DFL);
  }
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDERR_FILENO);
  }
  sigset_t mask;
  sigemptyset(&mask);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  alarm(SECONDS_OF_ALL_NAMES);
}

// Writes the record of a name whole, with the zero byte that ends it.
static int write_record(int output, const char *text) {
  size_t length = strlen(text) + 1;
  while (length > 0) {
    ssize_t count = write(output, text, length);
    if (count <= 0) {
      return -1;
    }
    text += count;
    length -= (size_t)count;
  }
  return 0;
}

static void demangle_in_child(const char *names, unsigned long length, int output) {
  become_quiet();
  for (const char *name = names; name < names + length; name += strlen(name) + 1) {
    char *readable = swift_demangle(name, strlen(name), NULL, NULL, 0);
    if (write_record(output, readable != NULL ? readable : "") != 0) {
      break;
    }
    free(readable);
  }
  _exit(0);
}

int lab_demangle_swift(const char *names, unsigned long length) {
  if (length == 0 || names[length - 1] != 0) {
    return -EINVAL;
  }
  int output = memfd_create("names", MFD_CLOEXEC);
  if (output < 0) {
    return -errno;
  }
  pid_t child = fork();
  if (child == 0) {
    demangle_in_child(names, length, output);
  }
  if (child < 0) {
    int code = errno;
    close(output);
    return -code;
  }
  // Whoever else reaps the child, it has ended then.
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return output;
}
