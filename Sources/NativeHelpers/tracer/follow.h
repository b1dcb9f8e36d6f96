// Follows the threads of a launch from stop to stop, and records what each did between them.
#ifndef FOLLOW_H
#define FOLLOW_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorded.h"

// What a stop costs the thread itself, in nanoseconds of processor time: going into one and on
// from one, in own code and in a call. That much is taken off all that is recorded.
struct stop_cost {
  uint64_t own_code, call;
};

struct following {
  struct recorded recorded;

  // Where the tracer is on the processor of the thread, and where on another one, which a stop wakes.
  struct stop_cost near, far;
  uint64_t plain;  // nanoseconds of a call that does nothing, without a tracer

  // Where the launch and the tracer run, and where the launch may; -1 until it executes its program.
  int processor;
  cpu_set_t allowed;
  int has_threads;

  // Long stops since the tracer went to the processor of a thread that is not kept.
  unsigned stops;

  // The tracer itself, and for how many nanoseconds it could not see to a thread that had stopped:
  // it saw to another one, or waited for a processor.
  struct thread *self;
  int64_t held;

  // Where the times between stops of one thread are kept, for the cost to be found; else NULL.
  struct measured_stops {
    uint64_t own_code[4096], call[4096];
    size_t own_codes, calls;
  } *measured;
};

// Begins to follow what a process starts next; 0, or an errno. Whoever calls this is the tracer, and
// all that is left is let go when that thread ends.
int follow_spawner(pid_t spawner);

// Begins to follow a child that has stopped, with all that it does.
int follow_child(pid_t child);

// Follows what happens until nothing is left that could; returns when a signal interrupts it, too.
void follow(struct following *following);

// Lets what is left of the launch run where it may.
void release(struct following *following);

// Has a thread run on one processor only; 0 is the caller. Gives 0, or -1 where that cannot be.
int keep_on(pid_t thread, int processor);

int64_t monotonic(void);

#endif
