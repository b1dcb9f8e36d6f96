#define _GNU_SOURCE
#include "waits.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"

// What a call waits for, or works on so that others wake.
enum object {
  NOTHING,
  TIMER,
  DESCRIPTOR,  // the first argument
  LOCK,        // the first argument, with commands of fcntl(2)
  FUTEX,
  CHILD,
  STARTED,  // the process that the call starts
  SIGNALS,
  PROCESS,  // the first argument
  POLLED,
  SELECTED,
  EPOLL,
  ANYTHING,
  NOTHING_AT_ALL,
};

struct rule {
  const char *call;
  unsigned char waits, wakes;
};

static const struct rule rules[] = {
    {"read", DESCRIPTOR, NOTHING},       {"readv", DESCRIPTOR, NOTHING},
    {"pread64", DESCRIPTOR, NOTHING},    {"recvfrom", DESCRIPTOR, NOTHING},
    {"recvmsg", DESCRIPTOR, NOTHING},    {"recvmmsg", DESCRIPTOR, NOTHING},
    {"accept", DESCRIPTOR, NOTHING},     {"accept4", DESCRIPTOR, NOTHING},
    {"connect", ANYTHING, NOTHING},      {"write", DESCRIPTOR, DESCRIPTOR},
    {"writev", DESCRIPTOR, DESCRIPTOR},  {"pwrite64", DESCRIPTOR, NOTHING},
    {"sendto", DESCRIPTOR, DESCRIPTOR},  {"sendmsg", DESCRIPTOR, DESCRIPTOR},
    {"sendmmsg", DESCRIPTOR, DESCRIPTOR}, {"sendfile", DESCRIPTOR, DESCRIPTOR},
    {"shutdown", NOTHING, DESCRIPTOR},   {"close", NOTHING, DESCRIPTOR},
    {"flock", DESCRIPTOR, DESCRIPTOR},   {"fcntl", LOCK, LOCK},
    {"fsync", ANYTHING, NOTHING},        {"fdatasync", ANYTHING, NOTHING},
    {"sync", ANYTHING, NOTHING},         {"syncfs", ANYTHING, NOTHING},
    {"io_uring_enter", ANYTHING, NOTHING}, {"io_getevents", ANYTHING, NOTHING},
    {"futex", FUTEX, FUTEX},             {"wait4", CHILD, NOTHING},
    {"waitid", CHILD, NOTHING},          {"clone", STARTED, NOTHING},
    {"clone3", STARTED, NOTHING},        {"vfork", STARTED, NOTHING},
    {"kill", NOTHING, PROCESS},          {"tkill", NOTHING, PROCESS},
    {"tgkill", NOTHING, PROCESS},        {"pause", SIGNALS, NOTHING},
    {"rt_sigtimedwait", SIGNALS, NOTHING}, {"rt_sigsuspend", SIGNALS, NOTHING},
    {"poll", POLLED, NOTHING},           {"ppoll", POLLED, NOTHING},
    {"select", SELECTED, NOTHING},       {"pselect6", SELECTED, NOTHING},
    {"epoll_wait", EPOLL, NOTHING},      {"epoll_pwait", EPOLL, NOTHING},
    {"epoll_pwait2", EPOLL, NOTHING},    {"nanosleep", TIMER, NOTHING},
    {"clock_nanosleep", TIMER, NOTHING}, {"msgrcv", ANYTHING, NOTHING},
    {"msgsnd", ANYTHING, NOTHING},       {"semop", ANYTHING, NOTHING},
    {"semtimedop", ANYTHING, NOTHING},   {"mq_timedreceive", ANYTHING, NOTHING},
    {"getpid", NOTHING_AT_ALL, NOTHING}, {"gettid", NOTHING_AT_ALL, NOTHING},
    {"getppid", NOTHING_AT_ALL, NOTHING}, {"getuid", NOTHING_AT_ALL, NOTHING},
    {"geteuid", NOTHING_AT_ALL, NOTHING}, {"getgid", NOTHING_AT_ALL, NOTHING},
    {"getegid", NOTHING_AT_ALL, NOTHING}, {"lseek", NOTHING_AT_ALL, NOTHING},
    {"rt_sigaction", NOTHING_AT_ALL, NOTHING}, {"rt_sigprocmask", NOTHING_AT_ALL, NOTHING},
};

