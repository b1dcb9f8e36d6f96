// Writes to the file of events, whose layout is in launch_events.h.
#include "probe.h"
#include "system.h"

#include <sys/mman.h>

// What `next` and `text_next` must not pass, so that they never begin again at 0.
#define CLAIM_LIMIT 0xf0000000U

ON_FIRST_PAGE static struct {
  struct launch_events_header *header;
  struct launch_event *events;
  char *text;
  size_t size;
  uint32_t capacity;
  uint32_t text_capacity;
  uint32_t process;
} file;

static const char events_name[] = "/" LAUNCH_EVENTS_NAME;

// Puts the path of the events file into 256 bytes; the loader takes no longer path of an auditor.
static int events_path(const char *probe_path, char path[256]) {
  size_t length = 0, slash = 0;
  for (; probe_path[length] && probe_path[length] != ':'; length++) {
    if (length >= 256 - sizeof events_name) return -1;
    path[length] = probe_path[length];
    if (path[length] == '/') slash = length;
  }
  if (length == 0 || path[0] != '/') return -1;
  for (size_t index = 0; index < sizeof events_name; index++)
    path[slash + index] = events_name[index];
  return 0;
}

static int adopt(void *memory, size_t size) {
  struct launch_events_header *header = memory;
  file.capacity = header->capacity;
  file.text_capacity = header->text_capacity;
  uint64_t needed = sizeof *header + file.capacity * (uint64_t)sizeof(struct launch_event) +
                    file.text_capacity;
  if (header->magic != LAUNCH_EVENTS_MAGIC || needed > size) return -1;
  file.header = header;
  file.events = (struct launch_event *)(header + 1);
  file.text = (char *)(file.events + file.capacity);
  file.size = size;
  return 0;
}

int open_events(const char *probe_path) {
  char path[256];
  if (events_path(probe_path, path) != 0) return -1;
  int descriptor = system_open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -1;
  long size = system_size(descriptor);
  long memory = -1;
  if (size >= (long)sizeof(struct launch_events_header))
    memory = system_map((size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor);
  system_close(descriptor);
  if (memory < 0 && memory > -4096) return -1;
  if (adopt((void *)memory, (size_t)size) != 0) {
    system_unmap((void *)memory, (size_t)size);
    return -1;
  }
  file.process = (uint32_t)system_process();
  return 0;
}

void close_events(void) {
  if (file.header) system_unmap(file.header, file.size);
  file.header = NULL;
}

int is_hidden(void) { return (file.header->options & LAUNCH_EVENTS_HIDDEN) != 0; }

int update_process(void) {
  uint32_t process = (uint32_t)system_process();
  int changed = process != file.process;
  file.process = process;
  return changed;
}

static uint32_t claim(uint32_t *counter, uint32_t count) {
  if (__atomic_load_n(counter, __ATOMIC_RELAXED) >= CLAIM_LIMIT) return CLAIM_LIMIT;
  return __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
}

struct launch_event *new_event(uint64_t time, uint64_t address, uint32_t object) {
  if (!file.header) return NULL;
  uint32_t index = claim(&file.header->next, 1);
  if (index >= file.capacity) return NULL;
  struct launch_event *event = &file.events[index];
  event->time = time;
  event->end = 0;
  event->address = address;
  event->pid = file.process;
  event->object = object;
  event->text = 0;
  event->text_length = 0;
  return event;
}

void set_text(struct launch_event *event, const char *text) {
  uint32_t length = 0;
  while (length < UINT16_MAX && text[length]) length++;
  if (!event || length == 0) return;
  uint32_t start = claim(&file.header->text_next, length);
  if (start > file.text_capacity || length > file.text_capacity - start) return;
  for (uint32_t index = 0; index < length; index++) file.text[start + index] = text[index];
  event->text = start;
  event->text_length = (uint16_t)length;
}

void publish_event(struct launch_event *event, uint16_t kind) {
  if (event) __atomic_store_n(&event->kind, kind, __ATOMIC_RELEASE);
}

void write_event(uint16_t kind, uint64_t address, uint32_t object) {
  publish_event(new_event(now(), address, object), kind);
}
