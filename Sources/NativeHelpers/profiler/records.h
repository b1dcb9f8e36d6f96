// The records of one launch, in memory until they are written to a file.
#ifndef RECORDS_H
#define RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct records {
  char *bytes;
  size_t used;
  size_t capacity;
  uint64_t count;
  uint64_t lost;  // records that there was no room for
};

// Where as many bytes can be added, or NULL; what is there before may move.
char *room_for_records(struct records *records, size_t length);

void free_records(struct records *records);

#endif
