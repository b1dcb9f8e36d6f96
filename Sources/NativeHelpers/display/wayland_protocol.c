// What programs say to a Wayland server, as far as it tells of windows and of what they show.
//
// Only objects that matter are known; all others are passed over, whatever version they are of. A
// connection that says what cannot be is not understood any more, but goes on.
#define _GNU_SOURCE
#include "display.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: Memory that programs share with the server
//
// A program may shrink it, or change it at any time: it is read with pread(2), which gives an error
// where an access to mapped memory would be a signal.

enum {
  POOL_LIMIT = 1024,           // descriptors of all clients
  CHUNK_PIXELS = 64 << 10,     // read at once
  BLOCK_PIXELS = 4 << 10,      // compared with a color at once
  LENGTH_LIMIT = 32 << 10,     // pixels of a side of a buffer that is read
  MEMORY_LIMIT = 512 << 20,    // bytes of all pictures
  KEPT_MEMORY = 64 << 20,      // of those that are gone
};

// It is kept while there are buffers in it.
struct pool {
  int file;
  unsigned references;
  int64_t size;
};

struct buffer {
  struct pool *pool;  // NULL when the pixels cannot be read, or are all the same
  int is_plain;       // one pixel, whose color is `color`
  uint32_t color;
  int32_t offset, width, height, stride;
  uint32_t format;
};

static int pool_count;

// Takes over the descriptor, which may be -1.
static struct pool *open_pool(int file, int64_t size) {
  struct pool *pool = file >= 0 ? malloc(sizeof *pool) : NULL;
  if (pool) {
    *pool = (struct pool){file, 1, size};
    pool_count++;
  } else if (file >= 0) {
    close(file);
  }
  return pool;
}

static struct pool *retain_pool(struct pool *pool) {
  if (pool) pool->references++;
  return pool;
}

static void release_pool(struct pool *pool) {
  if (!pool || --pool->references > 0) return;
  close(pool->file);
  free(pool);
  pool_count--;
}

#define FOUR_LETTERS(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// The order of the colors does not matter, only where the alpha is and whether it counts.
static const struct format {
  uint32_t name, alpha;
  int has_alpha;
} formats[] = {
    {0, 0xff000000, 1},
    {1, 0xff000000, 0},
    {FOUR_LETTERS('A', 'B', '2', '4'), 0xff000000, 1},
    {FOUR_LETTERS('X', 'B', '2', '4'), 0xff000000, 0},
    {FOUR_LETTERS('R', 'A', '2', '4'), 0x000000ff, 1},
    {FOUR_LETTERS('R', 'X', '2', '4'), 0x000000ff, 0},
    {FOUR_LETTERS('B', 'A', '2', '4'), 0x000000ff, 1},
    {FOUR_LETTERS('B', 'X', '2', '4'), 0x000000ff, 0},
    {FOUR_LETTERS('A', 'R', '3', '0'), 0xc0000000, 1},
    {FOUR_LETTERS('X', 'R', '3', '0'), 0xc0000000, 0},
    {FOUR_LETTERS('A', 'B', '3', '0'), 0xc0000000, 1},
    {FOUR_LETTERS('X', 'B', '3', '0'), 0xc0000000, 0},
};

static const struct format *find_format(uint32_t name) {
  for (size_t index = 0; index < sizeof formats / sizeof *formats; index++)
    if (formats[index].name == name) return &formats[index];
  return NULL;
}

// MARK: Pictures

enum { DAMAGE_LIMIT = 32 };

struct rectangle {
  int32_t x, y, width, height;
};

// What has been drawn of a buffer, in its own pixels.
struct damage {
  int is_whole;
  int count;
  struct rectangle rectangles[DAMAGE_LIMIT];
};

// The content of a surface, to compare the next one with.
struct picture {
  uint32_t *pixels;  // NULL while there is none, and when it is not known
  int32_t width, height;
  uint32_t format;
  uint32_t colors;  // of opaque pixels, counted up to 2
  uint32_t color;   // the first of them
};

static int64_t picture_bytes;

static int64_t pixels_of(int32_t width, int32_t height) {
  return width > 0 && height > 0 ? (int64_t)width * height : 0;
}

static void clear_picture(struct picture *picture) {
  if (picture->pixels) picture_bytes -= 4 * pixels_of(picture->width, picture->height);
  free(picture->pixels);
  *picture = (struct picture){0};
}

static void add_damage(struct damage *damage, struct rectangle rectangle) {
  if (damage->count == DAMAGE_LIMIT)
    damage->is_whole = 1;
  else
    damage->rectangles[damage->count++] = rectangle;
}

static int32_t clip(int64_t value, int32_t limit) {
  return (int32_t)(value < 0 ? 0 : value > limit ? limit : value);
}

