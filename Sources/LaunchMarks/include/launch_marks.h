// Launch marks: a program says what its launch consists of, and launchlab shows it.
//
// This one file is all there is to copy, for C11 and C++11, GCC and Clang, on Linux. In a Swift
// package, depend on the product LaunchMarks of launchlab and `import LaunchMarks`.
//
//   launch_mark("first frame");                        an instant
//   launch_interval work = launch_interval_begin("database");
//   launch_interval_end(work);                         an interval
//   launch_ready();                                    the mark that `ready: mark` waits for
//
//   LAUNCH_TASK("first screen", load_fonts) { ... }    a start-up task, registered when linked
//   launch_run_phase("first screen");                  runs the tasks of a phase, each timed
//
// Without launchlab a call is one test of a variable. The first one of a linked object looks for
// the environment variable LAUNCHLAB_EVENTS, or for launchlab's probe in LD_AUDIT. Tasks run all the
// same, untimed.
//
// Every linked object, the executable and each shared library, has a copy of the state. All copies
// write to the same file, so it does not matter whose function is called.
//
// Marks may be made in any thread, in signal handlers, and after fork: nothing allocates or locks,
// and errno is kept. What cannot be written is left out, and the program goes on as ever.
#ifndef LAUNCH_MARKS_H
#define LAUNCH_MARKS_H

#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "launch_marks.h needs POSIX: include it first, or compile with -std=gnu11"
#endif