// By the number of the call.
static struct rule rule_of[CALL_LIMIT];

void waits_prepare(void) {
  for (uint32_t call = 0; call < CALL_LIMIT && call < call_count(); call++)
    for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
      if (call_name(call) != NULL && strcmp(call_name(call), rules[rule].call) == 0)
        rule_of[call] = rules[rule];
}

static struct rule rule(const struct thread *thread) {
  return thread->call < CALL_LIMIT ? rule_of[thread->call] : (struct rule){0};
}

int is_trivial(const struct thread *thread) { return rule(thread).waits == NOTHING_AT_ALL; }

int can_wait(const struct thread *thread) {
  return rule(thread).waits != NOTHING && !is_trivial(thread);
}

// MARK: Keys

enum key_kind { KEY_FILE = 1, KEY_FUTEX, KEY_CHILD, KEY_END, KEY_START, KEY_SIGNAL };

// FNV-1a; two objects of a launch with the same key are as good as impossible.
static uint64_t key(enum key_kind kind, const void *bytes, size_t length) {
  uint64_t hash = 0xcbf29ce484222325ULL ^ kind;
  for (size_t at = 0; at < length; at++)
    hash = (hash ^ ((const unsigned char *)bytes)[at]) * 0x100000001b3ULL;
  return hash | 1;
}

static uint64_t number_key(enum key_kind kind, uint64_t number) {
  return key(kind, &number, sizeof number);
}

uint64_t child_key(pid_t process) { return number_key(KEY_CHILD, (uint64_t)process); }
uint64_t end_key(void) { return number_key(KEY_END, 0); }
uint64_t start_key(pid_t process) { return number_key(KEY_START, (uint64_t)process); }
uint64_t signal_key(pid_t process) { return number_key(KEY_SIGNAL, (uint64_t)process); }
uint64_t thread_key(uint64_t address) { return number_key(KEY_FUTEX, address); }

static uint64_t futex_key(const struct thread *thread) {
  int is_private = (thread->arguments[1] & FUTEX_PRIVATE_FLAG) != 0;
  uint64_t words[2] = {thread->arguments[0], (uint64_t)thread->process};
  return is_private ? key(KEY_FUTEX, words, sizeof words) : thread_key(words[0]);
}

// MARK: Descriptors

// The two ends of a pair have names of their own; each stands for the other as well.
static struct pair {
  uint64_t keys[2];
} pairs[256];
static size_t pair_count;

void waits_forget(void) { pair_count = 0; }

static uint64_t descriptor_name(const struct thread *thread, int descriptor) {
  char path[64], text[280];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", thread->id, descriptor);
  ssize_t length = readlink(path, text, sizeof text - sizeof(pid_t));
  if (length <= 0) return 0;
  // All of a kind, such as eventfds, are called the same.
  if (strncmp(text, "anon_inode:", 11) == 0) {
    memcpy(text + length, &thread->process, sizeof(pid_t));
    length += (ssize_t)sizeof(pid_t);
  }
  return key(KEY_FILE, text, (size_t)length);
}

static uint64_t descriptor_key(const struct thread *thread, int descriptor) {
  uint64_t name = descriptor_name(thread, descriptor);
  for (size_t pair = 0; pair < pair_count; pair++)
    if (pairs[pair].keys[1] == name) return pairs[pair].keys[0];
  return name;
}

void note_pair(const struct thread *thread, int64_t result) {
  const char *name = call_name(thread->call);
  int ends[2];
  if (result != 0 || name == NULL || strcmp(name, "socketpair") != 0) return;
  if (read_memory(thread->id, thread->arguments[3], ends, sizeof ends) != sizeof ends) return;
  struct pair *pair = &pairs[pair_count % (sizeof pairs / sizeof *pairs)];
  if (pair_count < sizeof pairs / sizeof *pairs) pair_count++;
  *pair = (struct pair){
      {descriptor_name(thread, ends[0]), descriptor_name(thread, ends[1])}};
}

