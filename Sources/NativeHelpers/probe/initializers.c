// Times initializers: thunks are called in their place.
//
// Those of a library are reached through the loader's table. The array of a program that reads it
// itself is patched where it is. Neither can be done before relocation, which would write over the
// thunks or add to them; but the loader reads DT_INIT_ARRAY only after it has called DT_INIT.
// Source: glibc, elf/dl-init.c and csu/libc-start.c.
#include "probe.h"

#include <errno.h>

// A fork takes longer; of an initializer that took longer the process id is read again, in
// nanoseconds.
enum { FORK_TIME = 20000 };

struct initializer {
  initializer_function *function;  // may be NULL if `is_first`
  struct object object;
  int is_first;  // the thunks of the object's other initializers are set when it is called
};

// Dynamic entries in place of an object's own.
struct replaced {
  ElfW(Dyn) init;
  ElfW(Dyn) init_array;
};

// Arrays of which the first elements are enough for a small program.
enum { FEW_THUNKS = 24, FEW_REPLACED = 8 };

ON_FIRST_PAGE static struct {
  uint64_t found_count;
  uint32_t timed_count;
  uint32_t replaced_count;
  uint32_t few_thunk_count;
  uint32_t thunk_count;
  ElfW(Addr) few_thunks[FEW_THUNKS];
  struct replaced few_replaced[FEW_REPLACED];
} known;

static struct initializer initializers[PROBE_THUNKS];
static ElfW(Addr) thunks[PROBE_THUNKS];
static struct replaced replaced[PROBE_OBJECTS];

void report_initializers(void) {
  write_event(EVENT_INITIALIZERS_FOUND, known.found_count, known.timed_count);
}

static void time_others(struct object object);

void run_initializer(int count, char **arguments, char **environment, uint32_t number) {
  struct initializer *initializer = &initializers[number];
  if (initializer->is_first) time_others(initializer->object);
  if (!initializer->function) return;
  struct launch_event *event =
      new_event(0, (uint64_t)initializer->function, initializer->object.number);
  uint64_t began = now();
  if (event) event->time = began;
  publish_event(event, EVENT_INITIALIZER);
  initializer->function(count, arguments, environment);
  if (!event) return;
  uint64_t ended = now();
  // The event is its parent's if this is a child by now.
  if (ended - began > FORK_TIME && update_process()) return;
  event->end = ended;
}

static uintptr_t new_thunk(uintptr_t function, struct object object, int is_first) {
  struct initializer *initializer = &initializers[known.timed_count];
  initializer->function = (initializer_function *)function;
  initializer->object = object;
  initializer->is_first = is_first;
  return thunk(known.timed_count++);
}

static void say_untimed(struct object object, int error) {
  write_event(EVENT_INITIALIZERS_UNTIMED, (uint64_t)error, object.number);
}

// MARK: places

struct places {
  ElfW(Dyn) *init;  // the entry DT_INIT, or NULL
  struct words preinit_array;
  struct words init_array;
};

static struct places find_places(struct object object) {
  struct places found = {0};
  for (ElfW(Dyn) *entry = object.map->l_ld; entry->d_tag != DT_NULL; entry++) {
    size_t count = entry->d_un.d_val / sizeof(ElfW(Addr));
    switch (entry->d_tag) {
      case DT_INIT: found.init = entry; break;
      case DT_PREINIT_ARRAY: found.preinit_array.start = entry->d_un.d_ptr; break;
      case DT_PREINIT_ARRAYSZ: found.preinit_array.count = count; break;
      case DT_INIT_ARRAY: found.init_array.start = entry->d_un.d_ptr; break;
      case DT_INIT_ARRAYSZ: found.init_array.count = count; break;
    }
  }
  // Only that of the program itself is run, and none that is nowhere.
  if (object.number != 0 || !found.preinit_array.start) found.preinit_array.count = 0;
  if (!found.init_array.start) found.init_array.count = 0;
  return found;
}

// MARK: through the loader

static struct replaced *new_replaced(void) {
  uint32_t index = known.replaced_count++;
  return index < FEW_REPLACED ? &known.few_replaced[index] : &replaced[index - FEW_REPLACED];
}

// An array for the loader; there is room for all that can be timed.
static ElfW(Addr) *new_array(size_t count) {
  int is_few = count <= FEW_THUNKS - known.few_thunk_count;
  ElfW(Addr) *array = is_few ? known.few_thunks : thunks;
  uint32_t *used = is_few ? &known.few_thunk_count : &known.thunk_count;
  *used += (uint32_t)count;
  return array + *used - count;
}

static int have_room(size_t thunks) {
  return known.replaced_count < PROBE_OBJECTS && thunks <= PROBE_THUNKS - known.timed_count;
}

static int set_init(
    struct object object, ElfW(Dyn) **table, ElfW(Dyn) *entry, ElfW(Dyn) *init, int is_first) {
  uintptr_t function = init ? object.map->l_addr + init->d_un.d_ptr : 0;
  if (set_loader_entry(&table[DT_INIT], entry) != 0) return -1;
  entry->d_tag = DT_INIT;
  entry->d_un.d_ptr = new_thunk(function, object, is_first) - object.map->l_addr;
  return 0;
}