static struct rectangle clipped(struct rectangle drawn, const struct buffer *buffer) {
  int32_t x = clip(drawn.x, buffer->width), y = clip(drawn.y, buffer->height);
  int32_t right = clip((int64_t)drawn.x + drawn.width, buffer->width);
  int32_t bottom = clip((int64_t)drawn.y + drawn.height, buffer->height);
  return (struct rectangle){x, y, right - x, bottom - y};
}

static int is_readable(const struct buffer *buffer) {
  int64_t width = buffer->width, height = buffer->height, stride = buffer->stride;
  if (width <= 0 || height <= 0 || width > LENGTH_LIMIT || height > LENGTH_LIMIT) return 0;
  if (buffer->is_plain) return 1;
  if (!buffer->pool || buffer->offset < 0 || buffer->offset % 4 != 0) return 0;
  if (stride < width * 4 || stride % 4 != 0) return 0;
  return buffer->offset + stride * (height - 1) + width * 4 <= buffer->pool->size;
}

static int is_like(const struct picture *picture, const struct buffer *buffer) {
  return picture->pixels && picture->width == buffer->width && picture->height == buffer->height
      && picture->format == buffer->format;
}

// Memory that was used before is there at once, while new memory takes longer than to fill it.
static uint32_t *get_memory(int64_t bytes) {
  static int is_kept;
  if (!is_kept) is_kept = mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY / 2)
                       && mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
  return picture_bytes + bytes <= MEMORY_LIMIT ? malloc((size_t)bytes) : NULL;
}

// All of it is to be drawn first.
static int begin_picture(struct picture *picture, const struct buffer *buffer) {
  clear_picture(picture);
  int64_t bytes = 4 * pixels_of(buffer->width, buffer->height);
  uint32_t *pixels = get_memory(bytes);
  if (!pixels) return 0;
  picture_bytes += bytes;
  *picture = (struct picture){.pixels = pixels, .width = buffer->width, .height = buffer->height,
                              .format = buffer->format};
  return 1;
}

static uint64_t draw_unknown(struct picture *picture, const struct buffer *buffer) {
  clear_picture(picture);
  picture->width = buffer->width;
  picture->height = buffer->height;
  picture->colors = 2;
  int64_t pixels = pixels_of(buffer->width, buffer->height);
  return pixels > 0 ? (uint64_t)pixels : 1;
}

// How pixels get into a picture: the alpha of formats that have none is set.
struct drawing {
  uint32_t alpha, always_set;
  int is_new;  // nothing was there before
};

static uint32_t put_pixels(uint32_t *old, const uint32_t *new, int32_t count,
                           struct drawing drawing) {
  uint32_t changed = 0;
  if (drawing.is_new) {
    for (int32_t index = 0; index < count; index++) {
      uint32_t pixel = new[index] | drawing.always_set;
      changed += (pixel & drawing.alpha) != 0;
      old[index] = pixel;
    }
    return changed;
  }
  for (int32_t index = 0; index < count; index++) {
    uint32_t pixel = new[index] | drawing.always_set;
    changed += pixel != old[index];
    old[index] = pixel;
  }
  return changed;
}

// False when the memory has become too small.
static int read_pixels(const struct buffer *buffer, int64_t at, uint32_t *pixels, int64_t count) {
  if (!buffer->is_plain)
    return pread(buffer->pool->file, pixels, (size_t)count * 4, at) == count * 4;
  *pixels = buffer->color;
  return 1;
}

// Rows are read many at once, with what lies between them.
static int draw_rectangle(struct picture *picture, const struct buffer *buffer,
                          const struct rectangle *drawn, struct drawing drawing,
                          uint64_t *changed) {
  static uint32_t chunk[CHUNK_PIXELS];
  int64_t step = buffer->stride / 4;
  if (drawn->width <= 0) return 1;
  for (int64_t row = 0, rows; row < drawn->height; row += rows) {
    rows = step > 0 ? (CHUNK_PIXELS - drawn->width) / step + 1 : 1;
    if (rows > drawn->height - row) rows = drawn->height - row;
    int64_t at = buffer->offset + (drawn->y + row) * buffer->stride + drawn->x * 4LL;
    if (!read_pixels(buffer, at, chunk, (rows - 1) * step + drawn->width)) return 0;
    uint32_t *old = picture->pixels + (drawn->y + row) * picture->width + drawn->x;
    for (int64_t read = 0; read < rows; read++, old += picture->width)
      *changed += put_pixels(old, chunk + read * step, drawn->width, drawing);
  }
  return 1;
}

// Without a branch in it, the compiler makes it look at many pixels at once.
static int has_other(const uint32_t *pixels, int64_t count, uint32_t alpha, uint32_t color) {
  uint32_t is_other = 0;
  for (int64_t index = 0; index < count; index++)
    is_other |= (uint32_t)((pixels[index] & alpha) == alpha) & (uint32_t)(pixels[index] != color);
  return is_other != 0;
}

