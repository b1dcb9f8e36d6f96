// Pictures are kept as they are until the launch has ended, since PNG takes time to make.
#include "film.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// A window that changes for long has every second picture left out, and then again.
enum { FRAME_LIMIT = 48, WINDOW_LIMIT = 16, WIDTH_LIMIT = 320, HEIGHT_LIMIT = 240, COLORS = 3 };

struct frame {
  int64_t at;
  uint32_t width, height;
  uint8_t *rows;  // each begins with the kind of its filter, as in PNG; source: its specification, 9
};

static struct film {
  const struct window *window;
  int64_t newest;    // change of the window that was looked at
  int64_t interval;  // what is shown more briefly is left out, once something has been left out
  unsigned count;
  struct frame frames[FRAME_LIMIT];
} films[WINDOW_LIMIT];
static unsigned film_count;
static int is_on;

int is_filming(void) { return is_on; }

void begin_film(int is_wanted) {
  for (; film_count > 0; film_count--) {
    struct film *film = &films[film_count - 1];
    while (film->count > 0) free(film->frames[--film->count].rows);
  }
  is_on = is_wanted;
}

static size_t row_length(const struct frame *frame) { return 1 + (size_t)frame->width * COLORS; }

static size_t rows_length(const struct frame *frame) { return row_length(frame) * frame->height; }

// The mean color of a square of pixels, or of what there is of it at the edge.
static void shrink_square(const uint32_t *pixels, uint32_t stride, uint32_t width, uint32_t height,
                          uint8_t *color) {
  uint32_t sums[COLORS] = {0}, count = width * height;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint32_t pixel = pixels[(size_t)y * stride + x];
      sums[0] += pixel >> 16 & 0xff;
      sums[1] += pixel >> 8 & 0xff;
      sums[2] += pixel & 0xff;
    }
  for (int index = 0; index < COLORS; index++)
    color[index] = (uint8_t)((sums[index] + count / 2) / count);
}

static uint32_t least(uint32_t left, uint32_t right) { return left < right ? left : right; }

static uint32_t parts(uint32_t length, uint32_t size) { return (length + size - 1) / size; }

// False when there is no memory.
static int shrink(struct frame *frame, const uint32_t *pixels, uint32_t width, uint32_t height) {
  uint32_t across = parts(width, WIDTH_LIMIT), down = parts(height, HEIGHT_LIMIT);
  uint32_t side = across > down ? across : down;
  frame->width = parts(width, side);
  frame->height = parts(height, side);
  frame->rows = calloc(frame->height, row_length(frame));
  if (!frame->rows) return 0;
  for (uint32_t y = 0; y < frame->height; y++)
    for (uint32_t x = 0; x < frame->width; x++)
      shrink_square(pixels + (size_t)y * side * width + (size_t)x * side, width,
                    least(side, width - x * side), least(side, height - y * side),
                    frame->rows + y * row_length(frame) + 1 + (size_t)x * COLORS);
  return 1;
}

static int looks_like(const struct frame *frame, const struct frame *other) {
  return frame->width == other->width && frame->height == other->height
      && memcmp(frame->rows, other->rows, rows_length(frame)) == 0;
}

static struct film *film_of(const struct window *window) {
  for (unsigned index = 0; index < film_count; index++)
    if (films[index].window == window) return &films[index];
  return NULL;
}

static struct film *begin_film_of(const struct window *window) {
  if (film_count == WINDOW_LIMIT) return NULL;
  films[film_count] = (struct film){.window = window};
  return &films[film_count++];
}

// The first and the last stay.
static void thin_out(struct film *film) {
  unsigned kept = 0;
  for (unsigned index = 0; index < film->count; index++)
    if (index % 2 == 0 || index == film->count - 1)
      film->frames[kept++] = film->frames[index];
    else
      free(film->frames[index].rows);
  film->count = kept;
  film->interval = (film->frames[kept - 1].at - film->frames[0].at) / (FRAME_LIMIT / 2);
}

// Whether the last frame comes soon after the one before it, and is soon followed by the next one.
static int is_brief(const struct film *film, int64_t next) {
  if (film->count < 2) return 0;
  const struct frame *last = &film->frames[film->count - 1];
  return last->at - last[-1].at < film->interval && next - last->at < film->interval;
}

