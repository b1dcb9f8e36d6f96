// What windows show. The server notes what is drawn on them, and only that is fetched and compared
// with what was there before. Nothing is asked at intervals.
#define _GNU_SOURCE
#include "x11.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xcb/shm.h>

#include "film.h"

// Pixels have eight bits for each of three colors; the rest is none of the content.
static const uint32_t color_bits = 0xffffff, unknown = 0xff000000;

enum { TOLD_LIMIT = 256, COUNTING_TIME = 100000000 };

static xcb_shm_seg_t segment;  // or 0
static uint32_t *shared;

void share_pixels(void) {
  const xcb_query_extension_reply_t *extension = xcb_get_extension_data(connection, &xcb_shm_id);
  if (!extension || !extension->present) return;
  xcb_shm_query_version_reply_t *version = await(xcb_shm_query_version(connection).sequence);
  int takes_descriptors = version && (version->major_version > 1 || version->minor_version >= 2);
  free(version);
  size_t size = 4UL * screen->width_in_pixels * screen->height_in_pixels;
  int file = takes_descriptors ? memfd_create("pixels", MFD_CLOEXEC) : -1;
  if (file < 0 || ftruncate(file, (off_t)size) != 0) return;
  shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) return (void)close(file);
  // libxcb closes the descriptor.
  segment = xcb_generate_id(connection);
  xcb_generic_error_t *error = xcb_request_check(
      connection, xcb_shm_attach_fd_checked(connection, segment, file, 0));
  if (error) segment = 0;
  free(error);
}

static unsigned ask_for_damage(struct view *view, uint8_t level) {
  view->damage = xcb_generate_id(connection);
  return xcb_damage_create(connection, view->damage, (xcb_drawable_t)view->window->id, level).sequence;
}

void watch_pixels(struct view *view) {
  int is_wanted = wants_pixels(view->window);
  if (is_wanted == (view->damage != 0)) return;
  if (is_wanted) {
    view->told_count = view->renewal = 0;
    ask_for_damage(view, XCB_DAMAGE_REPORT_LEVEL_RAW_RECTANGLES);
    return;
  }
  // It went with its window.
  if (!view->window->gone) xcb_damage_destroy(connection, view->damage);
  view->damage = 0;
  view->drawing_count = 0;
  view->is_plain = 0;
  free(view->pixels);
  view->pixels = NULL;
  view->width = view->height = 0;
}

static int is_empty(const struct area *area) {
  return area->right <= area->left || area->bottom <= area->top;
}

static int least(int left, int right) { return left < right ? left : right; }
static int most(int left, int right) { return left > right ? left : right; }

static void join(struct area *area, const struct area *other) {
  area->left = least(area->left, other->left);
  area->top = least(area->top, other->top);
  area->right = most(area->right, other->right);
  area->bottom = most(area->bottom, other->bottom);
}

// A program may draw faster than all of it can be told. Then only what goes beyond that which is not
// fetched yet is.
static void limit_reports(struct view *view, int64_t at) {
  if (at - view->counted > COUNTING_TIME) {
    view->counted = at;
    view->told_count = 0;
  }
  if (++view->told_count < TOLD_LIMIT || view->renewal) return;
  xcb_damage_damage_t former = view->damage;
  view->renewal = ask_for_damage(view, XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX);
  xcb_damage_destroy(connection, former);
}

void note_drawn(struct view *view, const xcb_damage_notify_event_t *event, int64_t at) {
  const xcb_rectangle_t *drawn = &event->area;
  struct area area = {drawn->x, drawn->y, drawn->x + drawn->width, drawn->y + drawn->height};
  // A damage object begins with the whole window, as if that had been drawn.
  if (view->renewal && ((const xcb_generic_event_t *)event)->full_sequence == view->renewal) return;
  if (view->drawing_count < DRAWING_LIMIT) {
    view->drawings[view->drawing_count++] = (struct drawing){area, at};
  } else {
    struct drawing *last = &view->drawings[DRAWING_LIMIT - 1];
    join(&last->area, &area);
    last->at = at;
  }
  limit_reports(view, at);
}

