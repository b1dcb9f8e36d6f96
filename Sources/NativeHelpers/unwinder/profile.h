// The file of one profile, which may be cut off or damaged.
#ifndef PROFILE_H
#define PROFILE_H

#include "profile_wire.h"

#include <stddef.h>

struct record {
  uint64_t time;
  const struct perf_event_header *header;
};

struct profile {
  struct profile_header header;
  const uint64_t *stop_events;
  const char *bytes;
  size_t size;
  struct record *records;  // in order of time
  size_t count;
};

// Returns NULL, or a sentence that says why the file cannot be read.
const char *profile_open(struct profile *profile, const char *path);

void profile_close(struct profile *profile);

// Whether a sample is of a thread that stopped running, and not of the timer.
int profile_is_stop(const struct profile *profile, uint64_t event);

// The parts of a sample.
struct sample {
  const uint64_t *kernel;  // addresses, the innermost first, with markers among them
  size_t kernel_count;
  uint64_t abi;  // of the registers; 0 when there are none
  const uint64_t *registers;
  const char *stack;
  uint64_t stack_size;
};

// Returns -1 when the record is not whole.
int profile_sample(
  const struct profile *profile, const struct perf_event_header *header, struct sample *sample);

#endif
