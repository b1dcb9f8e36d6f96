// What programs say to a Wayland server, as far as it tells of windows and of what they show.
//
// Only objects that matter are known; all others are passed over, whatever version they are of. A
// connection that says what cannot be is not understood any more, but goes on.
#define _GNU_SOURCE
#include "wayland_objects.h"

#include <stdlib.h>
#include <string.h>

static const struct global {
  const char *interface;
  enum kind kind;
} globals[] = {
    {"wl_compositor", COMPOSITOR},
    {"wl_subcompositor", SUBCOMPOSITOR},
    {"wl_shm", SHARED_MEMORY},
    {"xdg_wm_base", SHELL},
    {"zwlr_layer_shell_v1", LAYER_SHELL},
    {"wp_presentation", PRESENTATION},
    {"wp_viewporter", VIEWPORTER},
    {"zwp_linux_dmabuf_v1", DMABUF},
    {"wp_single_pixel_buffer_manager_v1", SINGLE_PIXEL},
};

// One that is understood, and has as many words as it needs.
struct message {
  struct client *client;
  uint32_t id;
  struct object object;     // to which it is said, or which says it
  struct surface *surface;  // that this is, or is made for; NULL when it is gone
  const uint32_t *words;
  const int32_t *numbers;   // the same ones
  uint32_t count;
};

static void destroy(const struct message *message) { forget(message->client, message->id); }

// NULL when it is none, and the connection is not understood any more.
static const char *text_at(const struct message *message, uint32_t index) {
  uint32_t length = message->words[index], room = (message->count - index - 1) * 4;
  const char *text = (const char *)(message->words + index + 1);
  if (length > 0 && length <= room && text[length - 1] == 0) return text;
  give_up_on(message->client);
  return NULL;
}

static struct rectangle rectangle_of(const struct message *message) {
  const int32_t *numbers = message->numbers;
  return (struct rectangle){numbers[0], numbers[1], numbers[2], numbers[3]};
}

// The surface may have had the id itself, so it is looked up only then. NULL when it is gone.
static struct surface *create_for(struct client *client, uint32_t id, enum kind kind,
                                  uint32_t surface_id) {
  return create(client, id, kind, surface_id) ? find_surface(client, surface_id) : NULL;
}

// MARK: The display, and what it offers

static void get_registry(const struct message *message) {
  create(message->client, message->words[0], REGISTRY, 0);
}

static void bind_global(const struct message *message) {
  const char *interface = text_at(message, 1);
  if (!interface) return;
  uint32_t version = 2 + (message->words[1] + 3) / 4;
  if (message->count < version + 2) {
    give_up_on(message->client);
    return;
  }
  for (size_t index = 0; index < sizeof globals / sizeof *globals; index++)
    if (strcmp(globals[index].interface, interface) == 0)
      create(message->client, message->words[version + 1], globals[index].kind, 0);
}

static void delete_id(const struct message *message) { forget(message->client, message->words[0]); }

// MARK: Buffers

static void create_pool(const struct message *message) {
  struct object *object = create(message->client, message->words[0], POOL, 0);
  int32_t size = message->numbers[1];
  if (object) object->pool = open_pool(take_file(message->client, size), size);
}

static void resize_pool(const struct message *message) {
  struct pool *pool = message->object.pool;
  if (pool && message->numbers[0] > pool->size) pool->size = message->numbers[0];
}

// Takes over the pool of `buffer`.
static void add_buffer(struct client *client, uint32_t id, struct buffer buffer) {
  struct object *object = create(client, id, BUFFER, 0);
  struct buffer *kept = object ? malloc(sizeof *kept) : NULL;
  if (kept) {
    *kept = buffer;
    object->buffer = kept;
    return;
  }
  if (object) object->kind = NOTHING;
  release_pool(buffer.pool);
  give_up_on(client);
}

static void create_buffer(const struct message *message) {
  const int32_t *numbers = message->numbers;
  struct buffer buffer = {
      .pool = retain_pool(message->object.pool), .offset = numbers[1], .width = numbers[2],
      .height = numbers[3], .stride = numbers[4], .format = message->words[5]};
  add_buffer(message->client, message->words[0], buffer);
}

static void create_pixel(const struct message *message) {
  const uint32_t *words = message->words;
  uint32_t red = words[1] >> 24, green = words[2] >> 24, blue = words[3] >> 24;
  uint32_t color = words[4] >> 24 << 24 | red << 16 | green << 8 | blue;
  struct buffer buffer = {.is_plain = 1, .color = color, .width = 1, .height = 1, .stride = 4};
  add_buffer(message->client, words[0], buffer);
}

static void create_parameters(const struct message *message) {
  create(message->client, message->words[0], DMABUF_PARAMETERS, 0);
}

// The server gives the buffer its id later.
static void create_dmabuf(const struct message *message) {
  struct object *object = find_object(message->client, message->id);
  object->width = message->numbers[0];
  object->height = message->numbers[1];
}

static void dmabuf_created(const struct message *message) {
  struct buffer buffer = {.width = message->object.width, .height = message->object.height};
  add_buffer(message->client, message->words[0], buffer);
}

