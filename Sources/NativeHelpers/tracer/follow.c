// A thread stops when it enters a call and when it leaves one. In between it is timed by the
// scheduler, which counts what it ran and what it could have run: so what it takes until the tracer
// is told, what the tracer does, and what it takes until the thread goes on are no part of it. They
// are recorded as time in which it could have run.
#define _GNU_SOURCE
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
// After sys/ptrace.h, which has a name in common with it.
#include <linux/ptrace.h>

#include "calls.h"
#include "threads.h"
#include "waits.h"

#if defined __x86_64__
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { ARCHITECTURE = AUDIT_ARCH_AARCH64 };
#else
#error "no architecture of system calls is known for this machine"
#endif

// Nanoseconds in which a thread neither ran nor could have run, for it to have waited in a call that
// can wait for others, and elsewhere: less may be the time until the tracer saw that it had stopped.
enum { SHORTEST_WAIT = 15000, SHORTEST_DISK_WAIT = 50000 };

static const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
                          | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;

int64_t monotonic(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// MARK: Records

static struct timeline_record *record(
    struct timeline_record *record, enum timeline_kind kind, pid_t thread, int64_t time) {
  *record = (struct timeline_record){
      .kind = (uint16_t)kind, .thread = thread, .time = (uint64_t)time};
  return record;
}

static void add(
    struct following *following, enum timeline_kind kind, pid_t thread, int64_t time,
    uint64_t first, uint64_t second) {
  struct timeline_record built;
  record(&built, kind, thread, time)->values[0] = first;
  built.values[1] = second;
  recorded_add(&following->recorded, &built, NULL);
}

static void add_start(struct following *following, const struct thread *thread, int64_t time) {
  add(following, TIMELINE_SWITCH, 0, time, (uint64_t)thread->id, TIMELINE_TO);
}

static void add_stop(struct following *following, const struct thread *thread, int64_t time) {
  add(following, TIMELINE_SWITCH, thread->id, time, 0, TIMELINE_FROM | TIMELINE_PREEMPTED);
}

static void add_signal(
    struct following *following, const struct thread *thread, int64_t time, uint64_t key) {
  if (key != 0) add(following, TIMELINE_SIGNAL, thread->id, time, key, 0);
}

// MARK: The processor of the launch
//
// A stop that has to wake another processor costs ten times as much as one that does not, and more
// differently so. The scheduler wakes a thread on an idle one, so that the launch is kept on the
// processor of the tracer; where it asks on which it may run, it is told as if it were not. Once it
// has a second thread it is let go: what would run at the same time would wait for a processor, and
// be no part of its time.

// Stops for which the tracer stays where it is.
enum { STAY = 8 };

int keep_on(pid_t thread, int processor) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(processor, &processors);
  return sched_setaffinity(thread, sizeof processors, &processors);
}

static int is_on(pid_t thread, int processor) {
  cpu_set_t processors;
  return sched_getaffinity(thread, sizeof processors, &processors) == 0
      && CPU_COUNT(&processors) == 1 && CPU_ISSET(processor, &processors);
}

// The processor that a stopped thread ran on, or -1; proc_pid_stat(5).
static int processor_of(pid_t thread) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return -1;
  text[length] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 39; field++) at = strchr(at + 1, ' ');
  return at != NULL ? atoi(at) : -1;
}

static int is_kept(const struct following *following, const struct thread *thread) {
  return following->processor >= 0 && !thread->is_spawner && !thread->is_free;
}

// One whose processors are no longer those that it was kept on has said itself where it runs.
static void let_go(const struct following *following, struct thread *thread) {
  if (!is_kept(following, thread)) return;
  if (is_on(thread->id, following->processor))
    sched_setaffinity(thread->id, sizeof following->allowed, &following->allowed);
  else
    thread->is_free = 1;
}

// Real-time threads that share a processor with each other and with the tracer may wait for ever.
static int is_realtime(pid_t thread) {
  int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
  return policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE;
}

// What the launch executes first is kept, and so is all that it starts.
static void keep_launch(struct following *following, struct thread *thread) {
  if (following->processor >= 0 || following->has_threads || is_realtime(thread->id)) return;
  int processor = processor_of(thread->id);
  size_t size = sizeof following->allowed;
  if (processor < 0 || sched_getaffinity(thread->id, size, &following->allowed) != 0) return;
  if (keep_on(0, processor) != 0 || keep_on(thread->id, processor) != 0) return;
  following->processor = processor;
  thread->is_free = 0;
}

