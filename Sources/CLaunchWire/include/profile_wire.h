// The file of a profile, which the helper `profiler` writes and the helper `unwinder` reads, and
// what the unwinder makes of such files for launchlab. `trace_wire.h` has the requests.
#ifndef PROFILE_WIRE_H
#define PROFILE_WIRE_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "perf_records.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

// MARK: The file of a profile.
//
// A struct profile_header, the ids of the events whose samples are of threads that stop to run, then
// records as perf_event_open(2) has them. They are whole, and those of one CPU come in order, but the
// CPUs are mixed. All other samples are of the timer. A sample is a
//   struct profile_sample; with kernel_chain a number of addresses, and the addresses as the kernel
//   gives them, markers included; the ABI of the registers, and unless it is 0 one value for each
//   bit of PROFILE_REGISTERS; the size of the stack, and unless it is 0 its bytes and how many of
//   them are valid.
// Every other record ends with a struct profile_trailer.

#define PROFILE_MAGIC 0x313052504c424c4cULL  // "LLBLPR01" in memory

#define PROFILE_SAMPLE_TYPE \
  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER \
   | PERF_SAMPLE_STACK_USER)

// The registers that unwinding may need, by the numbers of the kernel's asm/perf_regs.h.
#if defined(__aarch64__)
#define PROFILE_REGISTERS 0x1ffffffffULL  // x0 to x30, sp, pc
#define PROFILE_REGISTER_COUNT 33
#else
#define PROFILE_REGISTERS 0xff01ffULL  // ax bx cx dx si di bp sp ip, r8 to r15
#define PROFILE_REGISTER_COUNT 17
#endif

struct profile_header {
  uint64_t magic;
  uint64_t bytes;         // of all records, without the ids
  uint64_t period;        // nanoseconds of processor time between two samples of a thread
  uint64_t lost;          // records that there was no room for
  uint32_t kernel_chain;  // 1: samples have the call chain of the kernel; 0: none is taken there
  uint32_t stop_events;   // how many ids follow
};

#define PROFILE_STOP_EVENTS_LIMIT 8192U

struct profile_sample {
  struct perf_event_header header;
  uint64_t event;
  int32_t process;
  int32_t thread;
  uint64_t time;
};

struct profile_trailer {
  int32_t process;
  int32_t thread;
  uint64_t time;
  uint64_t event;
};

struct profile_name {
  struct perf_event_header header;
  int32_t process;
  int32_t thread;
  // The name follows, and a NUL byte.
};

// MARK: The answer of the unwinder.
//
// A struct stacks_header; the texts, each with a NUL byte at its end; the functions; the numbers of
// the texts that say which files could not be read; and for each profile a struct stacks_profile,
// its tasks, the numbers of the texts that are paths of mapped files, and its samples. A sample is a
// struct stacks_sample, the numbers of the texts that are functions of the kernel, and the numbers
// of functions, both the outermost first. Texts and series of numbers are padded with zeros to a
// multiple of 8 bytes, those of a sample together.
//
// Texts count from 0, and the first is empty.

#define STACKS_MAGIC 0x31304b54534c424cULL  // "LBLSTK01" in memory

struct stacks_header {
  uint64_t magic;
  uint64_t bytes;       // of all, this header included
  uint64_t text_bytes;  // with the padding
  uint32_t texts;
  uint32_t functions;
  uint32_t profiles;
  uint32_t notes;
};

struct stacks_function {
  uint32_t file;
  uint32_t name;
};

struct stacks_profile {
  uint64_t period;
  uint64_t lost;
  uint32_t problem;  // the number of a text that says why it could not be read; 0 if it was
  uint32_t flags;
  uint32_t samples;
  uint32_t tasks;
  uint32_t files;
  uint32_t cut;  // samples without their outermost functions
};

#define STACKS_WITHOUT_KERNEL 1U  // nothing was sampled in the kernel

struct stacks_sample {
  uint64_t time;
  uint64_t waited;  // with STACKS_WAIT, for how many nanoseconds it did not run
  int32_t process;
  int32_t thread;
  uint32_t flags;
  uint32_t kernel;
  uint32_t user;
  uint32_t reserved;
};

#define STACKS_CUT 1U   // the outermost functions are missing
#define STACKS_WAIT 2U  // the thread stopped running there, to wait

enum stacks_task_kind { STACKS_STARTED, STACKS_EXECUTED };

struct stacks_task {
  uint64_t time;
  int32_t process;
  int32_t thread;
  int32_t parent;         // the process of who started it
  int32_t parent_thread;
  uint32_t kind;  // one of stacks_task_kind
  uint32_t name;  // the number of the text
};

#pragma GCC diagnostic pop

#endif
