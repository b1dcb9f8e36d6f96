// The watcher runs a program and writes down which files it, and all that it starts, opens and
// executes.
//
// usage: watcher RECORDS PROGRAM ARGUMENT0 [ARGUMENT...]
//
// The process that was launched becomes the program itself, so that readiness, signals, the
// terminal and the exit status are those of any launch. A grandchild of it is the tracer: it
// belongs to nobody in the tree, seizes the process, and ends with the last process of the tree.
//
// A seccomp filter stops the tree at the system calls that open files, and nowhere else, so that a
// launch is slowed down by its opens only. Each file is looked at when the call has returned: as
// the kernel found it, whatever the path, the directory or the root it was named by. Programs and
// their loaders, which the kernel opens itself, are read at the stop after execve(2). Calls of
// 32-bit programs, io_uring(7) and open_by_handle_at(2) pass unseen.
//
// RECORDS is a file that is there; `launch_wire.h` describes what it gets.
// Sources: ptrace(2), seccomp(2), proc_pid_fd(5), proc_pid_maps(5), getauxval(3).
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch_wire.h"

static int records;

static void write_record(const char *text, int length) {
  // A record is written whole, or is cut off by a full disk; the reader takes whole ones only.
  if (length > 0 && write(records, text, (size_t)length + 1) < 0) return;
}

static void fail(const char *step) {
  char text[128];
  write_record(text, snprintf(text, sizeof text, "%c %d %s", WATCHER_FAILED, errno, step));
  _exit(127);
}

// MARK: - Files

// What was written last, so that a program that opens one file again and again fills no disk.
static struct seen {
  dev_t device;
  ino_t inode;
  enum watched_kind kind;
} seen[4096];

static int is_repeated(const struct stat *status, enum watched_kind kind) {
  struct seen *slot = &seen[(status->st_ino * 31 + status->st_dev + kind) % 4096];
  if (slot->inode == status->st_ino && slot->device == status->st_dev && slot->kind == kind)
    return 1;
  *slot = (struct seen){status->st_dev, status->st_ino, kind};
  return 0;
}

static void record(enum watched_kind kind, pid_t pid, const struct stat *status, const char *path) {
  static char text[PATH_MAX + 128];
  if (!S_ISREG(status->st_mode) || *path != '/') return;
  // The order of what a process executes matters.
  if (kind != WATCHED_EXECUTED && kind != WATCHED_NAMED && is_repeated(status, kind)) return;
  write_record(
      text,
      snprintf(
          text, sizeof text, "%c %d %llu %llu %s", kind, pid, (unsigned long long)status->st_dev,
          (unsigned long long)status->st_ino, path));
}

static void record_link(enum watched_kind kind, pid_t pid, const char *link) {
  static char path[PATH_MAX];
  struct stat status;
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || stat(link, &status) != 0) return;
  path[length] = 0;
  record(kind, pid, &status, path);
}

// The flags that a descriptor was opened with, or -1.
static int open_flags(pid_t pid, int descriptor) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, descriptor);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  const char *flags = strstr(text, "flags:");
  return flags ? (int)strtol(flags + 6, NULL, 8) : -1;
}

static void record_opened(pid_t pid, int descriptor) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, descriptor);
  struct stat status;
  if (stat(link, &status) != 0 || !S_ISREG(status.st_mode)) return;
  int flags = open_flags(pid, descriptor);
  if (flags >= 0 && flags & O_PATH) return;
  // What is empty now can be read only after it was written.
  int is_written = status.st_size == 0 || (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY);
  record_link(is_written ? WATCHED_WRITTEN : WATCHED_READ, pid, link);
}

// MARK: - Programs

static int read_all(pid_t pid, const char *name, char *buffer, int size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  int length = 0;
  ssize_t count;
  while (length < size - 1 && (count = read(file, buffer + length, size - 1 - length)) > 0)
    length += (int)count;
  close(file);
  buffer[length] = 0;
  return length;
}

// The path that was given to execve(2), which is that of the script where there is one.
static int executed_path(pid_t pid, char *path, size_t size) {
  static _Alignas(16) char vector[4096];
  int length = read_all(pid, "auxv", vector, sizeof vector);
  const unsigned long *entry = (const unsigned long *)vector;
  for (; (const char *)(entry + 2) <= vector + length; entry += 2) {
    if (entry[0] != AT_EXECFN) continue;
    struct iovec to = {path, size - 1}, from = {(void *)entry[1], size - 1};
    ssize_t count = process_vm_readv(pid, &to, 1, &from, 1, 0);
    // The text is at the end of the stack, so that less may be there than was asked for.
    for (size_t less = 4096; count < 0 && less; less /= 2) {
      from.iov_len = to.iov_len = less;
      count = process_vm_readv(pid, &to, 1, &from, 1, 0);
    }
    if (count <= 0) return -1;
    path[count] = 0;
    return 0;
  }
  return -1;
}