static int set_array(
    struct object object, ElfW(Dyn) **table, ElfW(Dyn) *entry, struct words words) {
  const ElfW(Addr) *functions = (const ElfW(Addr) *)(object.map->l_addr + words.start);
  if (set_loader_entry(&table[DT_INIT_ARRAY], entry) != 0) return -1;
  ElfW(Addr) *array = new_array(words.count);
  entry->d_tag = DT_INIT_ARRAY;
  entry->d_un.d_ptr = (uintptr_t)array - object.map->l_addr;
  for (size_t index = 0; index < words.count; index++)
    array[index] = new_thunk(functions[index], object, 0);
  return 0;
}

// Sets all initializers of an object; -1 if another way is to be gone.
static int set_all(struct object object, const struct places *places) {
  ElfW(Dyn) **table = find_loader_table(object.map);
  if (!table || !have_room(places->init_array.count + 1)) return -1;
  struct replaced *entries = new_replaced();
  if (places->init && set_init(object, table, &entries->init, places->init, 0) != 0) return -1;
  if (places->init_array.count &&
      set_array(object, table, &entries->init_array, places->init_array) != 0)
    say_untimed(object, EOPNOTSUPP);
  return 0;
}

void time_initializers_later(struct object object) {
  struct places places = find_places(object);
  if (!places.init && !places.init_array.count) return;
  ElfW(Dyn) **table = find_loader_table(object.map);
  if (!have_room(1)) return say_untimed(object, ENOSPC);
  if (!table || set_init(object, table, &new_replaced()->init, places.init, 1) != 0)
    say_untimed(object, EOPNOTSUPP);
}

// Called in place of the first initializer of an object that was set later.
static void time_others(struct object object) {
  struct places places = find_places(object);
  ElfW(Dyn) **table = find_loader_table(object.map);
  if (!places.init_array.count) return;
  if (!have_room(places.init_array.count)) return say_untimed(object, ENOSPC);
  ElfW(Dyn) *entry = &new_replaced()->init_array;
  if (!table || set_array(object, table, entry, places.init_array) != 0)
    say_untimed(object, EOPNOTSUPP);
}

// MARK: in place

static void replace_array(struct object object, struct words words) {
  ElfW(Addr) *entries = (ElfW(Addr) *)(object.map->l_addr + words.start);
  for (size_t index = 0; index < words.count && known.timed_count < PROBE_THUNKS; index++)
    entries[index] = new_thunk(entries[index], object, 0);
}

static void replace_init(struct object object, ElfW(Dyn) *init) {
  if (known.timed_count == PROBE_THUNKS) return;
  uintptr_t function = object.map->l_addr + init->d_un.d_ptr;
  init->d_un.d_ptr = new_thunk(function, object, 0) - object.map->l_addr;
}

// Makes words writable that are in a segment that is not; 0 or the errno.
static int open_words(
    struct object object, struct headers headers, struct words words, struct pages *pages) {
  const ElfW(Phdr) *segment = find_segment(headers, words);
  if (!segment) return ENOEXEC;
  uintptr_t start = object.map->l_addr + words.start;
  *pages = fixed_pages(segment, start, words.count * sizeof(ElfW(Addr)));
  return -unlock_pages(*pages);
}

static void time_array(struct object object, struct headers headers, struct words words) {
  struct pages pages = {0};
  if (words.count == 0) return;
  int error = open_words(object, headers, words, &pages);
  if (error) return say_untimed(object, error);
  replace_array(object, words);
  lock_pages(pages);
}

static void time_init(struct object object, struct headers headers, ElfW(Dyn) *init) {
  struct pages pages = {0};
  if (!init) return;
  struct words words = {(uintptr_t)init - object.map->l_addr, 2};
  int error = open_words(object, headers, words, &pages);
  if (error) return say_untimed(object, error);
  replace_init(object, init);
  lock_pages(pages);
}

static void replace_all(
    struct object object, struct headers headers, const struct places *places) {
  if (!headers.count) headers = find_headers(object.map);
  if (!headers.count) return say_untimed(object, ENOEXEC);
  struct pages relro = relro_pages(object.map, headers);
  int error = -unlock_pages(relro);
  if (error) return say_untimed(object, error);
  time_init(object, headers, places->init);
  time_array(object, headers, places->preinit_array);
  time_array(object, headers, places->init_array);
  lock_pages(relro);
}

void time_initializers(struct object object, struct headers headers) {
  struct places places = find_places(object);
  int is_by_table = object.number != 0 || is_read_by_table(object.map);
  // Called directly, too, by a program that does not use the table.
  if (!is_by_table) places.init = NULL;
  size_t count = places.preinit_array.count + places.init_array.count + (places.init != NULL);
  known.found_count += count;
  if (count == 0) return;
  if (is_by_table && !places.preinit_array.count && set_all(object, &places) == 0) return;
  replace_all(object, headers, &places);
}
