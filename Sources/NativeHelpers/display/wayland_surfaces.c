// Surfaces: which windows they are, or are parts of, and when these show something.
#define _GNU_SOURCE
#include "wayland_objects.h"

#include <stdlib.h>

#include "film.h"

enum { DEPTH_LIMIT = 32, LAYER_LIMIT = 64, SIDE_LIMIT = 8 << 10 };

static uint64_t last_window;

// MARK: Coming and going

void add_surface(struct client *client, uint32_t id) {
  struct object *object = create(client, id, SURFACE, id);
  struct surface *surface = object ? calloc(1, sizeof *surface) : NULL;
  if (!surface) {
    if (object) object->kind = NOTHING;
    give_up_on(client);
    return;
  }
  surface->scale = 1;
  surface->next = client->surfaces;
  object->surface = client->surfaces = surface;
}

static void lose(struct client *client, struct surface *surface) {
  if (surface->window) lose_window(surface->window, client->at);
  surface->window = NULL;
  surface->role = 0;
}

static void drop_pending(struct surface *surface) {
  release_pool(surface->pending.buffer.pool);
  surface->pending = (struct pending){0};
}

static void free_surface(struct client *client, struct surface *surface) {
  lose(client, surface);
  drop_pending(surface);
  clear_picture(&surface->picture);
  free(surface);
}

void remove_surface(struct client *client, struct surface *surface) {
  for (struct surface **at = &client->surfaces; *at; at = &(*at)->next) {
    if (*at == surface) *at = surface->next;
    if (!*at) break;
    if ((*at)->parent == surface) (*at)->parent = NULL;
  }
  free_surface(client, surface);
}

void remove_surfaces(struct client *client) {
  for (struct surface *surface = client->surfaces, *next; surface; surface = next) {
    next = surface->next;
    free_surface(client, surface);
  }
}

static struct word *find_word(struct surface *surface, uint32_t id) {
  for (int index = 0; index < WORD_LIMIT; index++)
    if (surface->words[index].id == id) return &surface->words[index];
  return NULL;
}

void leave_surface(struct client *client, struct surface *surface, enum kind kind, uint32_t id) {
  struct word *word = find_word(surface, id);
  if (kind == SUBSURFACE) surface->parent = NULL;
  if (kind == VIEWPORT) surface->width = surface->height = 0;
  if ((kind == TOPLEVEL || kind == LAYER_SURFACE) && surface->role == id) lose(client, surface);
  if ((kind == CALLBACK || kind == FEEDBACK) && word) word->id = 0;
}