// Shadows around windows, and their round corners, are not opaque.
static void count_colors(struct picture *picture, uint32_t alpha) {
  int64_t count = pixels_of(picture->width, picture->height), index = 0;
  while (index < count && (picture->pixels[index] & alpha) != alpha) index++;
  picture->colors = index < count;
  if (index < count) picture->color = picture->pixels[index];
  for (; index < count && picture->colors < 2; index += BLOCK_PIXELS) {
    int64_t length = count - index < BLOCK_PIXELS ? count - index : BLOCK_PIXELS;
    if (has_other(picture->pixels + index, length, alpha, picture->color)) picture->colors = 2;
  }
}

// Takes over what is damaged, and gives how many pixels are other than before. What cannot be read
// counts as new, and as having more than one color.
static uint64_t draw(struct picture *picture, const struct buffer *buffer,
                     const struct damage *damage) {
  const struct format *format = find_format(buffer->format);
  if (!format || !is_readable(buffer)) return draw_unknown(picture, buffer);
  struct drawing drawing = {format->alpha, format->has_alpha ? 0 : format->alpha,
                            !is_like(picture, buffer)};
  if (drawing.is_new && !begin_picture(picture, buffer)) return draw_unknown(picture, buffer);
  int is_whole = drawing.is_new || damage->is_whole;
  struct rectangle whole = {0, 0, buffer->width, buffer->height};
  uint64_t changed = 0;
  for (int index = 0; index < (is_whole ? 1 : damage->count); index++) {
    struct rectangle drawn = is_whole ? whole : clipped(damage->rectangles[index], buffer);
    if (!draw_rectangle(picture, buffer, &drawn, drawing, &changed))
      return draw_unknown(picture, buffer);
  }
  if (changed > 0) count_colors(picture, format->alpha);
  return changed;
}

// MARK: Objects

enum kind {
  NOTHING,
  DISPLAY,
  REGISTRY,
  COMPOSITOR,
  SUBCOMPOSITOR,
  SHARED_MEMORY,
  POOL,
  BUFFER,
  SURFACE,
  SUBSURFACE,
  CALLBACK,
  SHELL,
  SHELL_SURFACE,
  TOPLEVEL,
  LAYER_SHELL,
  LAYER_SURFACE,
  PRESENTATION,
  FEEDBACK,
  VIEWPORTER,
  VIEWPORT,
  DMABUF,
  DMABUF_PARAMETERS,
  SINGLE_PIXEL,
};

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

struct object {
  enum kind kind;
  union {
    struct pool *pool;  // NULL when it cannot be read
    struct buffer *buffer;
    struct surface *surface;
    uint32_t surface_id;  // of what is made for a surface, which may be gone
    struct rectangle size;
  };
};

enum {
  OBJECT_LIMIT = 1 << 20,
  FIRST_ROOM = 256,
  WORD_LIMIT = 16,
  DEPTH_LIMIT = 32,
  HELD_LIMIT = 28,
};

// An answer of the server that a program has asked for, which tells that it has shown a commit.
struct word {
  uint32_t id;  // 0 where there is none
  int is_feedback;
  int is_committed;
  int is_of_content;  // the window had content by then
  int64_t committed;
};

struct surface {
  struct surface *next, *previous;  // of the client's
  struct surface *parent;
  int is_synchronized;  // what it commits is shown with what its parent commits
  int32_t x, y;         // in the parent
  int32_t scale, transform, width, height;  // the last two by its viewport, or 0
  struct rectangle geometry;  // of the window without its shadow
  struct buffer attached;
  int is_attached, has_buffer;
  struct damage damage, surface_damage;
  struct picture picture;
  uint64_t unseen;  // pixels that changed, and are not shown yet
  struct word words[WORD_LIMIT];
  uint32_t role;  // the object that makes it a window
  struct window *window;
};

// A descriptor that came from the program and may be of a pool.
struct held_file {
  int file;
  uint64_t until;  // messages that begin behind this byte have other ones
};

struct client {
  int32_t pid;
  int64_t connected;
  int is_opaque;
  int64_t at;  // when the message came that is looked at, and how many words it has
  uint32_t words;
  uint64_t requested;  // bytes up to the request that is looked at
  clockid_t clock;     // of what the server says of presentation
  struct surface *surfaces;
  struct held_file held[HELD_LIMIT];
  int held_count;
  struct map {
    struct object *objects;
    uint32_t room;
  } maps[2];  // of ids that the program gives, and of those that the server gives
};

static const uint32_t first_server_id = 0xff000000;
static uint64_t last_window;

static void give_up(struct client *client) { client->is_opaque = 1; }

static struct map *map_of(struct client *client, uint32_t *id) {
  int is_servers = *id >= first_server_id;
  if (is_servers) *id -= first_server_id;
  return &client->maps[is_servers];
}

static struct object *find(struct client *client, uint32_t id) {
  const struct map *map = map_of(client, &id);
  return id < map->room && map->objects[id].kind != NOTHING ? &map->objects[id] : NULL;
}

