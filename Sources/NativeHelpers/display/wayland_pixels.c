// Memory that programs share with the server, and what they draw into it.
//
// A program may shrink the memory, or change it at any time: it is read with pread(2), which gives
// an error where an access to mapped memory would be a signal.
#define _GNU_SOURCE
#include "wayland_objects.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  POOL_LIMIT = 1024,           // descriptors of all clients
  CHUNK_PIXELS = 64 << 10,     // read at once
  BLOCK_PIXELS = 4 << 10,      // compared with a color at once
  LENGTH_LIMIT = 32 << 10,     // pixels of a side of a buffer that is read
  MEMORY_LIMIT = 512 << 20,    // bytes of all pictures
  KEPT_MEMORY = 64 << 20,      // of those that are gone
};

static int pool_count;

int has_room_for_pool(void) { return pool_count < POOL_LIMIT; }

struct pool *open_pool(int file, int64_t size) {
  struct pool *pool = file >= 0 ? malloc(sizeof *pool) : NULL;
  if (pool) {
    *pool = (struct pool){file, 1, size};
    pool_count++;
  } else if (file >= 0) {
    close(file);
  }
  return pool;
}

struct pool *retain_pool(struct pool *pool) {
  if (pool) pool->references++;
  return pool;
}

void release_pool(struct pool *pool) {
  if (!pool || --pool->references > 0) return;
  close(pool->file);
  free(pool);
  pool_count--;
}

#define FOUR_LETTERS(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// Where the alpha is and whether it counts, and where the upper eight bits of each color begin.
static const struct format {
  uint32_t name, alpha;
  int has_alpha;
  uint8_t red, green, blue;
} formats[] = {
    {0, 0xff000000, 1, 16, 8, 0},
    {1, 0xff000000, 0, 16, 8, 0},
    {FOUR_LETTERS('A', 'B', '2', '4'), 0xff000000, 1, 0, 8, 16},
    {FOUR_LETTERS('X', 'B', '2', '4'), 0xff000000, 0, 0, 8, 16},
    {FOUR_LETTERS('R', 'A', '2', '4'), 0x000000ff, 1, 24, 16, 8},
    {FOUR_LETTERS('R', 'X', '2', '4'), 0x000000ff, 0, 24, 16, 8},
    {FOUR_LETTERS('B', 'A', '2', '4'), 0x000000ff, 1, 8, 16, 24},
    {FOUR_LETTERS('B', 'X', '2', '4'), 0x000000ff, 0, 8, 16, 24},
    {FOUR_LETTERS('A', 'R', '3', '0'), 0xc0000000, 1, 22, 12, 2},
    {FOUR_LETTERS('X', 'R', '3', '0'), 0xc0000000, 0, 22, 12, 2},
    {FOUR_LETTERS('A', 'B', '3', '0'), 0xc0000000, 1, 2, 12, 22},
    {FOUR_LETTERS('X', 'B', '3', '0'), 0xc0000000, 0, 2, 12, 22},
};

static const struct format *find_format(uint32_t name) {
  for (size_t index = 0; index < sizeof formats / sizeof *formats; index++)
    if (formats[index].name == name) return &formats[index];
  return NULL;
}

// MARK: Pictures

static int64_t picture_bytes;

static int64_t pixels_of(int32_t width, int32_t height) {
  return width > 0 && height > 0 ? (int64_t)width * height : 0;
}

void clear_picture(struct picture *picture) {
  if (picture->pixels) picture_bytes -= 4 * pixels_of(picture->width, picture->height);
  free(picture->pixels);
  *picture = (struct picture){0};
}

void add_damage(struct damage *damage, struct rectangle rectangle) {
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

// New memory is only written: where it is read first, the kernel has to provide it twice.
static uint32_t put_pixels(uint32_t *old, const uint32_t *new, int32_t count,
                           struct drawing drawing) {
  uint32_t changed = 0;
  for (int32_t index = 0; drawing.is_new && index < count; index++) {
    old[index] = new[index] | drawing.always_set;
    changed += (old[index] & drawing.alpha) != 0;
  }
  for (int32_t index = 0; !drawing.is_new && index < count; index++) {
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
    rows = (CHUNK_PIXELS - drawn->width) / step + 1;
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

uint64_t draw_picture(struct picture *picture, const struct buffer *buffer,
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

// MARK: Canvases

// Colors of pixels that let others through are stored as they add to these.
static uint32_t laid_over(uint32_t below, uint32_t pixel, const struct format *format) {
  uint32_t red = pixel >> format->red & 0xff, green = pixel >> format->green & 0xff;
  uint32_t blue = pixel >> format->blue & 0xff;
  if ((pixel & format->alpha) != format->alpha) {
    uint32_t lowest = format->alpha & -format->alpha, whole = format->alpha / lowest;
    uint32_t rest = whole - (pixel & format->alpha) / lowest;
    red += (below >> 16 & 0xff) * rest / whole;
    green += (below >> 8 & 0xff) * rest / whole;
    blue += (below & 0xff) * rest / whole;
  }
  return (red < 0xff ? red : 0xff) << 16 | (green < 0xff ? green : 0xff) << 8
       | (blue < 0xff ? blue : 0xff);
}

int lay_picture(const struct picture *picture, const struct rectangle *place,
                const struct canvas *canvas) {
  const struct format *format = find_format(picture->format);
  if (!format || !picture->pixels || place->width <= 0 || place->height <= 0) return 0;
  int32_t left = clip(place->x, canvas->width), top = clip(place->y, canvas->height);
  int32_t right = clip((int64_t)place->x + place->width, canvas->width);
  int32_t bottom = clip((int64_t)place->y + place->height, canvas->height);
  for (int64_t y = top; y < bottom; y++) {
    int64_t row = (y - place->y) * picture->height / place->height;
    const uint32_t *pixels = picture->pixels + row * picture->width;
    uint32_t *laid = canvas->pixels + y * canvas->width;
    int is_as_wide = picture->width == place->width;
    for (int32_t x = left; x < right; x++) {
      int64_t column = x - place->x;
      if (!is_as_wide) column = column * picture->width / place->width;
      laid[x] = laid_over(laid[x], pixels[column], format);
    }
  }
  return 1;
}