void make_window(struct client *client, struct surface *surface, uint32_t role) {
  lose(client, surface);
  surface->role = role;
  surface->window = add_window(++last_window, client->pid, client->at);
  if (surface->window) surface->window->connected = client->connected;
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

void attach_buffer(struct surface *surface, const struct buffer *buffer) {
  release_pool(surface->pending.buffer.pool);
  surface->pending.buffer = buffer ? *buffer : (struct buffer){0};
  retain_pool(surface->pending.buffer.pool);
  surface->pending.is_attached = 1;
  surface->pending.has_buffer = buffer != NULL;
}

// Where a surface is shown as it is, its damage is that of its buffer.
static void take_damage(struct surface *surface) {
  struct damage *damage = &surface->pending.damage;
  const struct damage *other = &surface->pending.surface_damage;
  int is_plain = surface->scale == 1 && surface->transform == 0 && !surface->width;
  damage->is_whole |= other->is_whole || (other->count > 0 && !is_plain);
  for (int index = 0; index < other->count && !damage->is_whole; index++)
    add_damage(damage, other->rectangles[index]);
}

// Pixels that nobody asks for are not read; the next ones are then all new.
static void take_content(struct surface *surface, const struct window *window) {
  const struct pending *pending = &surface->pending;
  take_damage(surface);
  if (pending->has_buffer && window && wants_pixels(window)) {
    surface->unseen += draw_picture(&surface->picture, &pending->buffer, &pending->damage);
    return;
  }
  clear_picture(&surface->picture);
  surface->picture.width = pending->buffer.width;
  surface->picture.height = pending->buffer.height;
}

static void map_or_unmap(struct client *client, struct surface *root) {
  if (!root->pending.has_buffer) {
    hide_window(root->window, client->at);
    return;
  }
  int32_t width = root->width ? root->width : root->pending.buffer.width;
  int32_t height = root->height ? root->height : root->pending.buffer.height;
  if (width > 0 && height > 0)
    size_window(root->window, client->at, (uint32_t)width, (uint32_t)height);
  show_window(root->window, client->at);
}

// Those of the window from the lowest on, as they lie where no program says otherwise.
static int list_layers(const struct client *client, const struct surface *root,
                       const struct surface **layers) {
  int count = 0, start = 1;
  layers[count++] = root;
  for (int below = 0; below < count; below++, start = count) {
    for (const struct surface *surface = client->surfaces; surface; surface = surface->next)
      if (surface->parent == layers[below] && surface != root && count < LAYER_LIMIT)
        layers[count++] = surface;
    // The surfaces of a client are listed from the newest on.
    for (int end = count - 1; start < end; start++, end--) {
      const struct surface *newer = layers[start];
      layers[start] = layers[end];
      layers[end] = newer;
    }
  }
  return count;
}

static int32_t bounded(int64_t value) {
  return (int32_t)(value < -SIDE_LIMIT ? -SIDE_LIMIT : value > SIDE_LIMIT ? SIDE_LIMIT : value);
}

// Where it lies in what is seen of its window, in pixels of that.
static struct rectangle place_of(const struct surface *surface, const struct surface *root) {
  int64_t x = -(int64_t)root->geometry.x, y = -(int64_t)root->geometry.y, scale = root->scale;
  for (const struct surface *part = surface; part != root; part = part->parent) {
    x += part->x;
    y += part->y;
  }
  return (struct rectangle){bounded(x * scale), bounded(y * scale),
                            bounded(width_of(surface) * scale), bounded(height_of(surface) * scale)};
}

static void film_layers(const struct client *client, const struct surface *root) {
  const struct surface *layers[LAYER_LIMIT];
  const struct rectangle *seen = &root->geometry;
  int64_t width = (seen->width > 0 ? seen->width : width_of(root)) * (int64_t)root->scale;
  int64_t height = (seen->height > 0 ? seen->height : height_of(root)) * (int64_t)root->scale;
  if (width <= 0 || height <= 0 || width > SIDE_LIMIT || height > SIDE_LIMIT) return;
  struct canvas canvas = {calloc((size_t)(width * height), sizeof(uint32_t)), (int32_t)width,
                          (int32_t)height};
  int count = canvas.pixels ? list_layers(client, root, layers) : 0, is_known = count > 0;
  for (int index = 0; index < count && is_known; index++) {
    struct rectangle place = place_of(layers[index], root);
    const struct picture *picture = &layers[index]->picture;
    is_known = picture->width == 0 || lay_picture(picture, &place, &canvas);
  }
  if (is_known)
    film_window(root->window, canvas.pixels, (uint32_t)width, (uint32_t)height);
  free(canvas.pixels);
}

static void tell_of_pixels(struct client *client, struct surface *committed) {
  struct surface *root = root_of(committed);
  uint64_t changed = 0;
  for (struct surface *surface = client->surfaces; surface; surface = surface->next) {
    if (surface->unseen == 0 || !is_part(surface, committed)) continue;
    changed += surface->unseen;
    surface->unseen = 0;
  }
  if (changed == 0) return;
  draw_window(root->window, client->at, client->at, changed, colors_of(client, root));
  if (is_filming() && moved(root->window) == client->at) film_layers(client, root);
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

void commit_surface(struct client *client, struct surface *surface) {
  struct window *window = window_of(surface);
  if (surface->pending.is_attached) {
    take_content(surface, window);
    if (surface->window) map_or_unmap(client, surface);
  }
  if (window && window->is_shown && !is_cached(surface)) tell_of_pixels(client, surface);
  commit_words(client, surface, window && window->content);
  drop_pending(surface);
}

// MARK: The server's word

void ask_for_word(struct surface *surface, uint32_t id, int is_feedback) {
  struct word *word = find_word(surface, 0);
  if (word) *word = (struct word){.id = id, .is_feedback = is_feedback};
}

// Nothing was shown before it was committed, or after this was said.
void hear_word(struct client *client, struct surface *surface, uint32_t id, int64_t said) {
  const struct word *word = find_word(surface, id);
  struct window *window = word && word->is_of_content ? window_of(surface) : NULL;
  // The surface may have become another window since.
  if (!window || !window->content || word->committed < window->content) return;
  int is_possible = said >= word->committed && said <= client->at;
  present_window(window, is_possible ? said : client->at);
}
