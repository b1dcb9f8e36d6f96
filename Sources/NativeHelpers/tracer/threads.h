// The threads that are traced, and how each spent the time since it was last let go.
#ifndef THREADS_H
#define THREADS_H

#include <stdint.h>
#include <sys/types.h>

#include "shared.h"

// What the scheduler counts of a thread.
struct usage {
  uint64_t ran;     // nanoseconds on a processor
  uint64_t queued;  // nanoseconds in which it could have run
  uint64_t turns;   // how often it was given a processor
};

enum thread_phase { IN_OWN_CODE, IN_CALL };

struct thread {
  struct thread *next;
  pid_t id;
  pid_t process;  // 0 until it is known who started it
  pid_t parent;   // the process that started its process
  int is_spawner;
  int is_stopped;  // before its first instant
  int is_free;     // it, or who started it, has said where it runs

  int statistics;  // /proc/ID/schedstat, or -1
  struct usage before;
  int64_t resumed;  // when it was let go; 0 before it ever was
  int64_t held;     // what the tracer had held up others until then

  enum thread_phase phase;
  uint32_t call;
  uint64_t arguments[6];
  uint64_t end_address;  // where the kernel wakes who waits for its end
  pid_t started;  // what its clone has started and waits for; 0 when it does not
  char path[TEXT_LIMIT];  // that of its call
};

// Gives a thread, which is made where there is none; NULL where there is no memory.
struct thread *thread_of(pid_t id);

// Gives a thread that is known; else NULL.
struct thread *known_thread(pid_t id);

// Forgets a thread, or all.
void forget_thread(pid_t id);
void forget_threads(void);

// Calls something with every thread.
void each_thread(void (*call)(struct thread *thread, void *context), void *context);

// The thread goes on under the id of the first one of its process, which is gone.
struct thread *take_over(pid_t former, pid_t id);

// Reads what a stopped thread used since the last time; -1 where the kernel does not say.
int used_since(struct thread *thread, struct usage *usage);

#endif