// What of the drawn area is in the window and on the screen; the server refuses the rest.
static struct area visible_area(struct view *view) {
  int x = view->x, y = view->y;
  struct area drawn = view->drawings[0].area;
  for (unsigned index = 1; index < view->drawing_count; index++)
    join(&drawn, &view->drawings[index].area);
  if (view->is_framed) {
    xcb_translate_coordinates_reply_t *reply = await(
        xcb_translate_coordinates(connection, (xcb_window_t)view->window->id, screen->root, 0, 0)
            .sequence);
    if (reply) x = reply->dst_x, y = reply->dst_y;
    free(reply);
  }
  return (struct area){
      most(drawn.left, most(0, -x)), most(drawn.top, most(0, -y)),
      least(drawn.right, least((int)view->window->width, screen->width_in_pixels - x)),
      least(drawn.bottom, least((int)view->window->height, screen->height_in_pixels - y))};
}

// Makes the kept pixels as large as the window is; false when there is no memory.
static int fit_pixels(struct view *view) {
  int width = (int)view->window->width, height = (int)view->window->height;
  if (view->pixels && view->width == width && view->height == height) return 1;
  size_t count = (size_t)width * (size_t)height;
  uint32_t *pixels = malloc(count * sizeof *pixels);
  if (!pixels) return 0;
  for (size_t index = 0; index < count; index++) pixels[index] = unknown;
  for (int row = 0; row < least(height, view->height); row++)
    memcpy(pixels + (size_t)row * (size_t)width, view->pixels + (size_t)row * (size_t)view->width,
           (size_t)least(width, view->width) * sizeof *pixels);
  free(view->pixels);
  view->pixels = pixels;
  view->width = width;
  view->height = height;
  return 1;
}

// Counted up to 2; of one color it is kept which.
static uint32_t count_colors(struct view *view) {
  size_t index = 0, count = (size_t)view->width * (size_t)view->height;
  while (index < count && view->pixels[index] == unknown) index++;
  if (index == count) return 0;
  uint32_t first = view->plain = view->pixels[index];
  while (index < count) {
    uint32_t others = 0;
    for (size_t end = index + 1024 < count ? index + 1024 : count; index < end; index++)
      others |= (view->pixels[index] != first) & (view->pixels[index] != unknown);
    if (others) return 2;
  }
  return 1;
}

static struct area common(const struct area *one, const struct area *other) {
  return (struct area){most(one->left, other->left), most(one->top, other->top),
                       least(one->right, other->right), least(one->bottom, other->bottom)};
}

// Where the later drawings that reach a pixel end in its row, or before the pixel.
static int end_of_later(const struct view *view, unsigned drawing, int row, int column) {
  int end = column;
  for (unsigned index = drawing + 1; index < view->drawing_count; index++) {
    const struct area *area = &view->drawings[index].area;
    if (row >= area->top && row < area->bottom && column >= area->left && column < area->right)
      end = most(end, area->right);
  }
  return end;
}

static int is_whole(const struct view *view, const struct area *area) {
  return area->left <= 0 && area->top <= 0 && area->right >= view->width
      && area->bottom >= view->height;
}

// The first drawing by which there was more than one color in the area that was fetched. A pixel is of
// the last one that reaches it.
static int64_t first_content(const struct view *view, const struct area *fetched) {
  int has_color = view->is_plain;
  uint32_t color = view->plain;
  for (unsigned index = 0; index + 1 < view->drawing_count; index++) {
    struct area area = common(&view->drawings[index].area, fetched);
    // What was there before is gone.
    if (is_whole(view, &view->drawings[index].area)) has_color = 0;
    for (int row = area.top; row < area.bottom; row++) {
      const uint32_t *pixels = view->pixels + (size_t)row * (size_t)view->width;
      for (int column = area.left; column < area.right; column++) {
        if (has_color && pixels[column] == color) continue;
        int end = end_of_later(view, index, row, column);
        if (end > column) {
          column = end - 1;
        } else if (has_color) {
          return view->drawings[index].at;
        } else {
          color = pixels[column];
          has_color = 1;
        }
      }
    }
  }
  return view->drawings[view->drawing_count - 1].at;
}

// The last drawing that reaches what has changed.
static int64_t last_change(const struct view *view, const struct area *changed) {
  for (unsigned index = view->drawing_count; index-- > 1;) {
    struct area area = common(&view->drawings[index].area, changed);
    if (!is_empty(&area)) return view->drawings[index].at;
  }
  return view->drawings[0].at;
}

