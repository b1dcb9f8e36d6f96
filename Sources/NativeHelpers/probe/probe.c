// What the dynamic loader calls; see probe.h.
#include "probe.h"
#include "system.h"

#define EXPORTED __attribute__((visibility("default")))

// The interface of glibc 2.35. With an older one every auditor slows down the calls between
// objects. Source: glibc commit 063f9ba220.
enum { WANTED_VERSION = 2 };

ON_FIRST_PAGE size_t page_size;

ON_FIRST_PAGE static struct {
  uint64_t began;
  char **environment;
  char **audit;  // where LD_AUDIT is in the environment, or NULL
  struct headers headers;
  const char *path;  // by which the program was executed
  int is_loaded_by_kernel;
  int is_adding;
  int is_running;  // initializers may have run
  uint32_t object_count;
  uint32_t new_count;  // of objects since the loader began to add some
  const struct launch_event *program;
} state;

static struct object new_objects[PROBE_OBJECTS];

static const char audit_name[] = "LD_AUDIT=";
static const char tunables_name[] = "GLIBC_TUNABLES=";
static const char tunables_value[] = LAUNCH_EVENTS_TUNABLE;

static int begins_with(const char *text, const char *prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return 0;
  return 1;
}

static void read_auxiliary_vector(const ElfW(auxv_t) *entry) {
  uintptr_t vdso = 0;
  for (; entry->a_type != AT_NULL; entry++) {
    uintptr_t value = entry->a_un.a_val;
    switch (entry->a_type) {
      case AT_SYSINFO_EHDR: vdso = value; break;
      case AT_PAGESZ: page_size = value; break;
      case AT_PHDR: state.headers.table = (const ElfW(Phdr) *)value; break;
      case AT_PHNUM: state.headers.count = value; break;
      case AT_EXECFN: state.path = (const char *)value; break;
      case AT_BASE: state.is_loaded_by_kernel = value != 0; break;
    }
  }
  open_clock(vdso);
}

// The initializer of the probe, DT_INIT.
void begin_probe(int count, char **arguments, char **environment) {
  (void)count, (void)arguments;
  char **end = state.environment = environment;
  for (; *end; end++)
    if (!state.audit && begins_with(*end, audit_name)) state.audit = end;
  read_auxiliary_vector((const ElfW(auxv_t) *)(end + 1));
  state.began = now();
}

// Takes the first part out of a variable whose parts are separated by colons, and the variable out
// of the environment unless others are left; as in glibc's unsetenv the rest moves down. The loader
// has read our part already.
static void hide_first_part(char **slot, const char *name, size_t length) {
  char *rest = *slot + length;
  while (*rest && *rest != ':') rest++;
  if (rest[0] == ':' && rest[1]) {
    char *variable = rest + 1 - length;
    for (size_t index = 0; index < length; index++) variable[index] = name[index];
    *slot = variable;
    return;
  }
  do slot[0] = slot[1];
  while (*slot++);
}

static void hide(void) {
  hide_first_part(state.audit, audit_name, sizeof audit_name - 1);
  enum { NAME = sizeof tunables_name - 1 };
  for (char **slot = state.environment; *slot; slot++) {
    if (!begins_with(*slot, tunables_name)) continue;
    if (begins_with(*slot + NAME, tunables_value)) hide_first_part(slot, tunables_name, NAME);
    return;
  }
}

// Whether the path by which the program was executed leads to it later, and for others. To ask
// the kernel for another one costs a quarter of what the whole probe does.
static int is_lasting(const char *path) {
  return path && *path == '/' && !begins_with(path, "/proc/") && !begins_with(path, "/dev/");
}

static void write_program(void) {
  char path[1024];
  struct launch_event *event = new_event(state.began, 0, 0);
  long length = -1;
  // Of a program that the loader was called with it is the loader.
  if (state.is_loaded_by_kernel && !is_lasting(state.path))
    length = system_read_link("/proc/self/exe", path, sizeof path);
  if (length > 0 && length < (long)sizeof path) {
    path[length] = 0;
    set_text(event, path);
  } else if (state.path) {
    set_text(event, state.path);
  }
  publish_event(event, EVENT_PROGRAM_BEGAN);
  state.program = event;
}

EXPORTED unsigned int la_version(unsigned int version) {
  if (!state.audit || open_events(*state.audit + sizeof audit_name - 1) != 0) return 0;
  write_program();
  if (version < WANTED_VERSION) {
    write_event(EVENT_LOADER_TOO_OLD, version, 0);
    close_events();
    return 0;
  }
  if (is_hidden()) hide();
  return WANTED_VERSION;
}

EXPORTED unsigned int la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie) {
  (void)namespace, (void)cookie;
  struct object object = {map, state.object_count++};
  if (state.new_count < PROBE_OBJECTS) new_objects[state.new_count] = object;
  state.new_count++;
  struct launch_event *event = new_event(now(), map->l_addr, object.number);
  if (object.number == 0 && event && state.program) {
    event->text = state.program->text;
    event->text_length = state.program->text_length;
  } else {
    set_text(event, map->l_name);
  }
  publish_event(event, EVENT_OBJECT_OPENED);
  return 0;
}

// At the start of a program all objects are relocated by now; those of dlopen are not.
static void time_new_objects(void) {
  struct headers none = {0};
  for (uint32_t index = 0; index < state.new_count && index < PROBE_OBJECTS; index++) {
    struct object object = new_objects[index];
    if (state.is_running) time_initializers_later(object);
    else time_initializers(object, object.number == 0 ? state.headers : none);
  }
}

static void begin_adding(void) {
  if (state.is_running) {
    update_process();
    state.new_count = 0;
  }
  state.is_adding = 1;
  write_event(EVENT_ADDING, 0, 0);
}

static void end_adding(void) {
  state.is_adding = 0;
  write_event(EVENT_CONSISTENT, 0, 0);
  time_new_objects();
  if (!state.is_running) report_initializers();
  state.is_running = 1;
}

EXPORTED void la_activity(uintptr_t *cookie, unsigned int activity) {
  (void)cookie;
  if (activity == LA_ACT_ADD) begin_adding();
  // What was added is removed again where it needs something that is not there.
  if (activity == LA_ACT_DELETE) state.is_adding = 0;
  // It also follows a removal.
  if (activity == LA_ACT_CONSISTENT && state.is_adding) end_adding();
}

EXPORTED void la_preinit(uintptr_t *cookie) {
  (void)cookie;
  write_event(EVENT_MAIN_BEGINS, 0, 0);
}
