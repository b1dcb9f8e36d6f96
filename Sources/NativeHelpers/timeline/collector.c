// Loads and attaches the programs of timeline.bpf by libbpf, and empties their ring.
#define _GNU_SOURCE
#include "timeline.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "interrupts.h"
#include "recorded.h"
#include "shared.h"

// The compiled programs, as an ELF file in the data of this one; embed.sh compiles them.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "kernel_programs:\n"
    ".incbin \"" KERNEL_PROGRAMS "\"\n"
    "kernel_programs_end:\n"
    ".previous\n");
extern const char kernel_programs[];
extern const char kernel_programs_end[];

enum { PROGRAM_LIMIT = 16 };

struct collector {
  struct bpf_object *object;
  struct bpf_program *programs[PROGRAM_LIMIT];
  struct bpf_link *links[PROGRAM_LIMIT];
  int program_count;
  int members;
  struct interrupts interrupts;
  struct ring_buffer *ring;
  struct state *state;  // shared with the programs
  uint32_t cost;        // of an event, in picoseconds
  struct recorded recorded;
};

// MARK: Loading

static void set_texts(struct settings *settings) {
  for (uint32_t call = 0; call < CALL_LIMIT; call++) settings->texts[call] = call_text(call);
}

static int keep_silent(enum libbpf_print_level level, const char *format, va_list arguments) {
  // Why the kernel refuses them is for developers only.
  return getenv("TIMELINE_DEBUG") == NULL || level == LIBBPF_DEBUG
             ? 0
             : vfprintf(stderr, format, arguments);
}

// The map of global data whose name ends so.
static struct bpf_map *global_data(struct bpf_object *object, const char *ending) {
  struct bpf_map *map;
  bpf_object__for_each_map(map, object) {
    const char *name = bpf_map__name(map);
    size_t length = strlen(name), end = strlen(ending);
    if (length >= end && strcmp(name + length - end, ending) == 0) return map;
  }
  return NULL;
}

// Writes the settings into what the programs are loaded with.
static int set_settings(struct bpf_object *object) {
  size_t size = 0;
  struct bpf_map *map = global_data(object, ".rodata");
  const void *value = map != NULL ? bpf_map__initial_value(map, &size) : NULL;
  if (value == NULL || size != sizeof(struct settings)) return -1;
  struct settings settings = {0};
  set_texts(&settings);
  return bpf_map__set_initial_value(map, &settings, size) == 0 ? 0 : -1;
}

// The state of the loaded programs, shared with them.
static struct state *map_state(struct bpf_object *object) {
  struct bpf_map *map = global_data(object, ".bss");
  if (map == NULL) return NULL;
  void *place = mmap(
      NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
  return place != MAP_FAILED ? place : NULL;
}

static int take(void *context, void *data, size_t size);

static int load(struct collector *collector) {
  size_t size = (size_t)(kernel_programs_end - kernel_programs);
  collector->object = bpf_object__open_mem(kernel_programs, size, NULL);
  if (collector->object == NULL) return -1;
  if (set_settings(collector->object) != 0 || bpf_object__load(collector->object) != 0) return -1;
  collector->state = map_state(collector->object);
  collector->members = bpf_object__find_map_fd_by_name(collector->object, "members");
  int ring = bpf_object__find_map_fd_by_name(collector->object, "ring");
  collector->ring = ring_buffer__new(ring, take, collector, NULL);
  if (collector->state == NULL || collector->members < 0 || collector->ring == NULL) return -1;
  interrupts_find(&collector->interrupts);
  struct bpf_program *program;
  bpf_object__for_each_program(program, collector->object)
    if (collector->program_count < PROGRAM_LIMIT)
      collector->programs[collector->program_count++] = program;
  return 0;
}

struct collector *collector_load(void) {
  libbpf_set_print(keep_silent);
  struct collector *collector = calloc(1, sizeof *collector);
  if (collector == NULL || load(collector) == 0) return collector;
  int error = errno;
  ring_buffer__free(collector->ring);
  bpf_object__close(collector->object);
  free(collector);
  errno = error;
  return NULL;
}

// MARK: Attaching

static void detach(struct collector *collector) {
  for (int i = 0; i < collector->program_count; i++) {
    bpf_link__destroy(collector->links[i]);
    collector->links[i] = NULL;
  }
}

// Processes that outlived their launch are none of the next one.
static void forget_members(struct collector *collector) {
  uint32_t process;
  while (bpf_map_get_next_key(collector->members, NULL, &process) == 0)
    bpf_map_delete_elem(collector->members, &process);
}

static int attach(struct collector *collector) {
  for (int i = 0; i < collector->program_count; i++) {
    collector->links[i] = bpf_program__attach(collector->programs[i]);
    if (collector->links[i] != NULL) continue;
    int error = errno;
    detach(collector);
    errno = error;
    return -1;
  }
  return 0;
}

// MARK: What an event costs

enum { COST_CALLS = 2000, COST_ROUNDS = 7 };

static int64_t monotonic(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The time of the calls in the round that was least disturbed.
static int64_t call_time(struct collector *collector) {
  int64_t least = INT64_MAX;
  for (int round = 0; round < COST_ROUNDS; round++) {
    int64_t start = monotonic();
    for (int call = 0; call < COST_CALLS; call++) syscall(SYS_getppid);
    int64_t time = monotonic() - start;
    if (time < least) least = time;
    ring_buffer__consume(collector->ring);
  }
  return least;
}

// Compares calls of this process while it is recorded with others of it: a call is two events.
static void measure_cost(struct collector *collector) {
  int64_t plain = call_time(collector);
  uint32_t self = (uint32_t)getpid();
  uint32_t threads = 1;
  if (attach(collector) != 0) return;
  bpf_map_update_elem(collector->members, &self, &threads, BPF_ANY);
  int64_t recorded = call_time(collector);
  bpf_map_delete_elem(collector->members, &self);
  detach(collector);
  if (recorded > plain)
    collector->cost = (uint32_t)((recorded - plain) * 1000 / (2 * COST_CALLS));
}

// MARK: One launch

int collector_begin(struct collector *collector, int32_t spawner) {
  if (collector->cost == 0) measure_cost(collector);
  ring_buffer__consume(collector->ring);
  forget_members(collector);
  *collector->state = (struct state){.spawner = (unsigned)spawner};
  recorded_clear(&collector->recorded);
  return attach(collector);
}

// Keeps a record with no more of its text than is used; the ring itself cannot be written to.
static int take(void *context, void *data, size_t size) {
  struct collector *collector = context;
  struct timeline_record record;
  memcpy(&record, data, sizeof record);
  const char *text = (const char *)data + sizeof record;
  if (record.kind == TIMELINE_WAKE) {
    const struct waker_text *waker = (const void *)text;
    record.values[2] = interrupts_judge(&collector->interrupts, waker->stack, record.values[2]);
    record.length = sizeof waker->name;
  }
  if (sizeof record + record.length > size)
    collector->recorded.lost++;
  else
    recorded_add(&collector->recorded, &record, text);
  return 0;
}

void collector_drain(struct collector *collector) { ring_buffer__consume(collector->ring); }

void collector_end(struct collector *collector, struct trace_answer *answer) {
  detach(collector);
  collector_drain(collector);
  answer->cost = collector->cost;
  answer->events = collector->recorded.count;
  answer->lost = collector->recorded.lost += collector->state->lost;
}

int collector_write(struct collector *collector, const char *path) {
  return recorded_write(&collector->recorded, path);
}
