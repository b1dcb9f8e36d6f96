// The events belong to the spawner, which never executes a program and so never enables them. Its
// children inherit them, and what a child executes does: the kernel then enables the child's own.
//
// Each CPU has a ring of its own, because events that are inherited can have no ring together.
#define _GNU_SOURCE
#include "session.h"

#include "profile_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// In bytes. A user without rights may lock 516 KiB for each CPU, the control page included;
// perf_event_mlock_kb of the kernel's admin-guide/sysctl/kernel.rst.
enum { LARGEST_RING = 8 << 20, ALL_RINGS = 128 << 20, SMALLEST_RING = 64 << 10 };

// The kernel copies whole words of a stack, and what fits into a record of 64 KiB.
enum { LARGEST_STACK = 56 << 10 };

// A thread waits in few functions, and stops to run more often than the timer comes.
enum { STOP_STACK = 16 << 10 };

enum { TASKS, TIMER, STOPS, EVENT_COUNT };

struct ring {
  int events[EVENT_COUNT];
  struct perf_event_mmap_page *control;
  size_t size;
  int has_ended;  // the spawner is gone, so that nothing more comes
};

static char *ring_bytes(const struct session *session, const struct ring *ring) {
  return (char *)ring->control + session->page_size;
}

// MARK: - Opening

// Between half of the period that was asked for and one and a half. Each event starts at the beginning
// of a period, so that the same one would sample every launch at the same places.
static uint64_t drawn_period(uint64_t nominal) {
  uint32_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) random = 1U << 31;
  return nominal / 2 + nominal * (random >> 8) / (1U << 24);
}

