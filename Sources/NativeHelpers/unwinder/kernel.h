// The functions of the kernel, from /proc/kallsyms.
#ifndef KERNEL_H
#define KERNEL_H

#include "answer.h"

struct kernel;

// Reads the names when they are first asked for.
struct kernel *kernel_open(struct answer *answer);

// The number of the text that names a function of the kernel; `[kernel]` when it may not be known.
uint32_t kernel_function(struct kernel *kernel, uint64_t address);

// Whether a function of the kernel executes a program. The registers of user mode then are still
// those of the program before, whose memory is gone.
int executes_program(const struct kernel *kernel, uint32_t function);

#endif