static struct surface *find_surface(struct client *client, uint32_t id) {
  struct object *object = find(client, id);
  return object && object->kind == SURFACE ? object->surface : NULL;
}

static int grow(struct map *map, uint32_t id) {
  uint32_t room = map->room ? map->room : FIRST_ROOM;
  while (room <= id) room *= 2;
  if (room == map->room) return 1;
  struct object *objects = realloc(map->objects, room * sizeof *objects);
  if (!objects) return 0;
  memset(objects + map->room, 0, (room - map->room) * sizeof *objects);
  *map = (struct map){objects, room};
  return 1;
}

static void forget(struct client *client, uint32_t id);

// NULL when there is none, and the connection is not understood any more.
static struct object *create(struct client *client, uint32_t id, enum kind kind) {
  if (find(client, id)) forget(client, id);
  uint32_t index = id;
  struct map *map = map_of(client, &index);
  if (id == 0 || index >= OBJECT_LIMIT || !grow(map, index)) {
    give_up(client);
    return NULL;
  }
  map->objects[index] = (struct object){.kind = kind};
  return &map->objects[index];
}

// The surface may have had the id itself, and is to be looked up only then.
static void create_for(struct client *client, uint32_t id, enum kind kind, uint32_t surface_id) {
  struct object *object = create(client, id, kind);
  if (object) object->surface_id = surface_id;
}

static void forget_buffer(struct buffer *buffer) {
  release_pool(buffer->pool);
  free(buffer);
}

static void drop_attached(struct surface *surface) {
  release_pool(surface->attached.pool);
  surface->attached = (struct buffer){0};
  surface->is_attached = surface->has_buffer = 0;
  surface->damage.count = surface->damage.is_whole = 0;
  surface->surface_damage.count = surface->surface_damage.is_whole = 0;
}

static void lose(struct client *client, struct surface *surface) {
  if (surface->window) lose_window(surface->window, client->at);
  surface->window = NULL;
  surface->role = 0;
}

static void free_surface(struct surface *surface) {
  drop_attached(surface);
  clear_picture(&surface->picture);
  free(surface);
}

static void forget_surface(struct client *client, struct surface *surface) {
  lose(client, surface);
  *(surface->previous ? &surface->previous->next : &client->surfaces) = surface->next;
  if (surface->next) surface->next->previous = surface->previous;
  for (struct surface *other = client->surfaces; other; other = other->next)
    if (other->parent == surface) other->parent = NULL;
  free_surface(surface);
}

static struct word *find_word(struct surface *surface, uint32_t id) {
  for (int index = 0; index < WORD_LIMIT; index++)
    if (surface->words[index].id == id) return &surface->words[index];
  return NULL;
}

// What an object has made of the surface that it was made for is undone.
static void leave_surface(struct client *client, enum kind kind, uint32_t id,
                          struct surface *surface) {
  struct word *word = find_word(surface, id);
  if (kind == SUBSURFACE) surface->parent = NULL;
  if (kind == VIEWPORT) surface->width = surface->height = 0;
  if ((kind == TOPLEVEL || kind == LAYER_SURFACE) && surface->role == id) lose(client, surface);
  if ((kind == CALLBACK || kind == FEEDBACK) && word) word->id = 0;
}

static void forget(struct client *client, uint32_t id) {
  struct object *found = find(client, id), object;
  if (!found) return;
  object = *found;
  found->kind = NOTHING;
  switch (object.kind) {
  case POOL: release_pool(object.pool); break;
  case BUFFER: forget_buffer(object.buffer); break;
  case SURFACE: forget_surface(client, object.surface); break;
  case SUBSURFACE:
  case VIEWPORT:
  case TOPLEVEL:
  case LAYER_SURFACE:
  case CALLBACK:
  case FEEDBACK: {
    struct surface *surface = find_surface(client, object.surface_id);
    if (surface) leave_surface(client, object.kind, id, surface);
    break;
  }
  default: break;
  }
}

static void destroy(struct client *client, uint32_t id, const uint32_t *words) {
  (void)words;
  forget(client, id);
}

// The text at a word of the message, and behind it the next word; NULL when it is none.
static const char *text_at(struct client *client, const uint32_t *words, uint32_t *index) {
  uint32_t length = *index < client->words ? words[*index] : 0;
  const char *text = (const char *)(words + *index + 1);
  uint32_t room = *index < client->words ? (client->words - *index - 1) * 4 : 0;
  if (length == 0 || length > room || text[length - 1] != 0) return NULL;
  *index += 1 + (length + 3) / 4;
  return text;
}

// MARK: The display, and what it offers

static void get_registry(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  create(client, words[0], REGISTRY);
}