void film_window(const struct window *window, const uint32_t *pixels, uint32_t width,
                 uint32_t height) {
  struct frame frame = {.at = moved(window)};
  struct film *film = film_of(window);
  // Changes that do not keep a window from settling are none of its film either.
  if (!is_on || frame.at == 0 || (film && film->newest == frame.at)) return;
  if (!film) film = begin_film_of(window);
  if (!film || width == 0 || height == 0 || !shrink(&frame, pixels, width, height)) return;
  film->newest = frame.at;
  struct frame *last = film->count > 0 ? &film->frames[film->count - 1] : NULL;
  if (last && looks_like(last, &frame)) return free(frame.rows);
  if (is_brief(film, frame.at)) {
    free(last->rows);
    *last = frame;
    return;
  }
  if (film->count == FRAME_LIMIT) thin_out(film);
  film->frames[film->count++] = frame;
}

// MARK: PNG. Source: its specification, second edition, 5 and 11.

enum { SIGNATURE_LENGTH = 8, HEADER_LENGTH = 13, CHUNK_OVERHEAD = 12 };

static void put_number(uint8_t *bytes, uint32_t number) {
  for (int index = 0; index < 4; index++) bytes[index] = (uint8_t)(number >> (24 - 8 * index));
}

// The content is there already, behind its length and its name.
static size_t end_chunk(uint8_t *chunk, const char *name, size_t length) {
  put_number(chunk, (uint32_t)length);
  memcpy(chunk + 4, name, 4);
  put_number(chunk + 8 + length, (uint32_t)crc32(0, chunk + 4, (uInt)length + 4));
  return length + CHUNK_OVERHEAD;
}

static size_t png_limit(const struct frame *frame) {
  return SIGNATURE_LENGTH + HEADER_LENGTH + 3 * CHUNK_OVERHEAD + compressBound(rows_length(frame));
}

// The bytes of it; 0 when there is no memory.
static size_t write_png(const struct frame *frame, uint8_t *png) {
  memcpy(png, "\x89PNG\r\n\x1a\n", SIGNATURE_LENGTH);
  uint8_t *chunk = png + SIGNATURE_LENGTH;
  put_number(chunk + 8, frame->width);
  put_number(chunk + 12, frame->height);
  memcpy(chunk + 16, "\x08\x02\x00\x00\x00", 5);  // eight bits of each of three colors
  chunk += end_chunk(chunk, "IHDR", HEADER_LENGTH);
  uLongf length = compressBound(rows_length(frame));
  if (compress(chunk + 8, &length, frame->rows, rows_length(frame)) != Z_OK) return 0;
  chunk += end_chunk(chunk, "IDAT", length);
  return (size_t)(chunk - png) + end_chunk(chunk, "IEND", 0);
}

// MARK: The answer

static void count_levels(const struct frame *frame, struct film_frame *head) {
  for (uint32_t y = 0; y < frame->height; y++) {
    const uint8_t *row = frame->rows + y * row_length(frame) + 1;
    for (uint32_t x = 0; x < frame->width; x++, row += COLORS)
      for (int color = 0; color < COLORS; color++) head->histogram[color][row[color]]++;
  }
}

char *develop_film(const struct window *window, uint32_t *count, size_t *length) {
  const struct film *film = film_of(window);
  size_t limit = 1;
  *count = 0;
  *length = 0;
  for (unsigned index = 0; film && index < film->count; index++)
    limit += sizeof(struct film_frame) + png_limit(&film->frames[index]);
  char *developed = malloc(limit);
  for (unsigned index = 0; film && developed && index < film->count; index++) {
    const struct frame *frame = &film->frames[index];
    struct film_frame head = {.at = frame->at};
    head.png_length = (uint32_t)write_png(frame, (uint8_t *)developed + *length + sizeof head);
    if (head.png_length == 0) continue;
    count_levels(frame, &head);
    memcpy(developed + *length, &head, sizeof head);
    *length += sizeof head + head.png_length;
    ++*count;
  }
  return developed;
}