// Whose processors a call asks for or sets; NULL for an unknown id, which may be its own in a namespace.
static struct thread *asked_thread(struct thread *thread) {
  pid_t id = (pid_t)thread->arguments[0];
  return id != 0 ? known_thread(id) : thread;
}

static void let_ask(const struct following *following, struct thread *thread) {
  // The calls of 32-bit programs are not known by their numbers.
  if (thread->call & TIMELINE_32BIT) {
    let_go(following, thread);
    thread->is_free = 1;
  } else if (thread->call == SYS_sched_getaffinity) {
    struct thread *known = asked_thread(thread);
    let_go(following, known != NULL ? known : thread);
  }
}

struct kept {
  const struct following *following;
  int count;
};

static void count_kept(struct thread *thread, void *context) {
  struct kept *kept = context;
  kept->count += is_kept(kept->following, thread);
}

// Where nothing else is kept, the tracer goes along, and what is executed next is kept there.
static void note_free(struct following *following, struct thread *thread) {
  thread->is_free = 1;
  struct kept kept = {.following = following};
  each_thread(count_kept, &kept);
  int processor = kept.count == 0 ? processor_of(thread->id) : -1;
  if (processor < 0) return;
  following->processor = -1;
  keep_on(0, processor);
}

static void keep_again(struct following *following, struct thread *thread, int64_t result) {
  if (thread->call != SYS_sched_setaffinity && thread->call != SYS_sched_getaffinity) return;
  struct thread *known = asked_thread(thread), *asked = known != NULL ? known : thread;
  if (!is_kept(following, asked)) return;
  if (thread->call == SYS_sched_getaffinity)
    keep_on(asked->id, following->processor);
  else if (result >= 0 && (known != NULL || !is_on(asked->id, following->processor)))
    note_free(following, asked);
}

static void release_thread(struct thread *thread, void *following) { let_go(following, thread); }

// Lets the launch run where it may, since a thread was started in it.
static void note_thread(struct following *following) {
  following->has_threads = 1;
  each_thread(release_thread, following);
  following->processor = -1;
}

void release(struct following *following) {
  each_thread(release_thread, following);
  // Those that were started meanwhile have stopped at their first instant.
  siginfo_t event = {0};
  while (waitid(P_ALL, 0, &event, WSTOPPED | WNOHANG | WNOWAIT | __WALL) == 0 && event.si_pid != 0) {
    struct thread *thread = thread_of(event.si_pid);
    if (thread != NULL) let_go(following, thread);
    waitpid(event.si_pid, NULL, __WALL | WNOHANG);
    event.si_pid = 0;
  }
  following->processor = -1;
}

// Nanoseconds by which the cost of a stop is corrected at a time.
enum { CORRECTION = 50 };

// In a launch caches are colder than where the cost was measured, and differently so on a busy
// machine. Calls that do nothing tell what a stop costs there: the cost goes to the median of them.
static void correct_cost(struct following *following, uint64_t ran) {
  int64_t more = ran > following->near.call + following->plain ? CORRECTION : -CORRECTION;
  if (more < 0 && following->near.call < CORRECTION) return;
  following->near.call += (uint64_t)more;
  following->near.own_code += (uint64_t)more;
}

// What the stops have cost that a thread ran between, so long.
static const struct stop_cost *cost_of(
    struct following *following, const struct thread *thread, uint64_t ran) {
  if (ran < 3 * following->near.own_code) {
    if (thread->phase == IN_CALL && is_trivial(thread)) correct_cost(following, ran);
    return &following->near;
  }
  if (is_kept(following, thread)) return &following->near;
  following->stops++;
  int processor = processor_of(thread->id);
  if (processor < 0 || processor == sched_getcpu()) return &following->near;
  if (following->stops > STAY) {
    keep_on(0, processor);
    following->stops = 0;
  }
  return &following->far;
}

// MARK: What a thread did since it was let go

struct interval {
  int64_t begin, end;
  int64_t ran;      // less what the stops cost
  int64_t queued;
  int64_t waited;   // what is neither of them, if it counts as a wait
};

static void measure(struct following *following, const struct thread *thread, uint64_t ran) {
  struct measured_stops *measured = following->measured;
  int is_call = thread->phase == IN_CALL;
  size_t *count = is_call ? &measured->calls : &measured->own_codes;
  uint64_t *times = is_call ? measured->call : measured->own_code;
  if (*count < sizeof measured->call / sizeof *measured->call) times[(*count)++] = ran;
}

