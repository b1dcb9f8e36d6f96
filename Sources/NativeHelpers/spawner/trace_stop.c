// When the kernel stopped the target after its execve and let it go on; perf_event_open(2). The
// spawner itself sees that later, by as much as it takes to wake up.
#define _GNU_SOURCE
#include "trace_stop.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The stop is among the first records; that there is no room for later ones does not matter.
enum { PAGES = 2 };

static int event = -1;
static uint8_t *ring;
static size_t page_size;

struct record {
  struct perf_event_header header;
  uint32_t pid, thread;
  uint64_t time;
};

// Runs in the child, for itself; the ring is in the memory that it shares with the spawner.
void open_stop(void) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_SW_DUMMY,
      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
      .context_switch = 1,
      .sample_id_all = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0) return;
  void *mapped =
      mmap(NULL, (PAGES + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (mapped != MAP_FAILED) ring = mapped;
}

// The target lost its processor when it stopped, and had none when the spawner saw it.
void take_stop(struct wire_trace *trace) {
  if (!ring || !trace->stopped) return;
  const struct perf_event_mmap_page *control = (const void *)ring;
  uint64_t end = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
  int64_t left = 0;
  for (uint64_t at = 0; at + sizeof(struct record) <= end;) {
    const struct record *record = (const void *)(ring + page_size + at);
    if (record->header.size < sizeof record->header) return;
    at += record->header.size;
    if (record->header.type != PERF_RECORD_SWITCH) continue;
    int is_left = record->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
    int64_t time = (int64_t)record->time;
    if (time <= trace->stopped) {
      left = is_left ? time : 0;
      continue;
    }
    if (!left || is_left || time < trace->resumed) return;
    trace->stopped = left;
    trace->resumed = time;
    return;
  }
}

void close_stop(void) {
  if (ring) munmap(ring, (PAGES + 1) * page_size);
  ring = NULL;
  if (event >= 0) close(event);
  event = -1;
}