// A ring of events without a watermark wakes its reader whenever it is half full.
static struct perf_event_attr event_attributes(const struct session *session) {
  return (struct perf_event_attr){
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof(struct perf_event_attr),
      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
      .read_format = session->counts_lost ? PERF_FORMAT_LOST : 0,
      .disabled = 1,
      .enable_on_exec = 1,
      .inherit = 1,
      .sample_id_all = 1,
      .exclude_hv = 1,
      .exclude_kernel = !session->samples_kernel,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
}

// What tells the mappings, programs and threads, and when a thread runs.
static struct perf_event_attr task_event(const struct session *session) {
  struct perf_event_attr attributes = event_attributes(session);
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.mmap = attributes.mmap2 = 1;
  attributes.comm = attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.context_switch = 1;
  return attributes;
}

static struct perf_event_attr timer_event(const struct session *session, uint32_t stack_bytes) {
  struct perf_event_attr attributes = event_attributes(session);
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = session->period;
  attributes.sample_type = PROFILE_SAMPLE_TYPE;
  if (session->samples_kernel) attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
  attributes.exclude_callchain_user = 1;
  attributes.sample_regs_user = PROFILE_REGISTERS;
  attributes.sample_stack_user = stack_bytes;
  return attributes;
}

// Where a thread is when it stops running: in the kernel, so that this takes the right to sample there.
static struct perf_event_attr stop_event(const struct session *session, uint32_t stack_bytes) {
  uint32_t stack = stack_bytes < STOP_STACK ? stack_bytes : STOP_STACK;
  struct perf_event_attr attributes = timer_event(session, stack);
  attributes.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  attributes.sample_period = 1;
  return attributes;
}

// Takes back what the kernel or its configuration refuses, as long as there is something.
static int open_event(
    struct session *session, struct perf_event_attr *attributes, int process, int cpu) {
  for (;;) {
    int file =
        (int)syscall(SYS_perf_event_open, attributes, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (file >= 0) return file;
    if ((errno == EACCES || errno == EPERM) && !attributes->exclude_kernel) {
      session->samples_kernel = 0;
      attributes->exclude_kernel = 1;
      attributes->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
    } else if (errno == EINVAL && attributes->read_format != 0) {
      // Before Linux 6.0.
      session->counts_lost = 0;
      attributes->read_format = 0;
    } else {
      return -1;
    }
  }
}

// The largest ring that the kernel lets this user lock.
static int map_ring(const struct session *session, struct ring *ring, size_t size) {
  int file = ring->events[TASKS];
  for (; size >= SMALLEST_RING; size /= 2) {
    void *pages =
        mmap(NULL, session->page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pages != MAP_FAILED) {
      ring->control = pages;
      ring->size = size;
      return 0;
    }
    if (errno != EPERM && errno != ENOMEM) break;
  }
  return -1;
}

static size_t largest_ring(long cpus) {
  size_t size = LARGEST_RING;
  while (size > SMALLEST_RING && size * (size_t)cpus > ALL_RINGS) size /= 2;
  return size;
}

static int open_ring(
    struct session *session, struct ring *ring, const struct trace_request *request, int cpu,
    size_t size, enum trace_step *step) {
  struct perf_event_attr tasks = task_event(session);
  *step = TRACE_STEP_EVENT;
  ring->events[TASKS] = open_event(session, &tasks, request->spawner, cpu);
  if (ring->events[TASKS] < 0) return errno;
  *step = TRACE_STEP_RING;
  if (map_ring(session, ring, size) != 0) return errno;
  *step = TRACE_STEP_EVENT;
  struct perf_event_attr timer = timer_event(session, request->stack_bytes);
  ring->events[TIMER] = open_event(session, &timer, request->spawner, cpu);
  if (ring->events[TIMER] < 0) return errno;
  if (ioctl(ring->events[TIMER], PERF_EVENT_IOC_SET_OUTPUT, ring->events[TASKS]) != 0) return errno;
  if (!session->samples_kernel) return 0;
  struct perf_event_attr stops = stop_event(session, request->stack_bytes);
  ring->events[STOPS] = open_event(session, &stops, request->spawner, cpu);
  if (ring->events[STOPS] < 0) return errno;
  uint64_t *id = &session->stop_events[session->stop_event_count++];
  if (ioctl(ring->events[STOPS], PERF_EVENT_IOC_SET_OUTPUT, ring->events[TASKS]) != 0
      || ioctl(ring->events[STOPS], PERF_EVENT_IOC_ID, id) != 0)
    return errno;
  return 0;
}

static void close_ring(const struct session *session, struct ring *ring) {
  for (int index = 0; index < EVENT_COUNT; index++) {
    if (ring->events[index] >= 0) close(ring->events[index]);
  }
  if (ring->control != NULL) munmap(ring->control, session->page_size + ring->size);
}

static int is_possible(const struct trace_request *request) {
  return request->spawner > 0 && request->period >= 10000 && request->period <= 1000000000
      && request->stack_bytes > 0 && request->stack_bytes <= LARGEST_STACK
      && request->stack_bytes % 8 == 0;
}

int open_session(
    struct session *session, const struct trace_request *request, enum trace_step *step) {
  *session = (struct session){.samples_kernel = 1, .counts_lost = 1};
  *step = TRACE_STEP_REQUEST;
  if (!is_possible(request)) return EINVAL;
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  session->page_size = (size_t)sysconf(_SC_PAGESIZE);
  session->period = drawn_period(request->period);
  *step = TRACE_STEP_RING;
  session->rings = calloc((size_t)cpus, sizeof *session->rings);
  session->stop_events = calloc((size_t)cpus, sizeof *session->stop_events);
  if (session->rings == NULL || session->stop_events == NULL) {
    close_session(session);
    return ENOMEM;
  }
  size_t size = largest_ring(cpus);
  int code = ENODEV;
  for (int cpu = 0; cpu < cpus; cpu++) {
    struct ring ring = {.events = {-1, -1, -1}};
    int error = open_ring(session, &ring, request, cpu, size, step);
    if (error == 0) {
      session->rings[session->ring_count++] = ring;
      size = ring.size;
      code = 0;
      continue;
    }
    close_ring(session, &ring);
    // A CPU may be off.
    if (error == ENODEV) continue;
    code = error;
    break;
  }
  if (code == 0)
    *step = TRACE_STEP_NONE;
  else
    close_session(session);
  return code;
}

// MARK: - Reading

void watch_rings(const struct session *session, struct pollfd *watched) {
  for (size_t index = 0; index < session->ring_count; index++) {
    const struct ring *ring = &session->rings[index];
    // The event that owns the ring is woken by all that write to it.
    watched[index] =
        (struct pollfd){.fd = ring->has_ended ? -1 : ring->events[TASKS], .events = POLLIN};
  }
}

static uint64_t number_of_records(
    const struct session *session, const struct ring *ring, uint64_t from, uint64_t to) {
  const char *bytes = ring_bytes(session, ring);
  uint64_t count = 0;
  struct perf_event_header header;
  for (uint64_t at = from; at < to; at += header.size) {
    // Records begin at multiples of 8, so that no header goes over the end of the ring.
    memcpy(&header, bytes + (at & (ring->size - 1)), sizeof header);
    if (header.size < sizeof header) break;
    count++;
  }
  return count;
}

static void drain_ring(struct session *session, struct ring *ring) {
  struct records *records = &session->records;
  uint64_t head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = ring->control->data_tail;
  if (head == tail) return;
  size_t length = (size_t)(head - tail), start = (size_t)(tail & (ring->size - 1));
  size_t first = length < ring->size - start ? length : ring->size - start;
  uint64_t count = number_of_records(session, ring, tail, head);
  char *room = room_for_records(records, length);
  if (room != NULL) {
    memcpy(room, ring_bytes(session, ring) + start, first);
    memcpy(room + first, ring_bytes(session, ring), length - first);
    records->used += length;
    records->count += count;
  } else {
    records->lost += count;
  }
  __atomic_store_n(&ring->control->data_tail, head, __ATOMIC_RELEASE);
}

void heed_rings(struct session *session, const struct pollfd *watched) {
  for (size_t index = 0; index < session->ring_count; index++) {
    if (watched[index].revents & (POLLHUP | POLLERR)) session->rings[index].has_ended = 1;
  }
}

void drain_rings(struct session *session) {
  for (size_t index = 0; index < session->ring_count; index++)
    drain_ring(session, &session->rings[index]);
}

// MARK: - The end

// Records that the kernel had no room for, as the events count them.
static uint64_t lost_by_events(const struct session *session) {
  uint64_t lost = 0;
  for (size_t ring = 0; ring < session->ring_count; ring++) {
    for (int index = 0; index < EVENT_COUNT; index++) {
      uint64_t values[2] = {0, 0};  // the count of the event, and the lost records
      if (read(session->rings[ring].events[index], values, sizeof values) == (ssize_t)sizeof values)
        lost += values[1];
    }
  }
  return lost;
}

// Older kernels tell it in records, once there is room again.
static uint64_t lost_by_records(const struct records *records) {
  uint64_t lost = 0;
  struct perf_event_header header;
  for (size_t at = 0; at + sizeof header <= records->used; at += header.size) {
    memcpy(&header, records->bytes + at, sizeof header);
    if (header.size < sizeof header) break;
    uint64_t values[2];  // the id of the event, and the number
    if (header.type != PERF_RECORD_LOST || header.size < sizeof header + sizeof values) continue;
    memcpy(values, records->bytes + at + sizeof header, sizeof values);
    lost += values[1];
  }
  return lost;
}

void stop_session(struct session *session) {
  for (size_t ring = 0; ring < session->ring_count; ring++) {
    for (int index = 0; index < EVENT_COUNT; index++)
      ioctl(session->rings[ring].events[index], PERF_EVENT_IOC_DISABLE, 0);
  }
  drain_rings(session);
  session->records.lost += session->counts_lost ? lost_by_events(session)
                                                : lost_by_records(&session->records);
}

void close_session(struct session *session) {
  for (size_t index = 0; index < session->ring_count; index++)
    close_ring(session, &session->rings[index]);
  free(session->rings);
  free(session->stop_events);
  free_records(&session->records);
  *session = (struct session){0};
}