static void bind_global(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  uint32_t next = 1;
  const char *interface = text_at(client, words, &next);
  if (!interface || client->words < next + 2) {
    give_up(client);
    return;
  }
  for (size_t index = 0; index < sizeof globals / sizeof *globals; index++)
    if (strcmp(globals[index].interface, interface) == 0)
      create(client, words[next + 1], globals[index].kind);
}

static void delete_id(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  forget(client, words[0]);
}

// MARK: Buffers

static void forget_held(struct client *client, int count) {
  client->held_count -= count;
  memmove(client->held, client->held + count, (size_t)client->held_count * sizeof *client->held);
}

static void drop_held(struct client *client, int count) {
  for (int index = 0; index < count; index++) close(client->held[index].file);
  forget_held(client, count);
}

// Requests that are not known may have descriptors, too. These are seldom files, and are then for
// messages that have gone by, or too small.
static int take_file(struct client *client, int64_t size) {
  struct stat status;
  int file = -1, taken = 0;
  while (file < 0 && taken < client->held_count) {
    struct held_file held = client->held[taken++];
    if (held.until >= client->requested && fstat(held.file, &status) == 0 && status.st_size >= size)
      file = held.file;
    else
      close(held.file);
  }
  forget_held(client, taken);
  return file;
}

static void hold_files(struct client *client, const int *descriptors, int count, uint64_t until) {
  struct stat status;
  while (client->held_count > 0 && client->held[0].until < client->requested) drop_held(client, 1);
  for (int index = 0; index < count; index++) {
    if (client->is_opaque || client->held_count == HELD_LIMIT || pool_count >= POOL_LIMIT) return;
    if (fstat(descriptors[index], &status) != 0 || !S_ISREG(status.st_mode)) continue;
    int file = fcntl(descriptors[index], F_DUPFD_CLOEXEC, 0);
    if (file >= 0) client->held[client->held_count++] = (struct held_file){file, until};
  }
}

static void create_pool(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  struct object *object = create(client, words[0], POOL);
  if (object) object->pool = open_pool(take_file(client, (int32_t)words[1]), (int32_t)words[1]);
}

static void resize_pool(struct client *client, uint32_t id, const uint32_t *words) {
  struct pool *pool = find(client, id)->pool;
  if (pool && (int32_t)words[0] > pool->size) pool->size = (int32_t)words[0];
}

// Takes over the pool of `buffer`.
static void add_buffer(struct client *client, uint32_t id, const struct buffer *buffer) {
  struct object *object = create(client, id, BUFFER);
  struct buffer *kept = object ? malloc(sizeof *kept) : NULL;
  if (kept) {
    *kept = *buffer;
    object->buffer = kept;
    return;
  }
  if (object) object->kind = NOTHING;
  release_pool(buffer->pool);
  give_up(client);
}

static void create_buffer(struct client *client, uint32_t id, const uint32_t *words) {
  struct buffer buffer = {
      .pool = retain_pool(find(client, id)->pool), .offset = (int32_t)words[1],
      .width = (int32_t)words[2], .height = (int32_t)words[3], .stride = (int32_t)words[4],
      .format = words[5]};
  add_buffer(client, words[0], &buffer);
}

static void create_pixel(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  uint32_t red = words[1] >> 24, green = words[2] >> 24, blue = words[3] >> 24;
  uint32_t color = words[4] >> 24 << 24 | red << 16 | green << 8 | blue;
  struct buffer buffer = {.is_plain = 1, .color = color, .width = 1, .height = 1};
  add_buffer(client, words[0], &buffer);
}

static void create_parameters(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  create(client, words[0], DMABUF_PARAMETERS);
}

// The server gives the buffer its id later.
static void create_dmabuf(struct client *client, uint32_t id, const uint32_t *words) {
  struct rectangle size = {0, 0, (int32_t)words[0], (int32_t)words[1]};
  find(client, id)->size = size;
}

static void dmabuf_created(struct client *client, uint32_t id, const uint32_t *words) {
  struct rectangle size = find(client, id)->size;
  add_buffer(client, words[0], &(struct buffer){.width = size.width, .height = size.height});
}

static void create_dmabuf_now(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  struct buffer buffer = {.width = (int32_t)words[1], .height = (int32_t)words[2]};
  add_buffer(client, words[0], &buffer);
}

// MARK: Surfaces

static void create_surface(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  struct object *object = create(client, words[0], SURFACE);
  struct surface *surface = object ? calloc(1, sizeof *surface) : NULL;
  if (!surface) {
    if (object) object->kind = NOTHING;
    give_up(client);
    return;
  }
  object->surface = surface;
  surface->scale = 1;
  surface->next = client->surfaces;
  if (surface->next) surface->next->previous = surface;
  client->surfaces = surface;
}

// A buffer that is not known has pixels that are not known, and as many as the window.
static void attach(struct client *client, uint32_t id, const uint32_t *words) {
  struct surface *surface = find_surface(client, id);
  struct object *object = find(client, words[0]);
  release_pool(surface->attached.pool);
  surface->attached = (struct buffer){0};
  surface->is_attached = 1;
  surface->has_buffer = words[0] != 0;
  surface->attached.width = surface->geometry.width;
  surface->attached.height = surface->geometry.height;
  if (!object || object->kind != BUFFER) return;
  surface->attached = *object->buffer;
  retain_pool(surface->attached.pool);
}

