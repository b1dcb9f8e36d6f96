// Perf events of a launch; perf_event_open(2). They are opened in the child, for itself, and start
// to count at its execve: events opened in the spawner would count the first launch only.
#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t count_of(const struct launch *launch) {
  uint32_t count = launch->request->counter_count;
  return count < COUNTER_LIMIT ? count : COUNTER_LIMIT;
}

// Runs in the child.
void open_counters(struct launch *launch) {
  for (uint32_t index = 0; index < count_of(launch); index++) {
    const struct wire_counter *counter = &launch->request->counters[index];
    struct perf_event_attr attributes = {
        .type = counter->type,
        .size = sizeof attributes,
        .config = counter->config,
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
  launch->result.counters[index] =
      scale == 1 ? (int64_t)count.value : (int64_t)((double)count.value * scale);
}

void take_counters(struct launch *launch) {
  for (uint32_t index = 0; index < count_of(launch); index++)
    if (launch->counter_files[index] >= 0) take_counter(launch, index);
}

void close_counters(struct launch *launch) {
  for (uint32_t index = 0; index < count_of(launch); index++)
    if (launch->counter_files[index] >= 0) close(launch->counter_files[index]);
}
