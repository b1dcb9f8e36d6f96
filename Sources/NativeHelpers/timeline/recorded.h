// The records of one launch, in memory as in the file of a timeline.
#ifndef RECORDED_H
#define RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "trace_wire.h"

struct recorded {
  char *bytes;
  size_t length;
  size_t capacity;
  uint64_t count;
  uint64_t lost;
};

// Forgets all records, and keeps the memory.
void recorded_clear(struct recorded *recorded);

// Adds a record with its text, or counts it as lost where there is no memory.
void recorded_add(
    struct recorded *recorded, const struct timeline_record *record, const void *text);

// Writes the file; -1 with errno set.
int recorded_write(const struct recorded *recorded, const char *path);

#endif