static void record_script(pid_t pid) {
  static char name[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
  if (executed_path(pid, name, sizeof name) != 0) return;
  // A program that executes itself; the same path would lead to the watcher here.
  if (strncmp(name, "/proc/", 6) == 0) return;
  // As the process sees it, whatever its root directory is.
  if (*name == '/')
    snprintf(path, sizeof path, "/proc/%d/root%s", pid, name);
  else
    snprintf(path, sizeof path, "/proc/%d/cwd/%s", pid, name);
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  snprintf(real, sizeof real, "/proc/self/fd/%d", file);
  record_link(WATCHED_NAMED, pid, real);
  close(file);
}

// The program and its loader are all that is mapped before the first instruction.
static void record_program(pid_t pid) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", pid);
  record_link(WATCHED_EXECUTED, pid, link);
  record_script(pid);
  static char maps[16 << 10];
  if (read_all(pid, "maps", maps, sizeof maps) <= 0) return;
  for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
    char range[64];
    int path = 0;
    if (sscanf(line, "%63s %*s %*s %*s %*s %n", range, &path) != 1 || line[path] != '/') continue;
    char mapped[128];
    snprintf(mapped, sizeof mapped, "/proc/%d/map_files/%s", pid, range);
    struct stat status;
    // Without rights the link cannot be followed; the path is then the word of the process.
    if (stat(mapped, &status) == 0 || stat(line + path, &status) == 0)
      record(WATCHED_MAPPED, pid, &status, line + path);
  }
}

// MARK: - The tracer

static void record_tracer(pid_t pid) {
  static int is_told;
  char text[32];
  if (is_told++) return;
  write_record(text, snprintf(text, sizeof text, "%c %d", WATCHED_TRACER, pid));
}

static void handle_event(pid_t pid, int event, int number) {
  switch (event) {
  case PTRACE_EVENT_SECCOMP: {
    unsigned long call = 0;
    ptrace(PTRACE_GETEVENTMSG, pid, NULL, &call);
    if (call) {
      record_tracer(pid);
      break;
    }
    // The next stop is the end of the call.
    ptrace(PTRACE_SYSCALL, pid, NULL, 0);
    return;
  }
  case PTRACE_EVENT_EXEC:
    record_program(pid);
    break;
  case PTRACE_EVENT_STOP:
    if (number == SIGTRAP) break;
    // It is stopped by a signal, and stays so until another one continues it.
    ptrace(PTRACE_LISTEN, pid, NULL, 0);
    return;
  default:
    break;
  }
  ptrace(PTRACE_CONT, pid, NULL, 0);
}

static void handle_end_of_call(pid_t pid) {
  struct __ptrace_syscall_info info;
  long size = ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
  if (size > 0 && info.op == PTRACE_SYSCALL_INFO_EXIT && !info.exit.is_error)
    record_opened(pid, (int)info.exit.rval);
  ptrace(PTRACE_CONT, pid, NULL, 0);
}

static void trace(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
    if (pid <= 0 || !WIFSTOPPED(status)) continue;
    int number = WSTOPSIG(status), event = status >> 16;
    if (event)
      handle_event(pid, event, number);
    else if (number == (SIGTRAP | 0x80))
      handle_end_of_call(pid);
    else
      ptrace(PTRACE_CONT, pid, NULL, number);
  }
}

// MARK: - Beginning

#if defined __x86_64__
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
#error "no system call numbers are known for this architecture"
#endif

// What the stop of a call says: that it opens a file, or that it is ptrace(2).
enum { TRACE_OPEN = SECCOMP_RET_TRACE, TRACE_PTRACE = SECCOMP_RET_TRACE | 1 };

static int install_filter(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, TRACE_PTRACE),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
#ifdef SYS_open
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#else
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
#endif
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, TRACE_OPEN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) return 0;
  // Without CAP_SYS_ADMIN a filter takes the promise that no program gains rights.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// Becomes the tracer of a process, and says by a byte that it is, or why not.
static void be_tracer(pid_t target, int answer) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP |
                 PTRACE_O_EXITKILL;
  int code = ptrace(PTRACE_SEIZE, target, NULL, options) == 0 ? 0 : errno;
  if (write(answer, &code, sizeof code) < 0 || code) _exit(1);
  // Nothing of the target's may stay open here: its streams end with its last process.
  if (records != 3) dup2(records, 3);
  records = 3;
  syscall(SYS_close_range, 4U, ~0U, 0U);
  for (int stream = 0; stream < 3; stream++) close(stream);
  trace();
  _exit(0);
}

static int start_tracer(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pid_t target = getpid(), child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    // A child of a child, which the target can neither wait for nor wonder about.
    pid_t tracer = fork();
    if (tracer == 0) {
      close(ends[0]);
      be_tracer(target, ends[1]);
    }
    _exit(tracer < 0);
  }
  close(ends[1]);
  int status, code = EAGAIN;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ssize_t count = read(ends[0], &code, sizeof code);
  close(ends[0]);
  if (count != sizeof code) code = EAGAIN;
  errno = code;
  return code ? -1 : 0;
}

int main(int count, char **arguments, char **environment) {
  if (count < 4) return 2;
  records = open(arguments[1], O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  if (records < 0) return 127;
  // Yama asks for the word of a process that is to be traced by one that is not its parent.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  if (start_tracer() != 0) fail("trace");
  prctl(PR_SET_PTRACER, 0, 0, 0, 0);
  if (install_filter() != 0) fail("filter");
  execve(arguments[2], arguments + 3, environment);
  fail("execute");
}