static struct interval interval(struct following *following, struct thread *thread, int64_t now) {
  struct interval spent = {.begin = thread->resumed, .end = now};
  int64_t whole = now - thread->resumed;
  int waits = thread->phase == IN_CALL && can_wait(thread);
  struct usage used;
  if (used_since(thread, &used) != 0) {
    // Then the clock has to do, which cannot tell a wait from anything else.
    spent.ran = waits ? 0 : whole;
    spent.waited = waits ? whole : 0;
    return spent;
  }
  const struct stop_cost *costs = &following->near;
  if (following->measured != NULL)
    measure(following, thread, used.ran);
  else
    costs = cost_of(following, thread, used.ran);
  uint64_t cost = thread->phase == IN_CALL ? costs->call : costs->own_code;
  spent.ran = used.ran > cost ? (int64_t)(used.ran - cost) : 0;
  if (spent.ran > whole) spent.ran = whole;
  int64_t rest = whole - (int64_t)used.ran - (int64_t)used.queued;
  if (!waits) rest -= following->held - thread->held;
  if (used.turns > 1 && rest > (waits ? SHORTEST_WAIT : SHORTEST_DISK_WAIT)) {
    spent.waited = rest;
    spent.queued = (int64_t)used.queued;
  }
  return spent;
}

// Records it, as the wait in the middle of what it ran. That it could have run is told at the end,
// where the tracer has it wait.
static void add_interval(
    struct following *following, const struct thread *thread, const struct interval *spent,
    uint64_t key, uint64_t ended) {
  add_start(following, thread, spent->begin);
  int64_t end = spent->begin + spent->ran;
  if (spent->waited > 0) {
    int64_t wake = spent->end - spent->ran / 2;
    int64_t latest = wake - spent->queued;
    struct timeline_record wait;
    record(&wait, TIMELINE_WAIT, thread->id, spent->begin + spent->ran / 2);
    if ((int64_t)wait.time > latest) latest = (int64_t)wait.time;
    wait.values[0] = (uint64_t)wake;
    wait.values[1] = (uint64_t)latest;
    wait.values[2] = key;
    wait.values[3] = ended;
    // Own code waits for its pages only.
    wait.values[4] = thread->phase == IN_CALL ? 0 : TIMELINE_DISK;
    recorded_add(&following->recorded, &wait, NULL);
    add_start(following, thread, wake);
    end = spent->end;
  }
  add_stop(following, thread, end);
}

static void add_plain_interval(struct following *following, struct thread *thread, int64_t now) {
  if (thread->resumed == 0) return;
  struct interval spent = interval(following, thread, now);
  if (thread->phase == IN_CALL) spent.waited = 0;
  add_interval(following, thread, &spent, 0, 0);
}

// MARK: Letting threads go

static void resume(struct following *following, struct thread *thread, int number) {
  thread->resumed = monotonic();
  thread->held = following->held;
  ptrace(
      thread->is_spawner ? PTRACE_CONT : PTRACE_SYSCALL, thread->id, NULL, (void *)(long)number);
}

int follow_spawner(pid_t spawner) {
  struct thread *thread = thread_of(spawner);
  if (thread == NULL) return ENOMEM;
  thread->is_spawner = 1;
  thread->process = spawner;
  return ptrace(PTRACE_SEIZE, spawner, NULL, (void *)options) == 0 ? 0 : errno;
}

int follow_child(pid_t child) {
  struct thread *thread = thread_of(child);
  if (thread == NULL) return ENOMEM;
  thread->process = child;
  return ptrace(PTRACE_SEIZE, child, NULL, (void *)options) == 0 ? 0 : errno;
}

// MARK: Calls

// Reads a text no further than its page, and then in that after it.
static size_t read_text(pid_t thread, uint64_t address, char *text) {
  size_t length = 0;
  while (length < TEXT_LIMIT - 1) {
    size_t wanted = 4096 - ((address + length) & 4095);
    if (wanted > TEXT_LIMIT - 1 - length) wanted = TEXT_LIMIT - 1 - length;
    size_t count = read_memory(thread, address + length, text + length, wanted);
    const char *end = memchr(text + length, 0, count);
    if (end != NULL) return (size_t)(end - text);
    length += count;
    if (count < wanted) break;
  }
  return length;
}