static struct rectangle rectangle_at(const uint32_t *words) {
  return (struct rectangle){(int32_t)words[0], (int32_t)words[1], (int32_t)words[2],
                            (int32_t)words[3]};
}

static void set_geometry(struct client *client, uint32_t id, const uint32_t *words) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  if (surface) surface->geometry = rectangle_at(words);
}

static void damage(struct client *client, uint32_t id, const uint32_t *words) {
  add_damage(&find_surface(client, id)->surface_damage, rectangle_at(words));
}

static void damage_buffer(struct client *client, uint32_t id, const uint32_t *words) {
  add_damage(&find_surface(client, id)->damage, rectangle_at(words));
}

static void set_transform(struct client *client, uint32_t id, const uint32_t *words) {
  find_surface(client, id)->transform = (int32_t)words[0];
}

static void set_scale(struct client *client, uint32_t id, const uint32_t *words) {
  find_surface(client, id)->scale = (int32_t)words[0] > 0 ? (int32_t)words[0] : 1;
}

static void get_viewport(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  create_for(client, words[0], VIEWPORT, words[1]);
}

static void set_destination(struct client *client, uint32_t id, const uint32_t *words) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  int is_set = (int32_t)words[0] > 0 && (int32_t)words[1] > 0;
  if (!surface) return;
  surface->width = is_set ? (int32_t)words[0] : 0;
  surface->height = is_set ? (int32_t)words[1] : 0;
}

static void get_subsurface(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  create_for(client, words[0], SUBSURFACE, words[1]);
  struct surface *surface = find_surface(client, words[1]);
  if (!surface) return;
  surface->parent = find_surface(client, words[2]);
  surface->is_synchronized = 1;
  surface->x = surface->y = 0;
}

static void set_position(struct client *client, uint32_t id, const uint32_t *words) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  if (!surface) return;
  surface->x = (int32_t)words[0];
  surface->y = (int32_t)words[1];
}

static void set_synchronized(struct client *client, uint32_t id, int is_synchronized) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  if (surface) surface->is_synchronized = is_synchronized;
}

static void set_sync(struct client *client, uint32_t id, const uint32_t *words) {
  (void)words;
  set_synchronized(client, id, 1);
}

static void set_desync(struct client *client, uint32_t id, const uint32_t *words) {
  (void)words;
  set_synchronized(client, id, 0);
}

// MARK: Trees of surfaces. What says that it is its own ancestor is followed for a while only.

static int32_t width_of(const struct surface *surface) {
  return surface->width ? surface->width : surface->picture.width / surface->scale;
}

static int32_t height_of(const struct surface *surface) {
  return surface->height ? surface->height : surface->picture.height / surface->scale;
}

static int overlaps(int64_t start, int32_t length, int32_t limit) {
  return start < limit && start + length > 0;
}

// What lies around its parent, such as a title bar, decorates it, and is no content.
static int is_decoration(const struct surface *surface) {
  const struct surface *parent = surface->parent;
  if (!width_of(surface) || !width_of(parent)) return 0;
  return !overlaps(surface->x, width_of(surface), width_of(parent))
      || !overlaps(surface->y, height_of(surface), height_of(parent));
}

static int is_part(const struct surface *surface, const struct surface *whole) {
  for (int depth = 0; surface && depth < DEPTH_LIMIT; depth++, surface = surface->parent) {
    if (surface == whole) return 1;
    if (surface->parent && is_decoration(surface)) return 0;
  }
  return 0;
}

static struct surface *root_of(struct surface *surface) {
  for (int depth = 0; depth < DEPTH_LIMIT; depth++, surface = surface->parent)
    if (!surface->parent) return surface;
  return NULL;
}

// The window that the surface is part of, or NULL.
static struct window *window_of(struct surface *surface) {
  struct surface *root = root_of(surface);
  return root ? root->window : NULL;
}

// What it commits waits for a surface above it.
static int is_cached(const struct surface *surface) {
  for (int depth = 0; surface->parent && depth < DEPTH_LIMIT; depth++, surface = surface->parent)
    if (surface->is_synchronized) return 1;
  return 0;
}

static uint32_t colors_of(const struct client *client, const struct surface *root) {
  uint32_t colors = 0, color = 0;
  for (const struct surface *surface = client->surfaces; surface; surface = surface->next) {
    const struct picture *picture = &surface->picture;
    if (picture->colors == 0 || !is_part(surface, root)) continue;
    if (picture->colors > 1 || (colors == 1 && color != picture->color)) return 2;
    colors = 1;
    color = picture->color;
  }
  return colors;
}

