#define _GNU_SOURCE
#include "profile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t count_records(const struct profile *profile, size_t start, size_t end) {
  size_t count = 0;
  for (size_t at = start; at < end; count++) {
    const struct perf_event_header *header = (const void *)(profile->bytes + at);
    if (header->size < sizeof *header || header->size % 8 != 0 || header->size > end - at) {
      return (size_t)-1;
    }
    at += header->size;
  }
  return count;
}

// Records that are too short for what they should be have no time, and come first.
static uint64_t time_of(const struct perf_event_header *header) {
  if (header->type == PERF_RECORD_SAMPLE) {
    return header->size >= sizeof(struct profile_sample)
      ? ((const struct profile_sample *)header)->time : 0;
  }
  if (header->size < sizeof *header + sizeof(struct profile_trailer)) {
    return 0;
  }
  const char *end = (const char *)header + header->size;
  return ((const struct profile_trailer *)end)[-1].time;
}

// Records of one CPU lie in the file as they were written, also those of one instant.
static int compare(const void *left, const void *right) {
  const struct record *a = left, *b = right;
  if (a->time != b->time) {
    return a->time < b->time ? -1 : 1;
  }
  return a->header < b->header ? -1 : a->header > b->header;
}

static const char *read_records(struct profile *profile) {
  if (profile->size < sizeof profile->header) {
    return "the profile is cut off";
  }
  profile->header = *(const struct profile_header *)profile->bytes;
  if (profile->header.magic != PROFILE_MAGIC) {
    return "it is no profile";
  }
  if (profile->header.stop_events > PROFILE_STOP_EVENTS_LIMIT) {
    return "the profile is damaged";
  }
  size_t start = sizeof profile->header + profile->header.stop_events * sizeof(uint64_t);
  if (profile->size < start || profile->header.bytes != profile->size - start) {
    return "the profile is cut off";
  }
  profile->stop_events = (const uint64_t *)(profile->bytes + sizeof profile->header);
  size_t count = count_records(profile, start, profile->size);
  if (count == (size_t)-1) {
    return "the profile is damaged";
  }
  profile->records = malloc((count + 1) * sizeof *profile->records);
  if (profile->records == NULL) {
    return "there is no memory for it";
  }
  size_t at = start;
  for (; profile->count < count; profile->count++) {
    const struct perf_event_header *header = (const void *)(profile->bytes + at);
    profile->records[profile->count] = (struct record){time_of(header), header};
    at += header->size;
  }
  qsort(profile->records, count, sizeof *profile->records, compare);
  return NULL;
}

const char *profile_open(struct profile *profile, const char *path) {
  *profile = (struct profile){0};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (file >= 0) {
      close(file);
    }
    return "it cannot be opened";
  }
  void *bytes = status.st_size > 0
    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (bytes == MAP_FAILED) {
    return status.st_size > 0 ? "it cannot be mapped" : "the profile is cut off";
  }
  profile->bytes = bytes;
  profile->size = (size_t)status.st_size;
  return read_records(profile);
}

void profile_close(struct profile *profile) {
  if (profile->bytes != NULL) {
    munmap((void *)profile->bytes, profile->size);
  }
  free(profile->records);
}

// MARK: - Samples

int profile_is_stop(const struct profile *profile, uint64_t event) {
  for (uint32_t index = 0; index < profile->header.stop_events; index++) {
    if (profile->stop_events[index] == event) {
      return 1;
    }
  }
  return 0;
}

// Takes words off the rest of a record; NULL when it has fewer.
static const uint64_t *take(const uint64_t **rest, size_t *left, uint64_t count) {
  if (count > *left) {
    return NULL;
  }
  const uint64_t *taken = *rest;
  *rest += count;
  *left -= (size_t)count;
  return taken;
}

// The numbers of words, each before those that it counts.
static int take_counted(
  const uint64_t **rest, size_t *left, const uint64_t **words, uint64_t *count) {
  const uint64_t *number = take(rest, left, 1);
  if (number == NULL) {
    return -1;
  }
  *count = *number;
  *words = take(rest, left, *count);
  return *words != NULL ? 0 : -1;
}

int profile_sample(
  const struct profile *profile, const struct perf_event_header *header, struct sample *sample) {
  *sample = (struct sample){0};
  if (header->size < sizeof(struct profile_sample)) {
    return -1;
  }
  const uint64_t *rest = (const uint64_t *)((const struct profile_sample *)header + 1);
  size_t left = (header->size - sizeof(struct profile_sample)) / 8;
  if (profile->header.kernel_chain) {
    uint64_t count = 0;
    if (take_counted(&rest, &left, &sample->kernel, &count) != 0) {
      return -1;
    }
    sample->kernel_count = (size_t)count;
  }
  const uint64_t *abi = take(&rest, &left, 1);
  if (abi == NULL) {
    return -1;
  }
  sample->abi = *abi;
  if (sample->abi != PERF_SAMPLE_REGS_ABI_NONE) {
    sample->registers = take(&rest, &left, PROFILE_REGISTER_COUNT);
    if (sample->registers == NULL) {
      return -1;
    }
  }
  const uint64_t *size = take(&rest, &left, 1);
  if (size == NULL) {
    return -1;
  }
  if (*size == 0) {
    return 0;
  }
  const uint64_t *stack = take(&rest, &left, *size / 8), *valid = take(&rest, &left, 1);
  if (stack == NULL || valid == NULL || *valid > *size) {
    return -1;
  }
  sample->stack = (const char *)stack;
  sample->stack_size = *valid;
  return 0;
}
