// Breakpoints of perf events; perf_event_open(2). The kernel takes the time of each hit, and the
// target goes on without the spawner.
//
// One more event tells of programs that are executed. All write into its ring, in order, so that
// what comes after the target has executed another program can be left out.
#define _GNU_SOURCE
#include "trace_events.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 8 };

// The event of executed programs, and those of the places.
static int executions = -1;
static int places[PLACE_LIMIT] = {-1, -1, -1, -1};

static uint8_t *ring;
static size_t page_size;

struct sample {
  struct perf_event_header header;
  uint64_t address;
  uint32_t pid, thread;
  uint64_t time;
};

static struct perf_event_attr attributes_of(uint32_t type, uint64_t config) {
  return (struct perf_event_attr){
      .type = type,
      .size = sizeof(struct perf_event_attr),
      .config = config,
      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
}

static int open_event(struct perf_event_attr *attributes, pid_t pid) {
  return (int)syscall(SYS_perf_event_open, attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// Runs in the child, for itself; the ring is in the memory that it shares with the spawner.
void open_trace_events(struct launch *launch) {
  struct perf_event_attr attributes =
      attributes_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
  attributes.comm = 1;
  attributes.comm_exec = 1;
  attributes.sample_id_all = 1;
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  executions = open_event(&attributes, 0);
  if (executions >= 0) {
    void *mapped = mmap(NULL, (PAGES + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                        executions, 0);
    if (mapped != MAP_FAILED) ring = mapped;
  }
  if (!ring) launch->result.trace.event_error = errno;
}

// Sets a breakpoint of the stopped target; returns 0 or the errno.
int add_trace_event(struct launch *launch, int place, uint64_t address) {
  struct perf_event_attr attributes = attributes_of(PERF_TYPE_BREAKPOINT, 0);
  attributes.sample_period = 1;
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = address;
  attributes.bp_len = sizeof(long);
  int file = open_event(&attributes, launch->pid);
  if (file < 0) return errno;
  places[place] = file;
  return ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, executions) == 0 ? 0 : errno;
}

// The loader reaches its place again for each library that the program loads later.
void add_hit(int64_t *hits, int64_t now) {
  int hit = 0;
  while (hit < HIT_LIMIT && hits[hit]) hit++;
  if (hit < HIT_LIMIT) hits[hit] = now;
}

static void take_sample(struct wire_trace *trace, const struct sample *sample,
                        const uint64_t *addresses) {
  for (int place = 0; place < PLACE_LIMIT; place++) {
    if (places[place] < 0 || addresses[place] != sample->address) continue;
    add_hit(trace->hits[place], (int64_t)sample->time);
  }
}

// Nothing is ever taken out of the ring, so that it begins at its start and does not wrap. Once it
// is full the kernel cannot even tell that records are lost.
void take_trace_events(struct launch *launch, const uint64_t *addresses) {
  struct wire_trace *trace = &launch->result.trace;
  const struct perf_event_mmap_page *control = (const void *)ring;
  uint64_t end = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
  int programs = 0;
  if (end + 2 * sizeof(struct sample) > PAGES * page_size) trace->flags |= TRACE_LOST;
  for (uint64_t at = 0; at + sizeof(struct perf_event_header) <= end;) {
    const struct sample *record = (const void *)(ring + page_size + at);
    if (record->header.size < sizeof record->header || record->header.size > end - at) return;
    at += record->header.size;
    if (record->header.type == PERF_RECORD_LOST) trace->flags |= TRACE_LOST;
    if (record->header.type == PERF_RECORD_SAMPLE) take_sample(trace, record, addresses);
    if (record->header.type != PERF_RECORD_COMM) continue;
    if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) programs++;
    if (programs < 2) continue;
    trace->flags |= TRACE_EXECUTED_AGAIN;
    return;
  }
}

static void close_file(int *file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

void close_trace_events(void) {
  if (ring) munmap(ring, (PAGES + 1) * page_size);
  ring = NULL;
  for (int place = 0; place < PLACE_LIMIT; place++) close_file(&places[place]);
  close_file(&executions);
}
