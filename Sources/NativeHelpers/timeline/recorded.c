#include "recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

// What is kept of one launch at most.
static const size_t memory_limit = (size_t)1 << 30;

void recorded_clear(struct recorded *recorded) {
  recorded->length = recorded->count = recorded->lost = 0;
}

static int has_room(struct recorded *recorded, size_t size) {
  if (recorded->length + size <= recorded->capacity) return 1;
  size_t capacity = recorded->capacity != 0 ? recorded->capacity * 2 : (size_t)1 << 20;
  char *bytes = capacity <= memory_limit ? realloc(recorded->bytes, capacity) : NULL;
  if (bytes == NULL) return 0;
  recorded->bytes = bytes;
  recorded->capacity = capacity;
  return 1;
}

void recorded_add(
    struct recorded *recorded, const struct timeline_record *record, const void *text) {
  size_t padded = (record->length + 7U) & ~7U;
  if (!has_room(recorded, sizeof *record + padded)) {
    recorded->lost++;
    return;
  }
  char *place = recorded->bytes + recorded->length;
  memcpy(place, record, sizeof *record);
  if (record->length != 0) memcpy(place + sizeof *record, text, record->length);
  memset(place + sizeof *record + record->length, 0, padded - record->length);
  recorded->length += sizeof *record + padded;
  recorded->count++;
}

// MARK: The file

static void write_names(FILE *file) {
  for (uint32_t call = 0; call < call_count(); call++) {
    const char *name = call_name(call);
    if (name == NULL) continue;
    uint32_t head[2] = {call, (uint32_t)strlen(name)};
    fwrite(head, sizeof head, 1, file);
    fwrite(name, head[1], 1, file);
  }
}

static uint64_t name_count(void) {
  uint64_t count = 0;
  for (uint32_t call = 0; call < call_count(); call++) count += call_name(call) != NULL;
  return count;
}

int recorded_write(const struct recorded *recorded, const char *path) {
  FILE *file = fopen(path, "we");
  if (file == NULL) return -1;
  struct timeline_header header = {
      .magic = TIMELINE_MAGIC,
      .records = recorded->count,
      .lost = recorded->lost,
      .names = name_count(),
  };
  fwrite(&header, sizeof header, 1, file);
  fwrite(recorded->bytes, 1, recorded->length, file);
  write_names(file);
  int failed = ferror(file);
  int error = errno;
  if (fclose(file) == 0 && !failed) return 0;
  errno = failed ? error : errno;
  return -1;
}