static void create_dmabuf_now(const struct message *message) {
  struct buffer buffer = {.width = message->numbers[1], .height = message->numbers[2]};
  add_buffer(message->client, message->words[0], buffer);
}

// MARK: Surfaces

static void create_surface(const struct message *message) {
  add_surface(message->client, message->words[0]);
}

// A buffer that is not known has pixels that are not known, and as many as the window.
static void attach(const struct message *message) {
  const struct rectangle *window = &message->surface->geometry;
  struct buffer unknown = {.width = window->width, .height = window->height};
  const struct object *object = find_object(message->client, message->words[0]);
  int is_known = object && object->kind == BUFFER, is_none = message->words[0] == 0;
  attach_buffer(message->surface, is_none ? NULL : is_known ? object->buffer : &unknown);
}

static void damage(const struct message *message) {
  add_damage(&message->surface->pending.surface_damage, rectangle_of(message));
}

static void damage_buffer(const struct message *message) {
  add_damage(&message->surface->pending.damage, rectangle_of(message));
}

static void commit(const struct message *message) {
  commit_surface(message->client, message->surface);
}

static void set_transform(const struct message *message) {
  message->surface->transform = message->numbers[0];
}

static void set_scale(const struct message *message) {
  message->surface->scale = message->numbers[0] > 0 ? message->numbers[0] : 1;
}

static void get_viewport(const struct message *message) {
  create(message->client, message->words[0], VIEWPORT, message->words[1]);
}

static void set_destination(const struct message *message) {
  const int32_t *numbers = message->numbers;
  int is_set = numbers[0] > 0 && numbers[1] > 0;
  if (!message->surface) return;
  message->surface->width = is_set ? numbers[0] : 0;
  message->surface->height = is_set ? numbers[1] : 0;
}

static void get_subsurface(const struct message *message) {
  const uint32_t *words = message->words;
  struct surface *surface = create_for(message->client, words[0], SUBSURFACE, words[1]);
  if (!surface) return;
  surface->parent = find_surface(message->client, words[2]);
  surface->is_synchronized = 1;
  surface->x = surface->y = 0;
}

static void set_position(const struct message *message) {
  if (!message->surface) return;
  message->surface->x = message->numbers[0];
  message->surface->y = message->numbers[1];
}

static void set_sync(const struct message *message) {
  if (message->surface) message->surface->is_synchronized = 1;
}

static void set_desync(const struct message *message) {
  if (message->surface) message->surface->is_synchronized = 0;
}

// MARK: The server's word

static void frame(const struct message *message) {
  uint32_t id = message->words[0];
  struct surface *surface = create_for(message->client, id, CALLBACK, message->id);
  if (surface) ask_for_word(surface, id, 0);
}

static void feedback(const struct message *message) {
  uint32_t id = message->words[1];
  struct surface *surface = create_for(message->client, id, FEEDBACK, message->words[0]);
  if (surface) ask_for_word(surface, id, 1);
}

static void clock_id(const struct message *message) {
  message->client->clock = (clockid_t)message->words[0];
}

// The instant by the clock of this program; what cannot be told is now.
static int64_t to_monotonic(const struct client *client, uint64_t said) {
  struct timespec other;
  if (client->clock == CLOCK_MONOTONIC) return (int64_t)said;
  if (clock_gettime(client->clock, &other) != 0) return client->at;
  uint64_t now = (uint64_t)other.tv_sec * 1000000000 + (uint64_t)other.tv_nsec;
  return (int64_t)(said + (uint64_t)monotonic() - now);
}

static void hear(const struct message *message, int64_t said) {
  if (message->surface) hear_word(message->client, message->surface, message->id, said);
  forget(message->client, message->id);
}

static void done(const struct message *message) { hear(message, message->client->at); }

static void presented(const struct message *message) {
  const uint32_t *words = message->words;
  uint64_t seconds = (uint64_t)words[0] << 32 | words[1];
  hear(message, to_monotonic(message->client, seconds * 1000000000 + words[2]));
}

// MARK: Windows

static void get_shell_surface(const struct message *message) {
  create(message->client, message->words[0], SHELL_SURFACE, message->words[1]);
}

static void set_geometry(const struct message *message) {
  if (message->surface) message->surface->geometry = rectangle_of(message);
}

static void get_toplevel(const struct message *message) {
  uint32_t id = message->words[0], surface_id = message->object.surface_id;
  struct surface *surface = create_for(message->client, id, TOPLEVEL, surface_id);
  if (surface) make_window(message->client, surface, id);
}

static struct window *toplevel_window(const struct message *message) {
  const struct surface *surface = message->surface;
  return surface && surface->role == message->id ? surface->window : NULL;
}

static void set_title(const struct message *message) {
  const char *title = text_at(message, 0);
  struct window *window = toplevel_window(message);
  if (title && window) name_window(window, message->client->at, title, window->class);
}

static void set_app_id(const struct message *message) {
  const char *name = text_at(message, 0);
  struct window *window = toplevel_window(message);
  if (name && window) name_window(window, message->client->at, window->title, name);
}

