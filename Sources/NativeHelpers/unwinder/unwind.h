// From the registers and the stack of a thread to the functions that it is in.
#ifndef UNWIND_H
#define UNWIND_H

#include "module.h"
#include "process.h"

// Registers by their DWARF numbers, and the instruction.
#if defined(__aarch64__)
enum { REGISTER_COUNT = 32, FRAME_POINTER = 29, STACK_POINTER = 31, RETURN_ADDRESS = 30 };
#else
enum { REGISTER_COUNT = 17, FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 };
#endif

struct thread_state {
  uint64_t registers[REGISTER_COUNT];
  uint64_t instruction;
  // The bytes of the stack from `stack_start` on that were copied.
  const char *stack;
  uint64_t stack_start;
  uint64_t stack_size;
  const struct process *process;
};

enum { FUNCTION_LIMIT = 1024 };

struct stack {
  uint32_t functions[FUNCTION_LIMIT];  // numbers, the innermost first
  size_t count;
  int is_cut;  // the outermost functions are missing
};

struct unwinder;

struct unwinder *unwinder_open(struct answer *answer, struct modules *modules);

// Reads the registers of a sample, in the order of PROFILE_REGISTERS.
void state_set_registers(struct thread_state *state, const uint64_t *values);

// Finds the functions. With `is_whole` 0 nothing but the innermost can be known.
void unwind(
  struct unwinder *unwinder, const struct thread_state *state, int is_whole, struct stack *stack);

#endif
