// Records of perf_event_open(2) that every reader of its rings has; a trailer follows each.
#ifndef PERF_RECORDS_H
#define PERF_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct perf_mapping {
  struct perf_event_header header;
  int32_t pid;
  int32_t thread;
  uint64_t start;
  uint64_t length;
  uint64_t offset;
  uint32_t major;
  uint32_t minor;
  uint64_t inode;
  uint64_t inode_generation;
  uint32_t protection;
  uint32_t flags;
  // The path follows, and a NUL byte.
};

// A fork or an exit.
struct perf_task {
  struct perf_event_header header;
  int32_t pid;
  int32_t parent;
  int32_t thread;
  int32_t parent_thread;
};

#pragma GCC diagnostic pop

#endif