size_t read_memory(pid_t thread, uint64_t address, void *bytes, size_t length) {
  struct iovec to = {bytes, length}, from = {(void *)address, length};
  ssize_t count = address != 0 ? process_vm_readv(thread, &to, 1, &from, 1, 0) : -1;
  return count > 0 ? (size_t)count : 0;
}

// MARK: Calls

static int is_lock(const struct thread *thread) {
  int command = (int)thread->arguments[1];
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK
      || command == F_OFD_SETLKW;
}

uint64_t wakes(const struct thread *thread) {
  switch (rule(thread).wakes) {
  case DESCRIPTOR: return descriptor_key(thread, (int)thread->arguments[0]);
  case LOCK: return is_lock(thread) ? descriptor_key(thread, (int)thread->arguments[0]) : 0;
  case PROCESS: return signal_key((pid_t)thread->arguments[0]);
  case FUTEX:
    switch (thread->arguments[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2: return 0;
    default: return futex_key(thread);
    }
  default: return 0;
  }
}

// The key of the first descriptor that is ready.
static uint64_t polled(const struct thread *thread, uint64_t *ended) {
  struct pollfd watched[64];
  size_t count = thread->arguments[1] < 64 ? thread->arguments[1] : 64;
  count = read_memory(thread->id, thread->arguments[0], watched, count * sizeof *watched) / sizeof *watched;
  for (size_t at = 0; at < count; at++) {
    if (watched[at].revents == 0) continue;
    if (watched[at].revents & POLLHUP) *ended = end_key();
    return descriptor_key(thread, watched[at].fd);
  }
  return 0;
}

static uint64_t selected(const struct thread *thread) {
  int count = (int)thread->arguments[0];
  for (int set = 1; set <= 2; set++) {
    fd_set ready;
    FD_ZERO(&ready);
    if (read_memory(thread->id, thread->arguments[set], &ready, sizeof ready) == 0) continue;
    for (int descriptor = 0; descriptor < count && descriptor < FD_SETSIZE; descriptor++)
      if (FD_ISSET(descriptor, &ready)) return descriptor_key(thread, descriptor);
  }
  return 0;
}

// The kernel says which descriptor an event is of by data that the program has chosen; the
// descriptors and their data are in /proc.
static uint64_t epolled(const struct thread *thread) {
  struct epoll_event event;
  if (read_memory(thread->id, thread->arguments[1], &event, sizeof event) != sizeof event) return 0;
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", thread->id, (int)thread->arguments[0]);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  uint64_t found = 0;
  int descriptor;
  unsigned long long data;
  while (found == 0 && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "tfd: %d events: %*x data: %llx", &descriptor, &data) == 2
        && data == event.data.u64)
      found = descriptor_key(thread, descriptor);
  fclose(file);
  return found;
}

uint64_t waited_for(const struct thread *thread, int64_t result, uint64_t *ended) {
  *ended = 0;
  switch (rule(thread).waits) {
  case DESCRIPTOR:
    if (result == 0) *ended = end_key();
    return descriptor_key(thread, (int)thread->arguments[0]);
  case LOCK: return descriptor_key(thread, (int)thread->arguments[0]);
  case FUTEX: return result == 0 ? futex_key(thread) : 0;
  case CHILD: {
    const char *name = call_name(thread->call);
    pid_t child = (pid_t)result;
    // waitid(2) writes it into the third word of what it tells.
    if (strcmp(name, "waitid") == 0
        && read_memory(thread->id, thread->arguments[2] + 12, &child, sizeof child) == 0)
      return 0;
    return child > 0 ? child_key(child) : 0;
  }
  case STARTED: return thread->started != 0 ? start_key(thread->started) : 0;
  case SIGNALS: return signal_key(thread->process);
  case POLLED: return result > 0 ? polled(thread, ended) : 0;
  case SELECTED: return result > 0 ? selected(thread) : 0;
  case EPOLL: return result > 0 ? epolled(thread) : 0;
  default: return 0;
  }
}