static void enter_call(
    struct following *following, struct thread *thread, const struct __ptrace_syscall_info *info,
    int64_t now) {
  thread->phase = IN_CALL;
  thread->call = (uint32_t)info->entry.nr | (info->arch != ARCHITECTURE ? TIMELINE_32BIT : 0);
  memcpy(thread->arguments, info->entry.args, sizeof thread->arguments);
  thread->started = 0;
  thread->path[0] = 0;
  struct timeline_record built;
  record(&built, TIMELINE_ENTER, thread->id, now)->call = thread->call;
  memcpy(built.values, info->entry.args, sizeof built.values);
  char text[TEXT_LIMIT];
  unsigned char place = call_text(thread->call);
  uint64_t address = place != TEXT_NONE ? info->entry.args[place & 7] : 0;
  if (place & TEXT_PATH) {
    built.text = TIMELINE_PATH;
    built.length = (uint32_t)read_text(thread->id, address, text);
    memcpy(thread->path, text, built.length);
    thread->path[built.length] = 0;
  } else if (place & TEXT_ADDRESS) {
    uint64_t length = info->entry.args[(place & 7) + 1];
    built.text = TIMELINE_ADDRESS;
    built.length = (uint32_t)read_memory(
        thread->id, address, text, length < ADDRESS_LIMIT ? length : ADDRESS_LIMIT);
  }
  if (built.length == 0) built.text = TIMELINE_NO_TEXT;
  recorded_add(&following->recorded, &built, text);
  add_stop(following, thread, now);
}

struct clone {
  uint64_t flags;
  uint64_t end_address;
};

static struct clone clone_of(const struct thread *thread) {
  const char *name = call_name(thread->call);
  uint64_t words[3] = {0};
  if (name != NULL && strcmp(name, "clone3") == 0) {
    read_memory(thread->id, thread->arguments[0], words, sizeof words);
    return (struct clone){words[0], words[2]};
  }
  if (name == NULL || strcmp(name, "clone") != 0) return (struct clone){0};
#if defined __x86_64__
  return (struct clone){thread->arguments[0], thread->arguments[3]};
#else
  return (struct clone){thread->arguments[0], thread->arguments[4]};
#endif
}

static void stop_at_call(struct following *following, struct thread *thread, int64_t now) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, sizeof info, &info) <= 0) return;
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
    add_plain_interval(following, thread, now);
    enter_call(following, thread, &info, now);
    add_signal(following, thread, monotonic(), wakes(thread));
    let_ask(following, thread);
  } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    if (thread->resumed != 0) {
      struct interval spent = interval(following, thread, now);
      uint64_t ended = 0;
      uint64_t key = spent.waited > 0 ? waited_for(thread, info.exit.rval, &ended) : 0;
      add_interval(following, thread, &spent, key, ended);
    }
    note_pair(thread, info.exit.rval);
    keep_again(following, thread, info.exit.rval);
    add(following, TIMELINE_LEAVE, thread->id, now, (uint64_t)info.exit.rval, 0);
    add_stop(following, thread, now);
    thread->phase = IN_OWN_CODE;
  }
}

// MARK: Threads and programs

static void start(struct following *following, struct thread *thread, int event, int64_t now) {
  unsigned long id = 0;
  if (ptrace(PTRACE_GETEVENTMSG, thread->id, NULL, &id) != 0) return;
  struct thread *child = thread_of((pid_t)id);
  if (child == NULL) return;
  add_plain_interval(following, thread, now);
  struct clone clone = clone_of(thread);
  child->process = event == PTRACE_EVENT_CLONE && clone.flags & CLONE_THREAD
                     ? thread->process : child->id;
  child->is_free = thread->is_free;
  child->parent = child->process == thread->process ? thread->parent : thread->process;
  if (clone.flags & CLONE_CHILD_CLEARTID) child->end_address = clone.end_address;
  if (child->process == thread->process && is_kept(following, thread)) note_thread(following);
  if (event == PTRACE_EVENT_VFORK) thread->started = child->id;
  struct timeline_record built;
  record(&built, TIMELINE_FORK, thread->id, now)->values[0] = id;
  built.values[1] = (uint64_t)child->process;
  recorded_add(&following->recorded, &built, NULL);
  if (!child->is_stopped) return;
  child->is_stopped = 0;
  resume(following, child, 0);
}

// Who has no right to trace everybody takes the rights of set-user-ID programs away.
static int is_without_rights(pid_t process) {
  char path[64];
  struct stat file;
  snprintf(path, sizeof path, "/proc/%d/exe", process);
  if (geteuid() == 0 || stat(path, &file) != 0) return 0;
  mode_t group = S_ISGID | S_IXGRP;
  return (file.st_mode & S_ISUID && file.st_uid != geteuid())
      || ((file.st_mode & group) == group && file.st_gid != getegid())
      || getxattr(path, "security.capability", NULL, 0) > 0;
}

