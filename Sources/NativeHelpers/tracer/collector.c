// The collector of timelines by ptrace(2), for users who may load no programs into the kernel.
//
// A thread of its own is the tracer of one launch. All that it traces goes on by itself when that
// thread or this process ends, in whatever way: nothing is killed, and nothing stays stopped.
#define _GNU_SOURCE
#include "timeline.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "follow.h"
#include "threads.h"
#include "waits.h"

struct collector {
  struct following following;
  pid_t spawner;

  pthread_t tracer;
  pid_t tracer_id;
  sem_t begun, ended;
  int error;  // why the spawner cannot be traced
  volatile sig_atomic_t is_over;
  uint64_t used;  // nanoseconds of processor time of the tracer
};

// MARK: What a stop costs

enum { COST_CALLS = 1000, FAR_COST_CALLS = 200 };

static int compare(const void *one, const void *other) {
  uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return a < b ? -1 : a > b;
}

static uint64_t median(uint64_t *times, size_t count) {
  qsort(times, count, sizeof *times, compare);
  return count != 0 ? times[count / 2] : 0;
}

// Nanoseconds of a call that nobody traces, at least.
static uint64_t call_time(void) {
  int64_t least = INT64_MAX;
  for (int call = 0; call < COST_CALLS; call++) {
    int64_t start = monotonic();
    syscall(SYS_getppid);
    int64_t time = monotonic() - start;
    if (time < least) least = time;
  }
  return (uint64_t)least;
}

// Traces a child on a processor that does nothing but calls; 0, or an errno.
static int trace_calls(struct following *following, int processor, int calls) {
  int ready[2];
  if (pipe(ready) != 0) return errno;
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(ready[1]);
    keep_on(0, processor);
    if (read(ready[0], &byte, 1) < 0) _exit(1);
    for (int call = 0; call < calls; call++) syscall(SYS_getppid);
    _exit(0);
  }
  close(ready[0]);
  int error = child < 0 ? errno : follow_child(child);
  if (error == 0) ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
  close(ready[1]);
  if (error == 0)
    follow(following);
  else if (child > 0)
    waitpid(child, NULL, 0);
  recorded_clear(&following->recorded);
  forget_threads();
  return error;
}

static int measure_cost(
    struct following *following, int processor, int calls, struct stop_cost *cost) {
  struct measured_stops *measured = following->measured = calloc(1, sizeof *measured);
  if (measured == NULL) return ENOMEM;
  int error = trace_calls(following, processor, calls);
  uint64_t call = median(measured->call, measured->calls), plain = following->plain;
  cost->own_code = median(measured->own_code, measured->own_codes);
  cost->call = call > plain ? call - plain : 0;
  following->measured = NULL;
  free(measured);
  return error;
}

static int measure_costs(struct following *following) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno;
  following->plain = call_time();
  int own = sched_getcpu(), other = 0;
  while (other < CPU_SETSIZE && (other == own || !CPU_ISSET(other, &allowed))) other++;
  keep_on(0, own);
  int error = measure_cost(following, own, COST_CALLS, &following->near);
  following->far = following->near;
  if (error == 0 && other < CPU_SETSIZE)
    error = measure_cost(following, other, FAR_COST_CALLS, &following->far);
  sched_setaffinity(0, sizeof allowed, &allowed);
  return error;
}

// MARK: The tracer

// Only has a call return that waits.
static void interrupt(int number) { (void)number; }

struct collector *collector_load(void) {
  struct collector *collector = calloc(1, sizeof *collector);
  if (collector == NULL) return NULL;
  collector->following.processor = -1;
  waits_prepare();
  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGUSR1, &action, NULL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  // Whoever starts helpers may have blocked it.
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
  sem_init(&collector->begun, 0, 0);
  sem_init(&collector->ended, 0, 0);
  int error = measure_costs(&collector->following);
  if (error == 0) return collector;
  free(collector);
  errno = error;
  return NULL;
}

static uint64_t processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

static void *trace(void *argument) {
  struct collector *collector = argument;
  collector->tracer_id = gettid();
  collector->error = follow_spawner(collector->spawner);
  sem_post(&collector->begun);
  // An end that is asked for interrupts it.
  while (collector->error == 0 && !collector->is_over) {
    follow(&collector->following);
    // Without the spawner there is nothing to follow until the end is asked for.
    if (errno == ECHILD && !collector->is_over) pause();
  }
  release(&collector->following);
  collector->used = processor_time();
  sem_post(&collector->ended);
  return NULL;
}

// A thread can be joined before the kernel has let go of what it traces, which nobody else may trace until
// then.
static void await_end(struct collector *collector) {
  pthread_join(collector->tracer, NULL);
  while (syscall(SYS_tgkill, getpid(), collector->tracer_id, 0) == 0) sched_yield();
}

int collector_begin(struct collector *collector, int32_t spawner) {
  recorded_clear(&collector->following.recorded);
  collector->following.processor = -1;
  collector->following.has_threads = 0;
  collector->spawner = spawner;
  collector->is_over = 0;
  errno = pthread_create(&collector->tracer, NULL, trace, collector);
  if (errno != 0) return -1;
  while (sem_wait(&collector->begun) != 0) continue;
  if (collector->error == 0) return 0;
  await_end(collector);
  while (sem_wait(&collector->ended) != 0) continue;
  forget_threads();
  errno = collector->error;
  return -1;
}

void collector_drain(struct collector *collector) { (void)collector; }

// A signal may come just before the tracer waits, and so is sent until it has ended.
void collector_end(struct collector *collector, struct trace_answer *answer) {
  struct timespec until;
  collector->is_over = 1;
  do {
    pthread_kill(collector->tracer, SIGUSR1);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) until = (struct timespec){until.tv_sec + 1, 0};
  } while (sem_timedwait(&collector->ended, &until) != 0);
  await_end(collector);
  forget_threads();
  waits_forget();
  answer->events = collector->following.recorded.count;
  answer->lost = collector->following.recorded.lost;
  answer->used = collector->used;
}

int collector_write(struct collector *collector, const char *path) {
  return recorded_write(&collector->following.recorded, path);
}
