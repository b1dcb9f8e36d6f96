// Perf events of a launch; perf_event_open(2). They are opened in the child, for itself, and start
// to count at its execve: events opened in the spawner would count the first launch only.
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

struct event {
  uint32_t type;
  uint64_t config;
};

// The order is that of CounterEvent.inSpawnerOrder.
static const struct event events[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
};

enum { EVENT_COUNT = sizeof events / sizeof *events };

static int is_asked(const struct launch *launch, int index) {
  return launch->request->counters >> index & 1;
}

// Runs in the child.
void open_counters(struct launch *launch) {
  for (int index = 0; index < EVENT_COUNT; index++) {
    if (!is_asked(launch, index)) continue;
    struct perf_event_attr attributes = {
        .type = events[index].type,
        .size = sizeof attributes,
        .config = events[index].config,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    launch->counter_files[index] = (int)file;
    if (file < 0) launch->result.counter_errors[index] = errno;
  }
}

// An event that shared its hardware with others is scaled to the whole time.
static void take_counter(struct launch *launch, int index) {
  struct {
    uint64_t value, enabled, running;
  } count;
  if (read(launch->counter_files[index], &count, sizeof count) != sizeof count) {
    launch->result.counter_errors[index] = errno ? errno : EIO;
    return;
  }
  if (count.enabled > 0 && count.running == 0) {
    launch->result.counter_errors[index] = EBUSY;
    return;
  }
  double scale = count.running ? (double)count.enabled / (double)count.running : 1;
  launch->result.counter_values[index] =
      scale == 1 ? (int64_t)count.value : (int64_t)((double)count.value * scale);
}

void take_counters(struct launch *launch) {
  for (int index = 0; index < EVENT_COUNT; index++)
    if (launch->counter_files[index] >= 0) take_counter(launch, index);
}

void close_counters(struct launch *launch) {
  for (int index = 0; index < EVENT_COUNT; index++)
    if (launch->counter_files[index] >= 0) close(launch->counter_files[index]);
}