static struct thread *execute(struct following *following, pid_t id, int64_t now) {
  unsigned long former = 0;
  ptrace(PTRACE_GETEVENTMSG, id, NULL, &former);
  struct thread *thread = take_over((pid_t)former, id);
  if (thread == NULL) return NULL;
  add_plain_interval(following, thread, now);
  struct timeline_record built;
  record(&built, TIMELINE_EXECUTE, id, now)->values[0] = former;
  built.values[1] = is_without_rights(id) ? TIMELINE_WITHOUT_RIGHTS : 0;
  built.text = TIMELINE_PATH;
  built.length = (uint32_t)strlen(thread->path);
  recorded_add(&following->recorded, &built, thread->path);
  add_stop(following, thread, now);
  add_signal(following, thread, now, start_key(id));
  keep_launch(following, thread);
  thread->end_address = 0;
  return thread;
}

static void end(struct following *following, struct thread *thread, int64_t now) {
  int64_t first = now, last = now;
  if (thread->resumed != 0) {
    struct interval spent = interval(following, thread, now);
    add_start(following, thread, spent.begin);
    first = spent.begin;
    last = spent.begin + spent.ran;
  }
  add(following, TIMELINE_END_THREAD, thread->id, last, 0, 0);
  // It gives up its memory and its files as soon as it begins to end; its parent is told at last.
  if (thread->end_address != 0)
    add_signal(following, thread, first, thread_key(thread->end_address));
  if (thread->id == thread->process) {
    add_signal(following, thread, first, start_key(thread->id));
    add_signal(following, thread, first, end_key());
    add_signal(following, thread, last, child_key(thread->id));
    add_signal(following, thread, last, signal_key(thread->parent));
  }
  forget_thread(thread->id);
}

// MARK: Stops

static int stops_job(int number) {
  return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static void stop(struct following *following, struct thread *thread, int status, int64_t now) {
  int number = WSTOPSIG(status), event = status >> 16;
  switch (event) {
  case 0:
    if (number == (SIGTRAP | 0x80)) {
      stop_at_call(following, thread, now);
      number = 0;
    } else if (!thread->is_spawner) {
      add_plain_interval(following, thread, now);
    }
    break;
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_VFORK:
  case PTRACE_EVENT_CLONE:
    start(following, thread, event, now);
    number = 0;
    break;
  case PTRACE_EVENT_STOP:
    if (stops_job(number)) {
      // It stays stopped until another signal continues it.
      ptrace(PTRACE_LISTEN, thread->id, NULL, NULL);
      return;
    }
    // A new thread waits until it is known who started it.
    if (thread->process == 0) {
      thread->is_stopped = 1;
      return;
    }
    number = 0;
    break;
  default:
    number = 0;
    break;
  }
  resume(following, thread, number);
}

// The thread may have stopped long before the tracer is told.
static void add_held(struct following *following) {
  struct usage used;
  if (following->self != NULL && used_since(following->self, &used) == 0)
    following->held += (int64_t)used.queued;
}

static int is_end(const siginfo_t *event) {
  return event->si_code == CLD_EXITED || event->si_code == CLD_KILLED
      || event->si_code == CLD_DUMPED;
}

// What a thread used until its end can be read until it is waited for.
static void handle(struct following *following, const siginfo_t *event, int64_t now) {
  pid_t id = event->si_pid;
  int status;
  struct thread *thread = thread_of(id);
  if (thread != NULL && is_end(event)) end(following, thread, now);
  if (waitpid(id, &status, __WALL) != id || !WIFSTOPPED(status)) return;
  if (thread != NULL && status >> 16 == PTRACE_EVENT_EXEC) {
    thread = execute(following, id, now);
    if (thread != NULL) resume(following, thread, 0);
  } else if (thread != NULL) {
    stop(following, thread, status, now);
  } else {
    // Without memory it goes on without being followed.
    ptrace(PTRACE_DETACH, id, NULL, NULL);
    following->recorded.lost++;
  }
}

void follow(struct following *following) {
  following->self = thread_of(gettid());
  for (;;) {
    siginfo_t event;
    if (waitid(P_ALL, 0, &event, WEXITED | WSTOPPED | WNOWAIT | __WALL) != 0) return;
    int64_t now = monotonic();
    add_held(following);
    handle(following, &event, now);
    following->held += monotonic() - now;
  }
}
