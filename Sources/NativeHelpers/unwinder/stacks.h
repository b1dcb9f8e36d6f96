// What the records of a profile say: who started and executed what, and where threads were.
#ifndef STACKS_H
#define STACKS_H

#include "kernel.h"
#include "unwind.h"

struct reader {
  struct answer *answer;
  struct kernel *kernel;
  struct modules *modules;
  struct unwinder *unwinder;
};

// Adds a profile to the answer, be it only why it cannot be read.
void add_stacks(struct reader *reader, const char *path);

#endif
