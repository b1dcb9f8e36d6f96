// Which pages a launch had to wait for: its major faults, and the mappings that tell their files. With
// tracepoints also which pages came into the page cache, and how long threads were blocked on them.
//
// Each CPU has an event and a ring of its own, because the events of a process that its children
// inherit can have no ring. What the kernel writes is sent as it is, and read by the controller.
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// One ring holds about 2,000 mappings or 6,000 faults, and stays within what the kernel lets a
// user lock for each CPU; perf_event_mlock_kb of the kernel's admin-guide/sysctl/kernel.rst. With
// tracepoints, which take more rights, there is room for 100,000 pages on each CPU, as long as all
// rings together stay within 128 MiB.
enum { PAGES = 64, MOST_PAGES = 2048, ALL_PAGES = 32768 };

// A record of a mapping, with the longest path.
enum { LONGEST_RECORD = 4096 + 128 };

static struct {
  int file;
  int tracepoints[TRACEPOINT_LIMIT];  // -1 for none
  uint8_t *pages;
  uint32_t taken;
} rings[FAULT_RING_LIMIT];
static int ring_count;
static int cpu_count;
static size_t page_size;
static size_t ring_size;  // bytes

void prepare_faults(const struct launch *launch) {
  page_size = (size_t)sysconf(_SC_PAGESIZE);
  cpu_count = (int)sysconf(_SC_NPROCESSORS_CONF);
  size_t pages = PAGES;
  if (launch->request->tracepoints[0])
    for (pages = MOST_PAGES; pages > PAGES && pages * (size_t)cpu_count > ALL_PAGES;) pages /= 2;
  ring_size = pages * page_size;
}

static int open_event(struct perf_event_attr *attributes, int cpu) {
  return (int)syscall(SYS_perf_event_open, attributes, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct perf_event_attr *attributes, int cpu) {
  int file = open_event(attributes, cpu);
  if (file < 0) return errno;
  void *pages =
      mmap(NULL, ring_size + page_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pages == MAP_FAILED) {
    int code = errno;
    close(file);
    return code;
  }
  rings[ring_count].file = file;
  for (int index = 0; index < TRACEPOINT_LIMIT; index++) rings[ring_count].tracepoints[index] = -1;
  rings[ring_count].pages = pages;
  rings[ring_count++].taken = 0;
  return 0;
}

// The tracepoints write to the ring that was opened last.
static int open_tracepoints(const struct perf_event_attr *ring, const uint32_t *numbers, int cpu) {
  struct perf_event_attr attributes = *ring;
  attributes.type = PERF_TYPE_TRACEPOINT;
  attributes.mmap = attributes.mmap2 = attributes.mmap_data = 0;
  attributes.comm = attributes.comm_exec = attributes.task = attributes.context_switch = 0;
  for (int index = 0; index < TRACEPOINT_LIMIT; index++) {
    if (!numbers[index]) continue;
    attributes.config = numbers[index];
    int file = open_event(&attributes, cpu);
    if (file < 0) return errno;
    rings[ring_count - 1].tracepoints[index] = file;
    // Of the switches only those of threads that wait without taking signals: TASK_UNINTERRUPTIBLE.
    int is_switch = index == TRACEPOINT_LIMIT - 1;
    if (is_switch && ioctl(file, PERF_EVENT_IOC_SET_FILTER, "prev_state & 2") != 0) return errno;
    if (ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, rings[ring_count - 1].file) != 0) return errno;
  }
  return 0;
}

// Runs in the child, for itself and what it starts; the rings are in the memory that it shares
// with the spawner. The events count from now on, since execve reads the program before it would
// enable them; the controller leaves out what came before.
void open_faults(struct launch *launch) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
      .sample_period = 1,
      .sample_type =
          PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW,
      .inherit = 1,
      .mmap = 1,
      .mmap2 = 1,
      .mmap_data = 1,
      .comm = 1,
      .comm_exec = 1,
      .task = 1,
      .sample_id_all = 1,
      .exclude_hv = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
  const uint32_t *tracepoints = launch->request->tracepoints;
  attributes.context_switch = tracepoints[0] != 0;
  if (cpu_count > FAULT_RING_LIMIT) launch->result.faults.flags |= FAULTS_LOST;
  for (int cpu = 0; cpu < cpu_count && cpu < FAULT_RING_LIMIT; cpu++) {
    int code = open_ring(&attributes, cpu);
    if ((code == EACCES || code == EPERM) && !attributes.exclude_kernel) {
      attributes.exclude_kernel = 1;
      launch->result.faults.flags |= FAULTS_IN_USER_MODE;
      code = open_ring(&attributes, cpu);
    }
    if (code == 0 && tracepoints[0] && !launch->result.faults.tracepoint_error)
      launch->result.faults.tracepoint_error = open_tracepoints(&attributes, tracepoints, cpu);
    // A CPU may be off.
    if (code == 0 || code == ENODEV) continue;
    launch->result.faults.error = code;
    return;
  }
}

// At the ready instant: what comes later is not of the launch.
//
// The kernel tells of lost records once there is room again, which is never; so a ring that could
// not take every further record counts as one that lost some.
void take_faults(struct launch *launch) {
  for (int index = 0; index < ring_count; index++) {
    const struct perf_event_mmap_page *control = (const void *)rings[index].pages;
    uint64_t end = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
    rings[index].taken = (uint32_t)end;
    if (end + LONGEST_RECORD > ring_size) launch->result.faults.flags |= FAULTS_LOST;
    launch->result.faults.bytes += (uint32_t)end;
  }
}

// Nothing is ever taken out of a ring, so that it begins at its start and does not wrap. Returns
// the number of pieces.
int fault_pieces(struct iovec *pieces) {
  for (int index = 0; index < ring_count; index++)
    pieces[index] = (struct iovec){rings[index].pages + page_size, rings[index].taken};
  return ring_count;
}

void close_faults(void) {
  while (ring_count > 0) {
    ring_count--;
    munmap(rings[ring_count].pages, ring_size + page_size);
    for (int index = 0; index < TRACEPOINT_LIMIT; index++)
      if (rings[ring_count].tracepoints[index] >= 0) close(rings[ring_count].tracepoints[index]);
    close(rings[ring_count].file);
  }
}