static void get_layer_surface(const struct message *message) {
  const char *name = text_at(message, 4);
  if (!name) return;
  uint32_t id = message->words[0], surface_id = message->words[1];
  struct surface *surface = create_for(message->client, id, LAYER_SURFACE, surface_id);
  if (!surface) return;
  make_window(message->client, surface, id);
  if (surface->window) name_window(surface->window, message->client->at, "", name);
}

// MARK: Messages

// Those that are understood, and how many words they have at least; descriptors take none.
struct known {
  enum kind kind;
  uint32_t opcode, words;
  void (*handle)(const struct message *message);
};

static const struct known requests[] = {
    {SURFACE, 6, 0, commit},
    {SURFACE, 1, 3, attach},
    {SURFACE, 2, 4, damage},
    {SURFACE, 9, 4, damage_buffer},
    {SURFACE, 3, 1, frame},
    {SURFACE, 7, 1, set_transform},
    {SURFACE, 8, 1, set_scale},
    {SURFACE, 0, 0, destroy},
    {DISPLAY, 1, 1, get_registry},
    {REGISTRY, 0, 4, bind_global},
    {COMPOSITOR, 0, 1, create_surface},
    {SUBCOMPOSITOR, 0, 0, destroy},
    {SUBCOMPOSITOR, 1, 3, get_subsurface},
    {SUBSURFACE, 0, 0, destroy},
    {SUBSURFACE, 1, 2, set_position},
    {SUBSURFACE, 4, 0, set_sync},
    {SUBSURFACE, 5, 0, set_desync},
    {SHARED_MEMORY, 0, 2, create_pool},
    {SHARED_MEMORY, 1, 0, destroy},
    {POOL, 0, 6, create_buffer},
    {POOL, 1, 0, destroy},
    {POOL, 2, 1, resize_pool},
    {BUFFER, 0, 0, destroy},
    {SHELL, 0, 0, destroy},
    {SHELL, 2, 2, get_shell_surface},
    {SHELL_SURFACE, 0, 0, destroy},
    {SHELL_SURFACE, 1, 1, get_toplevel},
    {SHELL_SURFACE, 3, 4, set_geometry},
    {TOPLEVEL, 0, 0, destroy},
    {TOPLEVEL, 2, 1, set_title},
    {TOPLEVEL, 3, 1, set_app_id},
    {LAYER_SHELL, 0, 5, get_layer_surface},
    {LAYER_SHELL, 1, 0, destroy},
    {LAYER_SURFACE, 7, 0, destroy},
    {PRESENTATION, 0, 0, destroy},
    {PRESENTATION, 1, 2, feedback},
    {VIEWPORTER, 0, 0, destroy},
    {VIEWPORTER, 1, 2, get_viewport},
    {VIEWPORT, 0, 0, destroy},
    {VIEWPORT, 2, 2, set_destination},
    {DMABUF, 0, 0, destroy},
    {DMABUF, 1, 1, create_parameters},
    {DMABUF_PARAMETERS, 0, 0, destroy},
    {DMABUF_PARAMETERS, 2, 4, create_dmabuf},
    {DMABUF_PARAMETERS, 3, 5, create_dmabuf_now},
    {SINGLE_PIXEL, 0, 0, destroy},
    {SINGLE_PIXEL, 1, 5, create_pixel},
};

static const struct known events[] = {
    {DISPLAY, 1, 1, delete_id},
    {CALLBACK, 0, 1, done},
    {PRESENTATION, 0, 1, clock_id},
    {FEEDBACK, 1, 7, presented},
    {FEEDBACK, 2, 0, destroy},
    {DMABUF_PARAMETERS, 0, 1, dmabuf_created},
};

static void understand(struct client *client, int is_request, const uint32_t *words) {
  const struct known *known = is_request ? requests : events;
  size_t count = is_request ? sizeof requests / sizeof *requests : sizeof events / sizeof *events;
  const struct object *object = find_object(client, words[0]);
  if (!object) return;
  struct message message = {
      .client = client, .id = words[0], .object = *object,
      .surface = find_surface(client, object->surface_id), .words = words + 2,
      .numbers = (const int32_t *)words + 2, .count = (words[1] >> 16) / 4 - 2};
  for (const struct known *end = known + count; known < end; known++) {
    if (known->kind != object->kind || known->opcode != (words[1] & 0xffff)) continue;
    if (message.count >= known->words)
      known->handle(&message);
    else
      give_up_on(client);
    return;
  }
}

size_t client_read(struct client *client, int is_request, const uint8_t *bytes, size_t count,
                   const int *descriptors, int descriptor_count, int64_t at) {
  size_t read = 0;
  client->at = at;
  if (is_request) hold_files(client, descriptors, descriptor_count, client->requested + count);
  while (!client->is_opaque && count - read >= 8) {
    const uint32_t *message = (const uint32_t *)(bytes + read);
    uint32_t length = message[1] >> 16;
    if (length < 8 || length % 4 != 0) give_up_on(client);
    if (client->is_opaque || count - read < length) break;
    understand(client, is_request, message);
    read += length;
    if (is_request) client->requested += length;
  }
  if (!client->is_opaque) return read;
  drop_held(client, client->held_count);
  return count;
}
