#define _GNU_SOURCE
#include "stacks.h"

#include "profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A profile that is being read.
struct reading {
  struct reader *reader;
  struct profile profile;
  struct processes *processes;
  struct stacks_profile result;
  struct bytes tasks;
  struct bytes files;
  struct bytes samples;
  struct bytes stopped;  // a struct stopped for each thread that does not run
};

// A thread that stopped running, and where its sample lies.
struct stopped {
  int32_t thread;
  uint32_t reserved;
  size_t sample;
};

// MARK: - Mappings and tasks

static void add_file(struct reading *reading, const struct module *module) {
  uint32_t path = module_path(module);
  const uint32_t *files = (const uint32_t *)reading->files.start;
  for (size_t index = 0; index < reading->result.files; index++) {
    if (files[index] == path) {
      return;
    }
  }
  add_bytes(&reading->files, &path, sizeof path);
  reading->result.files++;
}

// Whether a name of a mapping is that of a file, or of the code of the kernel in user mode.
static int names_file(const char *name) {
  return strcmp(name, "[vdso]") == 0 || (name[0] == '/' && name[1] != '/');
}

static void take_mapping(struct reading *reading, const struct perf_event_header *header) {
  const struct perf_mapping *record = (const void *)header;
  const char *name = (const char *)(record + 1);
  size_t room = header->size - sizeof *record;
  if (header->size <= sizeof *record || strnlen(name, room) == room
    || !(record->protection & PROT_EXEC) || record->start + record->length < record->start) {
    return;
  }
  struct mapping mapping = {.start = record->start, .end = record->start + record->length};
  if (names_file(name)) {
    const struct module_key key = {
      name, record->major, record->minor, record->inode, record->inode_generation};
    mapping.module = module_find(reading->reader->modules, &key);
  }
  if (mapping.module != NULL) {
    mapping.bias = module_bias(mapping.module, record->start, record->offset);
    if (module_is_file(mapping.module)) {
      add_file(reading, mapping.module);
    }
  }
  process_map(process_find(reading->processes, record->pid), &mapping);
}

static void add_task(struct reading *reading, const struct stacks_task *task) {
  add_bytes(&reading->tasks, task, sizeof *task);
  reading->result.tasks++;
}

static void take_start(
  struct reading *reading, const struct perf_event_header *header, uint64_t time) {
  const struct perf_task *record = (const void *)header;
  if (header->size < sizeof *record) {
    return;
  }
  struct process *parent = process_find(reading->processes, record->parent);
  process_inherit(process_find(reading->processes, record->pid), parent);
  add_task(reading, &(struct stacks_task){
    .time = time,
    .process = record->pid,
    .thread = record->thread,
    .parent = record->parent,
    .parent_thread = record->parent_thread,
    .kind = STACKS_STARTED,
  });
}

static void take_execution(
  struct reading *reading, const struct perf_event_header *header, uint64_t time) {
  const struct profile_name *record = (const void *)header;
  const char *name = (const char *)(record + 1);
  size_t room = header->size - sizeof *record;
  if (header->size <= sizeof *record || strnlen(name, room) == room) {
    return;
  }
  process_forget(process_find(reading->processes, record->process));
  add_task(reading, &(struct stacks_task){
    .time = time,
    .process = record->process,
    .thread = record->thread,
    .kind = STACKS_EXECUTED,
    .name = text_number(reading->reader->answer, name),
  });
}

// MARK: - Samples

enum { KERNEL_LIMIT = 256 };

// The functions of the kernel, the innermost first. Markers say which part of the chain follows;
// only that of the kernel is asked for.
static size_t kernel_functions(
  const struct reading *reading, const struct sample *sample, uint32_t *functions,
  int *is_executing) {
  size_t count = 0;
  for (size_t index = 0; index < sample->kernel_count && count < KERNEL_LIMIT; index++) {
    uint64_t address = sample->kernel[index];
    if (address >= (uint64_t)PERF_CONTEXT_MAX) {
      continue;
    }
    // All but the innermost are where functions go on after a call.
    functions[count] =
      kernel_function(reading->reader->kernel, address - (count > 0), is_executing);
    // Names that may not be known are all one.
    if (count == 0 || functions[count] != functions[count - 1]) {
      count++;
    }
  }
  return count;
}

static void find_user_functions(
  const struct reading *reading, const struct sample *sample, int32_t process,
  struct stack *stack) {
  struct thread_state state = {
    .stack = sample->stack,
    .stack_size = sample->stack_size,
    .process = process_find(reading->processes, process),
  };
  state_set_registers(&state, sample->registers);
  state.stack_start = state.registers[STACK_POINTER];
  int is_whole = sample->abi == PERF_SAMPLE_REGS_ABI_64;
  unwind(reading->reader->unwinder, &state, is_whole, stack);
}

// MARK: - Threads that do not run

static struct stopped *find_stopped(struct reading *reading, int32_t thread) {
  struct stopped *all = (struct stopped *)reading->stopped.start;
  for (size_t index = 0; index < reading->stopped.used / sizeof *all; index++) {
    if (all[index].thread == thread) {
      return &all[index];
    }
  }
  return NULL;
}