// MARK: Commits

// Where a surface is shown as it is, its damage is that of its buffer.
static void take_damage(struct surface *surface) {
  const struct damage *other = &surface->surface_damage;
  int is_plain = surface->scale == 1 && surface->transform == 0 && !surface->width;
  surface->damage.is_whole |= other->is_whole || (other->count > 0 && !is_plain);
  for (int index = 0; index < other->count && !surface->damage.is_whole; index++)
    add_damage(&surface->damage, other->rectangles[index]);
}

// Pixels that nobody asks for are not read; the next ones are then all new.
static void take_content(struct surface *surface, const struct window *window) {
  take_damage(surface);
  if (surface->has_buffer && window && wants_pixels(window)) {
    surface->unseen += draw(&surface->picture, &surface->attached, &surface->damage);
    return;
  }
  clear_picture(&surface->picture);
  if (!surface->has_buffer) return;
  surface->picture.width = surface->attached.width;
  surface->picture.height = surface->attached.height;
}

static void map_or_unmap(struct client *client, struct surface *root) {
  struct window *window = root->window;
  if (!root->has_buffer) {
    hide_window(window, client->at);
    return;
  }
  int32_t width = root->width ? root->width : root->attached.width;
  int32_t height = root->height ? root->height : root->attached.height;
  if (width > 0 && height > 0) size_window(window, client->at, (uint32_t)width, (uint32_t)height);
  show_window(window, client->at);
}

static void tell_of_pixels(struct client *client, struct surface *committed) {
  struct surface *root = root_of(committed);
  uint64_t changed = 0;
  for (struct surface *surface = client->surfaces; surface; surface = surface->next) {
    if (surface->unseen == 0 || !is_part(surface, committed)) continue;
    changed += surface->unseen;
    surface->unseen = 0;
  }
  if (changed > 0) draw_window(root->window, client->at, changed, colors_of(client, root));
}

// Feedback says when it was shown, a callback only that it is time for the next one.
static void commit_words(struct client *client, struct surface *surface, int has_content) {
  int has_feedback = 0;
  for (int index = 0; index < WORD_LIMIT; index++) {
    const struct word *word = &surface->words[index];
    has_feedback |= word->id != 0 && word->is_feedback && !word->is_committed;
  }
  for (int index = 0; index < WORD_LIMIT; index++) {
    struct word *word = &surface->words[index];
    if (word->is_committed) continue;
    word->is_committed = 1;
    word->is_of_content = has_content && (word->is_feedback || !has_feedback);
    word->committed = client->at;
  }
}

static void commit(struct client *client, uint32_t id, const uint32_t *words) {
  (void)words;
  struct surface *surface = find_surface(client, id);
  struct window *window = window_of(surface);
  if (surface->is_attached) {
    take_content(surface, window);
    if (surface->window) map_or_unmap(client, surface);
  }
  if (window && window->is_shown && !is_cached(surface)) tell_of_pixels(client, surface);
  commit_words(client, surface, window && window->content);
  drop_attached(surface);
}

// MARK: The server's word

static void ask(struct client *client, uint32_t surface_id, uint32_t id, int is_feedback) {
  create_for(client, id, is_feedback ? FEEDBACK : CALLBACK, surface_id);
  struct surface *surface = find_surface(client, surface_id);
  struct word *word = surface && !client->is_opaque ? find_word(surface, 0) : NULL;
  if (word) *word = (struct word){.id = id, .is_feedback = is_feedback};
}

static void frame(struct client *client, uint32_t id, const uint32_t *words) {
  ask(client, id, words[0], 0);
}

static void feedback(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  ask(client, words[0], words[1], 1);
}

static void clock_id(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  client->clock = (clockid_t)words[0];
}

// The instant by the clock of this program; what cannot be told is now.
static int64_t to_monotonic(const struct client *client, uint64_t said) {
  struct timespec other;
  if (client->clock == CLOCK_MONOTONIC) return (int64_t)said;
  if (clock_gettime(client->clock, &other) != 0) return client->at;
  uint64_t now = (uint64_t)other.tv_sec * 1000000000 + (uint64_t)other.tv_nsec;
  return (int64_t)(said + (uint64_t)monotonic() - now);
}

// Nothing was shown before it was committed, or after this was said.
static void hear(struct client *client, uint32_t id, int64_t said) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  const struct word *word = surface ? find_word(surface, id) : NULL;
  struct window *window = word && word->is_of_content ? window_of(surface) : NULL;
  // The surface may have become another window since.
  if (window && window->content && word->committed >= window->content) {
    int is_possible = said >= word->committed && said <= client->at;
    present_window(window, is_possible ? said : client->at);
  }
  forget(client, id);
}

static void done(struct client *client, uint32_t id, const uint32_t *words) {
  (void)words;
  hear(client, id, client->at);
}

