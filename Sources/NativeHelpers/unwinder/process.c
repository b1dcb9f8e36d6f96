#include "process.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct process {
  struct process *next;
  int32_t number;
  struct bytes mappings;  // of struct mapping, in order, without overlaps
};

struct processes {
  struct process *buckets[BUCKETS];
};

struct processes *processes_open(void) {
  return calloc(1, sizeof(struct processes));
}

void processes_close(struct processes *processes) {
  for (size_t index = 0; processes != NULL && index < BUCKETS; index++) {
    for (struct process *process = processes->buckets[index]; process != NULL;) {
      struct process *next = process->next;
      free(process->mappings.start);
      free(process);
      process = next;
    }
  }
  free(processes);
}

struct process *process_find(struct processes *processes, int32_t number) {
  struct process **bucket = &processes->buckets[(uint32_t)number % BUCKETS];
  for (struct process *process = *bucket; process != NULL; process = process->next) {
    if (process->number == number) {
      return process;
    }
  }
  struct process *process = calloc(1, sizeof *process);
  if (process == NULL) {
    _Exit(3);
  }
  process->number = number;
  process->next = *bucket;
  *bucket = process;
  return process;
}

static const struct mapping *mappings_of(const struct process *process, size_t *count) {
  *count = process->mappings.used / sizeof(struct mapping);
  return (const struct mapping *)process->mappings.start;
}

void process_map(struct process *process, const struct mapping *mapping) {
  size_t count;
  const struct mapping *old = mappings_of(process, &count);
  struct bytes changed = {0};
  size_t index = 0;
  for (; index < count && old[index].start < mapping->start; index++) {
    struct mapping before = old[index];
    if (before.end > mapping->start) {
      before.end = mapping->start;
    }
    add_bytes(&changed, &before, sizeof before);
  }
  // What lay around the new one goes on behind it.
  struct mapping rest = index > 0 ? old[index - 1] : (struct mapping){0};
  add_bytes(&changed, mapping, sizeof *mapping);
  if (rest.end > mapping->end) {
    rest.start = mapping->end;
    add_bytes(&changed, &rest, sizeof rest);
  }
  for (; index < count; index++) {
    struct mapping after = old[index];
    if (after.end <= mapping->end) {
      continue;
    }
    if (after.start < mapping->end) {
      after.start = mapping->end;
    }
    add_bytes(&changed, &after, sizeof after);
  }
  free(process->mappings.start);
  process->mappings = changed;
}

void process_forget(struct process *process) {
  process->mappings.used = 0;
}

void process_inherit(struct process *process, const struct process *parent) {
  if (process != parent) {
    process_forget(process);
    add_bytes(&process->mappings, parent->mappings.start, parent->mappings.used);
  }
}

const struct mapping *process_mapping(const struct process *process, uint64_t address) {
  size_t count;
  const struct mapping *mappings = mappings_of(process, &count);
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (mappings[middle].start <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && address < mappings[low - 1].end ? &mappings[low - 1] : NULL;
}