// The sample that comes next is of a thread that stops running.
static void add_stopped(struct reading *reading, int32_t thread) {
  struct stopped *known = find_stopped(reading, thread);
  if (known != NULL) {
    known->sample = reading->samples.used;
    return;
  }
  const struct stopped stopped = {.thread = thread, .sample = reading->samples.used};
  add_bytes(&reading->stopped, &stopped, sizeof stopped);
}

// A thread that could have gone on running does not wait.
static void take_switch(
  struct reading *reading, const struct perf_event_header *header, uint64_t time) {
  const struct profile_trailer *trailer =
    (const void *)((const char *)header + header->size - sizeof *trailer);
  int stops = (header->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
  int is_preempted = stops && (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
  if (header->size < sizeof *header + sizeof *trailer || (stops && !is_preempted)) {
    return;
  }
  struct stopped *stopped = find_stopped(reading, trailer->thread);
  if (stopped == NULL) {
    return;
  }
  struct stacks_sample *sample = (void *)(reading->samples.start + stopped->sample);
  if (!is_preempted && time > sample->time) {
    sample->waited = time - sample->time;
  }
  reading->stopped.used -= sizeof *stopped;
  *stopped = *(struct stopped *)(reading->stopped.start + reading->stopped.used);
}

static void add_reversed(struct bytes *bytes, const uint32_t *numbers, size_t count) {
  while (count > 0) {
    add_bytes(bytes, &numbers[--count], sizeof *numbers);
  }
}

static void take_sample(struct reading *reading, const struct perf_event_header *header) {
  struct sample sample;
  if (profile_sample(&reading->profile, header, &sample) != 0) {
    reading->result.lost++;
    return;
  }
  const struct profile_sample *record = (const void *)header;
  uint32_t kernel[KERNEL_LIMIT];
  int is_executing = 0;
  size_t kernel_count = kernel_functions(reading, &sample, kernel, &is_executing);
  static struct stack stack;
  stack.count = 0;
  stack.is_cut = 0;
  // A process that executes or ends has no memory of its own for a while.
  int has_memory = sample.stack_size > 0 && !is_executing;
  if (sample.registers != NULL && (has_memory || kernel_count == 0)) {
    find_user_functions(reading, &sample, record->process, &stack);
    // In the kernel, registers that lead to no code at all are none.
    stack.is_cut &= stack.count > 0 || kernel_count == 0;
  }
  int is_stop = profile_is_stop(&reading->profile, record->event);
  if (is_stop) {
    add_stopped(reading, record->thread);
  }
  const struct stacks_sample result = {
    .time = record->time,
    .process = record->process,
    .thread = record->thread,
    .flags = (stack.is_cut ? STACKS_CUT : 0) | (is_stop ? STACKS_WAIT : 0),
    .kernel = (uint32_t)kernel_count,
    .user = (uint32_t)stack.count,
  };
  add_bytes(&reading->samples, &result, sizeof result);
  add_reversed(&reading->samples, kernel, kernel_count);
  add_reversed(&reading->samples, stack.functions, stack.count);
  pad_bytes(&reading->samples);
  reading->result.samples++;
  reading->result.cut += stack.is_cut ? 1 : 0;
}

// MARK: - Profiles

static void take_record(struct reading *reading, const struct record *record) {
  switch (record->header->type) {
    case PERF_RECORD_MMAP2: take_mapping(reading, record->header); break;
    case PERF_RECORD_FORK: take_start(reading, record->header, record->time); break;
    case PERF_RECORD_COMM:
      if (record->header->misc & PERF_RECORD_MISC_COMM_EXEC) {
        take_execution(reading, record->header, record->time);
      }
      break;
    case PERF_RECORD_SAMPLE: take_sample(reading, record->header); break;
    case PERF_RECORD_SWITCH: take_switch(reading, record->header, record->time); break;
    // The kernel stops the timer for a while when there are more samples than its settings allow.
    case PERF_RECORD_THROTTLE: reading->result.lost++; break;
    default: break;
  }
}

static void read_profile(struct reading *reading) {
  const struct profile_header *header = &reading->profile.header;
  reading->result.period = header->period;
  reading->result.lost = header->lost;
  reading->result.flags = header->kernel_chain ? 0 : STACKS_WITHOUT_KERNEL;
  reading->processes = processes_open();
  for (size_t index = 0; reading->processes != NULL && index < reading->profile.count; index++) {
    take_record(reading, &reading->profile.records[index]);
  }
  processes_close(reading->processes);
}

void add_stacks(struct reader *reader, const char *path) {
  struct reading reading = {.reader = reader};
  const char *problem = profile_open(&reading.profile, path);
  if (problem == NULL) {
    read_profile(&reading);
  } else {
    reading.result.problem = text_number(reader->answer, problem);
  }
  profile_close(&reading.profile);
  pad_bytes(&reading.files);
  struct bytes all = {0};
  add_bytes(&all, &reading.result, sizeof reading.result);
  add_bytes(&all, reading.tasks.start, reading.tasks.used);
  add_bytes(&all, reading.files.start, reading.files.used);
  add_bytes(&all, reading.samples.start, reading.samples.used);
  add_profile(reader->answer, &all);
  free(all.start);
  free(reading.tasks.start);
  free(reading.files.start);
  free(reading.samples.start);
  free(reading.stopped.start);
}
