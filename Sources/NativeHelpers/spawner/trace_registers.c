// Breakpoints in the debug registers of a traced process; ptrace(2). They take no right beyond
// being its tracer, and neither its threads nor its children inherit them.
#define _GNU_SOURCE
#include "trace_registers.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#ifndef TRAP_HWBKPT
#define TRAP_HWBKPT 4
#endif

#if defined(__x86_64__)

static int write_register(pid_t pid, int number, uint64_t value) {
  size_t offset = offsetof(struct user, u_debugreg) + (size_t)number * sizeof(long);
  return ptrace(PTRACE_POKEUSER, pid, (void *)offset, (void *)value) == 0 ? 0 : errno;
}

// Register 7 enables register i by its bit 2i; the other bits of 0 mean execution.
static int write_addresses(pid_t pid, const uint64_t *addresses, int32_t *errors) {
  uint64_t enabled = 0;
  for (int place = 0; place < PLACE_LIMIT; place++) {
    if (!addresses[place]) continue;
    errors[place] = write_register(pid, place, addresses[place]);
    if (!errors[place]) enabled |= 1ULL << (2 * place);
  }
  int code = enabled ? write_register(pid, 7, enabled) : 0;
  for (int place = 0; code && place < PLACE_LIMIT; place++)
    if (addresses[place]) errors[place] = code;
  return enabled && !code;
}

void clear_breakpoints(pid_t pid) { write_register(pid, 7, 0); }

// The kernel itself lets the target pass an instruction that it has stopped at.
static uint64_t program_counter(pid_t pid) {
  return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user, regs.rip), NULL);
}

#elif defined(__aarch64__)

#include <asm/ptrace.h>

static struct user_hwdebug_state breakpoints;

static int write_breakpoints(pid_t pid) {
  struct iovec set = {&breakpoints, offsetof(struct user_hwdebug_state, dbg_regs) +
                                        PLACE_LIMIT * sizeof *breakpoints.dbg_regs};
  return ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_HW_BREAK, &set) == 0 ? 0 : errno;
}

// A control register: four bytes, in user mode, enabled.
enum { CONTROL_BITS = 0xf << 5 | 2 << 1 | 1 };

static int write_addresses(pid_t pid, const uint64_t *addresses, int32_t *errors) {
  breakpoints = (struct user_hwdebug_state){0};
  int count = 0;
  for (int place = 0; place < PLACE_LIMIT; place++) {
    if (!addresses[place]) continue;
    breakpoints.dbg_regs[place].addr = addresses[place];
    breakpoints.dbg_regs[place].ctrl = CONTROL_BITS;
    count++;
  }
  int code = write_breakpoints(pid);
  for (int place = 0; place < PLACE_LIMIT; place++)
    if (addresses[place]) errors[place] = code;
  return count && !code;
}

void clear_breakpoints(pid_t pid) {
  for (int place = 0; place < PLACE_LIMIT; place++) breakpoints.dbg_regs[place].ctrl = 0;
  write_breakpoints(pid);
}

// The target would stop at the same instruction again; so each place is hit once only.
static uint64_t program_counter(pid_t pid) {
  struct user_regs_struct registers;
  struct iovec set = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &set) != 0) return 0;
  for (int place = 0; place < PLACE_LIMIT; place++)
    if (breakpoints.dbg_regs[place].addr == registers.pc) breakpoints.dbg_regs[place].ctrl = 0;
  write_breakpoints(pid);
  return registers.pc;
}

#else

static int write_addresses(pid_t pid, const uint64_t *addresses, int32_t *errors) {
  (void)pid;
  for (int place = 0; place < PLACE_LIMIT; place++)
    if (addresses[place]) errors[place] = EOPNOTSUPP;
  return 0;
}

void clear_breakpoints(pid_t pid) { (void)pid; }

static uint64_t program_counter(pid_t pid) {
  (void)pid;
  return 0;
}

#endif

// Sets a breakpoint at each address that is not 0; true when at least one was set.
int set_breakpoints(pid_t pid, const uint64_t *addresses, int32_t *errors) {
  return write_addresses(pid, addresses, errors);
}

// The address of the breakpoint that has stopped the target; 0 for any other reason to stop.
uint64_t breakpoint_hit(pid_t pid) {
  siginfo_t reason;
  if (ptrace(PTRACE_GETSIGINFO, pid, NULL, &reason) != 0) return 0;
  if (reason.si_signo != SIGTRAP || reason.si_code != TRAP_HWBKPT) return 0;
  return program_counter(pid);
}