// `color` is that of all fetched pixels, unless these have several.
static void tell(struct view *view, const struct area *fetched, const struct area *changed,
                 uint64_t changed_pixels, int has_colors, uint32_t color) {
  int is_content = has_colors || (view->is_plain && color != view->plain);
  int64_t first = view->drawings[0].at, last = last_change(view, changed);
  if (is_content && !view->window->content) first = first_content(view, fetched);
  uint32_t colors = has_colors ? 2 : count_colors(view);
  draw_window(view->window, first < last ? first : last, last, changed_pixels, colors);
  view->is_plain = colors == 1;
  film_window(view->window, view->pixels, (uint32_t)view->width, (uint32_t)view->height);
}

// Keeps what was fetched of an area, and tells what is new of it.
static void compare(struct view *view, const struct area *area, const uint32_t *fetched) {
  if (!fit_pixels(view)) return;
  int width = area->right - area->left;
  struct area changed = {area->right, area->bottom, area->left, area->top};
  uint64_t changed_pixels = 0;
  uint32_t color = *fetched & color_bits, others = 0;
  for (int row = area->top; row < area->bottom; row++, fetched += width) {
    uint32_t *kept = view->pixels + (size_t)row * (size_t)view->width + area->left;
    uint32_t changed_in_row = 0;
    for (int column = 0; column < width; column++) {
      uint32_t pixel = fetched[column] & color_bits;
      changed_in_row += pixel != kept[column];
      others |= pixel ^ color;
      kept[column] = pixel;
    }
    changed_pixels += changed_in_row;
    if (changed_in_row) join(&changed, &(struct area){area->left, row, area->right, row + 1});
  }
  tell(view, area, &changed, changed_pixels, others != 0, color);
}

// The pixels of an area of the window, or NULL; the caller frees the reply.
static const uint32_t *fetch(xcb_window_t id, const struct area *area, unsigned *sequence,
                             void **reply) {
  int16_t x = (int16_t)area->left, y = (int16_t)area->top;
  uint16_t width = (uint16_t)(area->right - area->left);
  uint16_t height = (uint16_t)(area->bottom - area->top);
  if (segment) {
    *sequence = xcb_shm_get_image(connection, id, x, y, width, height, ~0U, XCB_IMAGE_FORMAT_Z_PIXMAP,
                                  segment, 0).sequence;
    xcb_shm_get_image_reply_t *image = *reply = await(*sequence);
    return image && image->size == 4U * width * height ? shared : NULL;
  }
  *sequence = xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, id, x, y, width, height, ~0U)
                  .sequence;
  xcb_get_image_reply_t *image = *reply = await(*sequence);
  if (!image || xcb_get_image_data_length(image) != 4 * width * height) return NULL;
  return (const uint32_t *)xcb_get_image_data(image);
}

static int holds(const struct area *area, const xcb_rectangle_t *other) {
  return other->x >= area->left && other->y >= area->top && other->x + other->width <= area->right
      && other->y + other->height <= area->bottom;
}

// What was drawn before the pixels were fetched, but told only with them. What was fetched as a whole
// need not be heard of again.
static void note_told(struct view *view, const struct area *fetched, unsigned sequence) {
  const struct batch *batch = peek_events();
  for (unsigned index = 0; index < batch->count; index++) {
    xcb_generic_event_t *event = batch->events[index].event;
    const xcb_damage_notify_event_t *drawn = (const void *)event;
    if ((event->response_type & 0x7f) != first_damage_event + XCB_DAMAGE_NOTIFY
        || drawn->drawable != view->window->id || (int32_t)(event->full_sequence - sequence) >= 0)
      continue;
    note_drawn(view, drawn, batch->events[index].at);
    if (holds(fetched, &drawn->area)) event->response_type = 0;
  }
}

// What cannot be fetched because the window has just moved is fetched after the event of that.
void look_at_pixels(struct view *view) {
  if (view->drawing_count == 0) return;
  xcb_damage_subtract(connection, view->damage, XCB_NONE, XCB_NONE);
  struct area area = visible_area(view);
  void *reply = NULL;
  const uint32_t *pixels = NULL;
  unsigned sequence;
  int is_visible = view->window->is_shown && !is_empty(&area);
  if (is_visible) pixels = fetch((xcb_window_t)view->window->id, &area, &sequence, &reply);
  if (pixels) {
    note_told(view, &area, sequence);
    compare(view, &area, pixels);
  }
  if (pixels || !is_visible) view->drawing_count = 0;
  free(reply);
}
