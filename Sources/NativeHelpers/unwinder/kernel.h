// The functions of the kernel, from /proc/kallsyms.
#ifndef KERNEL_H
#define KERNEL_H

#include "answer.h"

struct kernel;

// Reads the names when they are first asked for.
struct kernel *kernel_open(struct answer *answer);

// The number of the text that names a function of the kernel; `[kernel]` when it may not be known.
// Sets `is_executing` when the function executes a program: the registers of user mode then are
// still those of the program before, whose memory is gone.
uint32_t kernel_function(struct kernel *kernel, uint64_t address, int *is_executing);

#endif