#ifdef __cplusplus
extern "C" {
#endif

// MARK: The file of events, as Sources/CLaunchWire/include/launch_events.h of launchlab tells.

#define LAUNCH_MARKS_MAGIC 0x31544e4556454c4cULL  // "LLEVENT1" in memory

enum {
  LAUNCH_MARKS_MARK = 32, LAUNCH_MARKS_INTERVAL, LAUNCH_MARKS_TASK, LAUNCH_MARKS_PHASE,
  LAUNCH_MARKS_NAME_LIMIT = 255  // bytes of a name that are kept
};

struct launch_marks_header {
  uint64_t magic;
  uint32_t capacity;
  uint32_t text_capacity;
  uint32_t next;
  uint32_t text_next;
  uint32_t options;
  uint32_t reserved;
  char ready_mark[64];
  char ready_socket[108];
  uint8_t padding[52];
};

struct launch_marks_event {
  uint64_t time;
  uint64_t end;
  uint64_t address;  // of a task: its function
  uint32_t pid;
  uint32_t object;  // of a task: the number of its phase's event, from 1
  uint32_t text;
  uint16_t text_length;
  uint16_t kind;
};

// MARK: The state of a linked object.

#define LAUNCH_MARKS_HIDDEN __attribute__((weak, visibility("hidden")))
#define LAUNCH_MARKS_SLOW static __attribute__((noinline, cold, unused))

// 0 when there is nothing to write to, 1 until that is known, then the address of the mapped file.
#ifdef __swift__
extern __attribute__((visibility("hidden"))) uintptr_t launch_marks_state;
#else
LAUNCH_MARKS_HIDDEN uintptr_t launch_marks_state = 1;
#endif

static inline int launch_marks_are_on(void) {
  return __builtin_expect(__atomic_load_n(&launch_marks_state, __ATOMIC_RELAXED) != 0, 0) != 0;
}

static inline uint64_t launch_marks_size(const struct launch_marks_header *header) {
  return sizeof *header + (uint64_t)header->capacity * sizeof(struct launch_marks_event) +
         header->text_capacity;
}

// Maps the file when it is what it should be, and gives NULL otherwise.
LAUNCH_MARKS_SLOW struct launch_marks_header *launch_marks_map(int file) {
  struct launch_marks_header found;
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  if (pread(file, &found, sizeof found, 0) != (ssize_t)sizeof found) return NULL;
  uint64_t size = launch_marks_size(&found);
  if (found.magic != LAUNCH_MARKS_MAGIC || size > (uint64_t)status.st_size || size > SIZE_MAX)
    return NULL;
  void *map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return map == MAP_FAILED ? NULL : (struct launch_marks_header *)map;
}

// The path of the file: as the environment says, or else beside launchlab's probe, where that is
// loaded. NULL when there is none; `room` has space for a path.
LAUNCH_MARKS_SLOW const char *launch_marks_path(char *room, size_t size) {
  // A program with more rights than its caller must not write where the caller says.
  if (getauxval(AT_SECURE)) return NULL;
  const char *path = getenv("LAUNCHLAB_EVENTS");
  if (path) return *path ? path : NULL;
  static const char probe[] = "/probe.so", events[] = "/events";
  const char *auditors = getenv("LD_AUDIT");
  size_t length = auditors ? strcspn(auditors, ":") : 0;
  if (length < sizeof probe || length >= size) return NULL;
  size_t directory = length - (sizeof probe - 1);
  if (memcmp(auditors + directory, probe, sizeof probe - 1) != 0) return NULL;
  memcpy(room, auditors, directory);
  memcpy(room + directory, events, sizeof events);
  return room;
}

LAUNCH_MARKS_SLOW struct launch_marks_header *launch_marks_open(void) {
  char room[256];
  const char *path = launch_marks_path(room, sizeof room);
  if (!path) return NULL;
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return NULL;
  struct launch_marks_header *header = launch_marks_map(file);
  close(file);
  return header;
}

// The mapped file, or NULL. Threads that come here first together map it each, and one map stays.
LAUNCH_MARKS_SLOW struct launch_marks_header *launch_marks_file(void) {
  uintptr_t state = __atomic_load_n(&launch_marks_state, __ATOMIC_ACQUIRE);
  if (state == 1) {
    struct launch_marks_header *header = launch_marks_open();
    if (__atomic_compare_exchange_n(&launch_marks_state, &state, (uintptr_t)header, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return header;
    if (header) munmap(header, (size_t)launch_marks_size(header));
  }
  return (struct launch_marks_header *)state;
}

// MARK: Events.

LAUNCH_MARKS_SLOW uint64_t launch_marks_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

// The bytes of a name that are kept: whole characters of UTF-8, at most the limit.
LAUNCH_MARKS_SLOW uint32_t launch_marks_length(const char *name) {
  uint32_t length = (uint32_t)strnlen(name, LAUNCH_MARKS_NAME_LIMIT + 1);
  if (length <= LAUNCH_MARKS_NAME_LIMIT) return length;
  length = LAUNCH_MARKS_NAME_LIMIT;
  for (int rest = 0; rest < 3 && ((unsigned char)name[length] & 0xC0) == 0x80; rest++) length--;
  return length;
}

static inline struct launch_marks_event *launch_marks_events(struct launch_marks_header *header) {
  return (struct launch_marks_event *)(void *)(header + 1);
}

LAUNCH_MARKS_SLOW void launch_marks_set_text(struct launch_marks_header *header,
                                             struct launch_marks_event *event, const char *name) {
  uint32_t length = launch_marks_length(name);
  uint32_t text = __atomic_fetch_add(&header->text_next, length, __ATOMIC_RELAXED);
  if (text > header->text_capacity || length > header->text_capacity - text) return;
  memcpy((char *)(launch_marks_events(header) + header->capacity) + text, name, length);
  event->text = text;
  event->text_length = (uint16_t)length;
}

// Writes an event and gives its number, from 1, or 0 when it found no room. A time of 0 stands for
// the instant at which all else is written, so that what begins there does not contain it.
LAUNCH_MARKS_SLOW uint32_t launch_marks_write(struct launch_marks_header *header, int kind,
                                              uint64_t time, const char *name, uint64_t address,
                                              uint32_t object) {
  // What is lost is counted, but a program that never stops must not count around to 0.
  if (__atomic_load_n(&header->next, __ATOMIC_RELAXED) > INT32_MAX) return 0;
  uint32_t index = __atomic_fetch_add(&header->next, 1, __ATOMIC_RELAXED);
  if (index >= header->capacity) return 0;
  struct launch_marks_event *event = launch_marks_events(header) + index;
  event->address = address;
  event->pid = (uint32_t)getpid();
  event->object = object;
  launch_marks_set_text(header, event, name ? name : "");
  event->time = time ? time : launch_marks_now();
  __atomic_store_n(&event->kind, (uint16_t)kind, __ATOMIC_RELEASE);
  return index + 1;
}

LAUNCH_MARKS_SLOW uint32_t launch_marks_begin(int kind, const char *name, uint64_t address,
                                              uint32_t object) {
  int error = errno;
  struct launch_marks_header *header = launch_marks_file();
  uint32_t number = 0;
  if (header) number = launch_marks_write(header, kind, 0, name, address, object);
  errno = error;
  return number;
}

LAUNCH_MARKS_SLOW void launch_marks_end(uint32_t number) {
  uint64_t time = launch_marks_now();
  struct launch_marks_header *header = launch_marks_file();
  if (!header || number == 0 || number > header->capacity) return;
  struct launch_marks_event *event = launch_marks_events(header) + (number - 1);
  // A child has a copy of what its parent began, and does not end it.
  if (event->pid != (uint32_t)getpid() || __atomic_load_n(&event->end, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&event->end, time, __ATOMIC_RELAXED);
}

// MARK: The ready mark.

// Writes the message into `message`, which has room for it, and gives its length.
LAUNCH_MARKS_SLOW size_t launch_marks_compose(char *message, uint64_t time) {
  static const char text[] = "READY=1\nMONOTONIC_NSEC=";
  char digits[20];
  size_t count = 0, length = sizeof text - 1;
  memcpy(message, text, length);
  do digits[count++] = (char)('0' + time % 10);
  while (time /= 10);
  while (count > 0) message[length++] = digits[--count];
  message[length++] = '\n';
  return length;
}

// Sends a message to the one who waits for the ready mark.
LAUNCH_MARKS_SLOW void launch_marks_send(const struct launch_marks_header *header,
                                         const char *message, size_t size) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  size_t length = strnlen(header->ready_socket, sizeof header->ready_socket);
  if (length == 0 || length >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, header->ready_socket, length);
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return;
  // A full queue holds such messages already.
  sendto(file, message, size, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)(void *)&address,
         (socklen_t)sizeof address);
  close(file);
}

// Whether a name is that of the mark which makes the target ready.
static inline int launch_marks_is_ready(const struct launch_marks_header *header,
                                        const char *name) {
  return name && strncmp(name, header->ready_mark, sizeof header->ready_mark) == 0;
}

LAUNCH_MARKS_SLOW void launch_marks_mark(const char *name) {
  static unsigned char was_told;
  int error = errno;
  struct launch_marks_header *header = launch_marks_file();
  if (header) {
    uint64_t time = launch_marks_now();
    launch_marks_write(header, LAUNCH_MARKS_MARK, time, name, 0, 0);
    if (launch_marks_is_ready(header, name) &&
        !__atomic_exchange_n(&was_told, 1, __ATOMIC_RELAXED)) {
      char message[64];
      launch_marks_send(header, message, launch_marks_compose(message, time));
    }
  }
  errno = error;
}

// MARK: What programs call.

// Marks an instant. Of every name here, 255 bytes are kept.
static inline void launch_mark(const char *name) {
  if (launch_marks_are_on()) launch_marks_mark(name);
}

// Makes the mark "ready", which ends the launch of a target with `ready: mark`.
static inline void launch_ready(void) { launch_mark("ready"); }

// An interval that was begun; 0 stands for none.
typedef uint32_t launch_interval;

// Begins an interval, which any thread of the process may end.
static inline launch_interval launch_interval_begin(const char *name) {
  return launch_marks_are_on() ? launch_marks_begin(LAUNCH_MARKS_INTERVAL, name, 0, 0) : 0;
}

// Ends an interval; one that is not ended is shown as unfinished.
static inline void launch_interval_end(launch_interval interval) {
  if (__builtin_expect(interval != 0, 0)) launch_marks_end(interval);
}

// MARK: Start-up tasks.

#ifdef __swift__
// launch_marks.c has these, because the importer emits no constructors and no notes.
void launch_marks_run_phase(const char *phase) __attribute__((swift_name("launch_run_phase(_:)")));

// Says what a task is, and runs it when it is its turn. Its function calls this, once, with what it
// is given.
void launch_task_describe(uintptr_t asked, const char *phase, const char *name, void (*run)(void));
#else
// One start-up task, as it stands in the section `launch_tasks` of a linked object.
struct launch_task {
  const char *name;  // NULL in Swift, whose constants hold no text: there the function is asked
  const char *phase;
  union {
    void (*run)(void);
    void (*ask)(uintptr_t);
  } function;
  uintptr_t was_run;
};

// A phase that is being run, while one of its tasks may be.
struct launch_phase_run {
  const char *phase;
  struct launch_task *task;
  int is_marked;
  uint32_t event;
};

// What one linked object has. A note of the object leads to it, because notes can be found in any
// loaded object whatever symbols it shows, and are gone when it is unloaded.
struct launch_module {
  struct launch_task *tasks, *end;
  uint64_t began;    // when its first constructor ran; modules are run in this order
  uint32_t awaited;  // how many of its tasks have a constructor that has not run
};

extern LAUNCH_MARKS_HIDDEN struct launch_task __start_launch_tasks[], __stop_launch_tasks[];

LAUNCH_MARKS_SLOW void launch_marks_begin_phase(struct launch_phase_run *run) {
  if (run->is_marked) return;
  run->is_marked = 1;
  run->event = launch_marks_begin(LAUNCH_MARKS_PHASE, run->phase, 0, 0);
}

LAUNCH_MARKS_SLOW void launch_marks_run(struct launch_phase_run *run, const char *name,
                                        void (*function)(void)) {
  if (__atomic_exchange_n(&run->task->was_run, 1, __ATOMIC_ACQ_REL)) return;
  uint32_t event = 0;
  if (launch_marks_are_on()) {
    launch_marks_begin_phase(run);
    event = launch_marks_begin(LAUNCH_MARKS_TASK, name, (uintptr_t)function, run->event);
  }
  function();
  launch_interval_end(event);
}

LAUNCH_MARKS_SLOW void launch_marks_run_module(struct launch_phase_run *run,
                                               const struct launch_module *module) {
  for (struct launch_task *task = module->tasks; task < module->end; task++) {
    run->task = task;
    if (!task->name && task->function.ask)
      task->function.ask((uintptr_t)run);
    else if (task->name && strcmp(task->phase, run->phase) == 0)
      launch_marks_run(run, task->name, task->function.run);
  }
}

// The function dl_iterate_phdr, which glibc declares for _GNU_SOURCE only.
struct launch_marks_object {
  uintptr_t address;
  const char *path;
  const ElfW(Phdr) *headers;
  ElfW(Half) count;
};
extern int launch_marks_iterate(int (*visit)(struct launch_marks_object *, size_t, void *),
                                void *context) __asm__("dl_iterate_phdr");

LAUNCH_MARKS_HIDDEN struct launch_module launch_this_module;

#if defined(__aarch64__)
#define LAUNCH_MARKS_SYMBOL "S"
#else
#define LAUNCH_MARKS_SYMBOL "i"
#endif

// Registers the tasks of this linked object. Each has a constructor of its own that calls this, and
// the last one to do so runs those of the phase "pre_main", when most else is constructed.
//
// The note's name is "launchlab", its type 1, and its content how far away `launch_this_module` is.
LAUNCH_MARKS_SLOW void launch_marks_begin_module(uint32_t count) {
  __asm__ volatile(
      ".pushsection .note.launchlab, \"a\", %%note\n\t"
      ".balign 4\n\t.4byte 10, 4, 1\n\t.asciz \"launchlab\"\n\t"
      ".balign 4\n\t.4byte %c0 - .\n\t.popsection"
      : : LAUNCH_MARKS_SYMBOL(&launch_this_module));
  struct launch_module *module = &launch_this_module;
  if (!module->began) {
    module->began = launch_marks_now();
    module->tasks = __start_launch_tasks;
    module->end = __stop_launch_tasks;
    for (struct launch_task *task = module->tasks; task < module->end; task++)
      module->awaited += task->name != NULL;
  }
  module->awaited -= count;
  if (module->awaited != 0) return;
  struct launch_phase_run run = {"pre_main", NULL, 0, 0};
  launch_marks_run_module(&run, module);
  launch_interval_end(run.event);
}

// The module that one of the notes leads to, or NULL.
LAUNCH_MARKS_SLOW struct launch_module *launch_marks_module(const char *note, const char *end) {
  while (end - note >= 12) {
    uint32_t sizes[3];
    memcpy(sizes, note, sizeof sizes);
    uint64_t name = ((uint64_t)sizes[0] + 3) & ~3ULL, content = ((uint64_t)sizes[1] + 3) & ~3ULL;
    if (name + content > (uint64_t)(end - note) - 12) return NULL;
    const char *place = note + 12 + name;
    static const uint32_t ours[] = {10, 4, 1};
    if (memcmp(sizes, ours, sizeof ours) == 0 && memcmp(note + 12, "launchlab", 10) == 0) {
      int32_t distance;
      memcpy(&distance, place, sizeof distance);
      return (struct launch_module *)((uintptr_t)place + (uintptr_t)(intptr_t)distance);
    }
    note = place + content;
  }
  return NULL;
}

// A search for the first module after one, which may be unloaded by now.
struct launch_marks_search {
  uint64_t began;
  uintptr_t address;
  const struct launch_module *found;
};

static inline int launch_marks_is_after(const struct launch_module *module, uint64_t began,
                                        uintptr_t address) {
  return module->began != began ? module->began > began : (uintptr_t)module > address;
}

LAUNCH_MARKS_SLOW int launch_marks_visit(struct launch_marks_object *object, size_t size,
                                         void *context) {
  (void)size;
  struct launch_marks_search *search = (struct launch_marks_search *)context;
  for (int index = 0; index < object->count; index++) {
    if (object->headers[index].p_type != PT_NOTE) continue;
    const char *notes = (const char *)(object->address + object->headers[index].p_vaddr);
    const struct launch_module *module =
        launch_marks_module(notes, notes + object->headers[index].p_memsz), *found = search->found;
    if (!module || !module->began) continue;
    if (!launch_marks_is_after(module, search->began, search->address)) continue;
    if (!found || !launch_marks_is_after(module, found->began, (uintptr_t)found))
      search->found = module;
  }
  return 0;
}

// Runs the tasks of a phase that have not been run, in all loaded objects: those of libraries
// before those of what uses them, within one in the order in which they were linked.
//
// A task runs once, however often its phase is run; one of two threads that run the same phase may
// come back while the other still runs tasks. Tasks may run phases, and load libraries.
static inline void launch_run_phase(const char *phase) {
  if (!phase) return;
  struct launch_phase_run run = {phase, NULL, 0, 0};
  if (launch_marks_are_on()) launch_marks_begin_phase(&run);
  struct launch_marks_search search = {0, 0, NULL};
  while (launch_marks_iterate(launch_marks_visit, &search), search.found) {
    const struct launch_module *module = search.found;
    search.began = module->began;
    search.address = (uintptr_t)module;
    search.found = NULL;
    launch_marks_run_module(&run, module);
  }
  launch_interval_end(run.event);
}

#if __has_attribute(retain)
#define LAUNCH_MARKS_RETAIN , retain
#else
#define LAUNCH_MARKS_RETAIN
#endif
#if __has_attribute(no_reorder)
#define LAUNCH_MARKS_IN_ORDER , no_reorder
#else
#define LAUNCH_MARKS_IN_ORDER
#endif

#ifdef __cplusplus
// An object, because those of a file are constructed in the order of their definitions.
#define LAUNCH_MARKS_CONSTRUCTOR(function)                              \
  static const struct launch_task_##function##_type {                   \
    launch_task_##function##_type() { launch_marks_begin_module(1); }   \
  } launch_task_##function##_began __attribute__((used));
#else
#define LAUNCH_MARKS_CONSTRUCTOR(function)                                        \
  __attribute__((constructor)) static void launch_task_##function##_began(void) { \
    launch_marks_begin_module(1);                                                 \
  }
#endif

// Defines a function without parameters and result, and registers it as a task of a phase. Tasks of
// "pre_main" run before main, like constructors, and the others when their phase is run.
#define LAUNCH_TASK(phase, function)                                                       \
  static void function(void);                                                              \
  static struct launch_task launch_task_##function                                         \
      __attribute__((section("launch_tasks"), aligned(sizeof(void *)),                     \
                     used LAUNCH_MARKS_RETAIN LAUNCH_MARKS_IN_ORDER)) = {                  \
          #function, "" phase, {function}, 0};                                             \
  LAUNCH_MARKS_CONSTRUCTOR(function)                                                       \
  static void function(void)
#endif

#ifdef __cplusplus
}
#endif

#endif
