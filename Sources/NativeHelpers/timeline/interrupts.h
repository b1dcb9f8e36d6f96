// Tells by the stack of the kernel whether an interrupt woke a thread.
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stddef.h>
#include <stdint.h>

#include "trace_wire.h"

enum { INTERRUPT_FUNCTION_LIMIT = 256 };

// The functions through which interrupts enter the kernel, by address.
struct interrupts {
  struct {
    uint64_t begin, end;
  } functions[INTERRUPT_FUNCTION_LIMIT];
  size_t count;
};

// Reads /proc/kallsyms; finds none where the addresses are hidden.
void interrupts_find(struct interrupts *interrupts);

// Judges a stack of so many addresses.
enum timeline_waker interrupts_judge(
    const struct interrupts *interrupts, const unsigned long long *stack, uint64_t count);

#endif