static void presented(struct client *client, uint32_t id, const uint32_t *words) {
  uint64_t seconds = (uint64_t)words[0] << 32 | words[1];
  hear(client, id, to_monotonic(client, seconds * 1000000000 + words[2]));
}

// MARK: Windows

static void make_window(struct client *client, enum kind kind, uint32_t id, uint32_t surface_id) {
  create_for(client, id, kind, surface_id);
  struct surface *surface = find_surface(client, surface_id);
  if (!surface || client->is_opaque) return;
  lose(client, surface);
  surface->role = id;
  surface->window = add_window(++last_window, client->pid, client->at);
  if (surface->window) surface->window->connected = client->connected;
}

static void get_shell_surface(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  create_for(client, words[0], SHELL_SURFACE, words[1]);
}

static void get_toplevel(struct client *client, uint32_t id, const uint32_t *words) {
  make_window(client, TOPLEVEL, words[0], find(client, id)->surface_id);
}

static struct window *toplevel_window(struct client *client, uint32_t id) {
  struct surface *surface = find_surface(client, find(client, id)->surface_id);
  return surface && surface->role == id ? surface->window : NULL;
}

static void set_title(struct client *client, uint32_t id, const uint32_t *words) {
  uint32_t next = 0;
  const char *title = text_at(client, words, &next);
  struct window *window = toplevel_window(client, id);
  if (!title) give_up(client);
  if (title && window) name_window(window, client->at, title, window->class);
}

static void set_app_id(struct client *client, uint32_t id, const uint32_t *words) {
  uint32_t next = 0;
  const char *name = text_at(client, words, &next);
  struct window *window = toplevel_window(client, id);
  if (!name) give_up(client);
  if (name && window) name_window(window, client->at, window->title, name);
}

static void get_layer_surface(struct client *client, uint32_t id, const uint32_t *words) {
  (void)id;
  uint32_t next = 4;
  const char *name = text_at(client, words, &next);
  if (!name) {
    give_up(client);
    return;
  }
  make_window(client, LAYER_SURFACE, words[0], words[1]);
  struct surface *surface = find_surface(client, words[1]);
  if (surface && surface->window) name_window(surface->window, client->at, "", name);
}

// MARK: Messages

// Those that are understood, and how many words they have at least; descriptors take none.
struct message {
  enum kind kind;
  uint32_t opcode, words;
  void (*handle)(struct client *client, uint32_t id, const uint32_t *words);
};

static const struct message requests[] = {
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

static const struct message events[] = {
    {DISPLAY, 1, 1, delete_id},
    {CALLBACK, 0, 1, done},
    {PRESENTATION, 0, 1, clock_id},
    {FEEDBACK, 1, 7, presented},
    {FEEDBACK, 2, 0, destroy},
    {DMABUF_PARAMETERS, 0, 1, dmabuf_created},
};

static void understand(struct client *client, int is_request, const uint32_t *message) {
  const struct message *known = is_request ? requests : events;
  size_t count = is_request ? sizeof requests / sizeof *requests : sizeof events / sizeof *events;
  struct object *object = find(client, message[0]);
  uint32_t opcode = message[1] & 0xffff;
  if (!object) return;
  client->words = (message[1] >> 16) / 4 - 2;
  for (size_t index = 0; index < count; index++) {
    if (known[index].kind != object->kind || known[index].opcode != opcode) continue;
    if (client->words >= known[index].words)
      known[index].handle(client, message[0], message + 2);
    else
      give_up(client);
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
    if (length < 8 || length % 4 != 0) give_up(client);
    if (client->is_opaque || count - read < length) break;
    understand(client, is_request, message);
    read += length;
    if (is_request) client->requested += length;
  }
  if (!client->is_opaque) return read;
  drop_held(client, client->held_count);
  return count;
}

// MARK: Clients

struct client *client_add(int32_t pid, int64_t connected) {
  struct client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  *client = (struct client){.pid = pid, .connected = connected, .clock = CLOCK_MONOTONIC};
  create(client, 1, DISPLAY);
  return client;
}

void client_forget_windows(struct client *client) {
  for (struct surface *surface = client->surfaces; surface; surface = surface->next)
    surface->window = NULL;
}

// The surfaces go last, and all at once: what is left of other objects does not matter then.
void client_remove(struct client *client, int64_t at) {
  for (struct surface *surface = client->surfaces; surface; surface = surface->next)
    if (surface->window) lose_window(surface->window, at);
  for (int map = 0; map < 2; map++) {
    for (uint32_t id = 0; id < client->maps[map].room; id++) {
      struct object *object = &client->maps[map].objects[id];
      if (object->kind == POOL) release_pool(object->pool);
      if (object->kind == BUFFER) forget_buffer(object->buffer);
    }
    free(client->maps[map].objects);
  }
  for (struct surface *surface = client->surfaces, *next; surface; surface = next) {
    next = surface->next;
    free_surface(surface);
  }
  drop_held(client, client->held_count);
  free(client);
}
