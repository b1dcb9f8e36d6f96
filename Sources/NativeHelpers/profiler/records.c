#include "records.h"

#include <stdlib.h>

// What the records of one launch may take: 10 s of one processor with stacks of 8 KiB.
static const size_t record_limit = (size_t)512 << 20;

static int make_room(struct records *records, size_t length) {
  size_t needed = records->used + length, capacity = records->capacity;
  if (needed <= capacity) return 0;
  if (needed > record_limit) return -1;
  if (capacity == 0) capacity = 1 << 20;
  while (capacity < needed) capacity *= 2;
  char *larger = realloc(records->bytes, capacity);
  if (larger == NULL) return -1;
  records->bytes = larger;
  records->capacity = capacity;
  return 0;
}

char *room_for_records(struct records *records, size_t length) {
  return make_room(records, length) == 0 ? records->bytes + records->used : NULL;
}

void free_records(struct records *records) {
  free(records->bytes);
  *records = (struct records){0};
}
