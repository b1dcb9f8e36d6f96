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

void watch_pixels(struct view *view) {
  int is_wanted = wants_pixels(view->window);
  if (is_wanted == (view->damage != 0)) return;
  if (is_wanted) {
    view->damage = xcb_generate_id(connection);
    xcb_damage_create(connection, view->damage, (xcb_drawable_t)view->window->id,
                      XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX);
    return;
  }
  // It went with its window.
  if (!view->window->gone) xcb_damage_destroy(connection, view->damage);
  view->damage = 0;
  view->drawn = (struct area){0};
  free(view->pixels);
  view->pixels = NULL;
  view->width = view->height = 0;
}

static int is_empty(const struct area *area) {
  return area->right <= area->left || area->bottom <= area->top;
}

static int least(int left, int right) { return left < right ? left : right; }
static int most(int left, int right) { return left > right ? left : right; }

void note_drawn(struct view *view, const xcb_rectangle_t *drawn, int64_t at) {
  struct area *area = &view->drawn;
  if (is_empty(area)) *area = (struct area){drawn->x, drawn->y, drawn->x, drawn->y};
  area->left = least(area->left, drawn->x);
  area->top = least(area->top, drawn->y);
  area->right = most(area->right, drawn->x + drawn->width);
  area->bottom = most(area->bottom, drawn->y + drawn->height);
  view->drawn_at = at;
}

// What of the drawn area is in the window and on the screen; the server refuses the rest.
static struct area visible_area(struct view *view) {
  int x = view->x, y = view->y;
  if (view->is_framed) {
    xcb_translate_coordinates_reply_t *reply = await(
        xcb_translate_coordinates(connection, (xcb_window_t)view->window->id, screen->root, 0, 0)
            .sequence);
    if (reply) x = reply->dst_x, y = reply->dst_y;
    free(reply);
  }
  return (struct area){
      most(view->drawn.left, most(0, -x)), most(view->drawn.top, most(0, -y)),
      least(view->drawn.right, least((int)view->window->width, screen->width_in_pixels - x)),
      least(view->drawn.bottom, least((int)view->window->height, screen->height_in_pixels - y))};
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

// Counted up to 2.
static uint32_t count_colors(const struct view *view) {
  size_t index = 0, count = (size_t)view->width * (size_t)view->height;
  while (index < count && view->pixels[index] == unknown) index++;
  if (index == count) return 0;
  uint32_t first = view->pixels[index];
  while (index < count) {
    uint32_t others = 0;
    for (size_t end = index + 1024 < count ? index + 1024 : count; index < end; index++)
      others |= (view->pixels[index] != first) & (view->pixels[index] != unknown);
    if (others) return 2;
  }
  return 1;
}

// Keeps what was fetched of an area, and tells what is new of it.
static void compare(struct view *view, const struct area *area, const uint32_t *fetched) {
  if (!fit_pixels(view)) return;
  size_t width = (size_t)(area->right - area->left);
  uint32_t first = *fetched & color_bits, others = 0;
  uint64_t changed = 0;
  for (int row = area->top; row < area->bottom; row++, fetched += width) {
    uint32_t *kept = view->pixels + (size_t)row * (size_t)view->width + area->left;
    uint32_t changed_in_row = 0;
    for (size_t index = 0; index < width; index++) {
      uint32_t pixel = fetched[index] & color_bits;
      changed_in_row += pixel != kept[index];
      others |= pixel ^ first;
      kept[index] = pixel;
    }
    changed += changed_in_row;
  }
  draw_window(view->window, view->drawn_at, changed, others ? 2 : count_colors(view));
  film_window(view->window, view->drawn_at, view->pixels, (uint32_t)view->width,
              (uint32_t)view->height);
}

// The pixels of an area of the window, or NULL; the caller frees the reply.
static const uint32_t *fetch(xcb_window_t id, const struct area *area, void **reply) {
  int16_t x = (int16_t)area->left, y = (int16_t)area->top;
  uint16_t width = (uint16_t)(area->right - area->left);
  uint16_t height = (uint16_t)(area->bottom - area->top);
  if (segment) {
    xcb_shm_get_image_reply_t *image = *reply = await(
        xcb_shm_get_image(connection, id, x, y, width, height, ~0U, XCB_IMAGE_FORMAT_Z_PIXMAP,
                          segment, 0).sequence);
    return image && image->size == 4U * width * height ? shared : NULL;
  }
  xcb_get_image_reply_t *image = *reply = await(
      xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, id, x, y, width, height, ~0U).sequence);
  if (!image || xcb_get_image_data_length(image) != 4 * width * height) return NULL;
  return (const uint32_t *)xcb_get_image_data(image);
}

// What cannot be fetched because the window has just moved is fetched after the event of that.
void look_at_pixels(struct view *view) {
  if (is_empty(&view->drawn)) return;
  xcb_damage_subtract(connection, view->damage, XCB_NONE, XCB_NONE);
  struct area area = visible_area(view);
  void *reply = NULL;
  const uint32_t *pixels = NULL;
  int is_visible = view->window->is_shown && !is_empty(&area);
  if (is_visible) pixels = fetch((xcb_window_t)view->window->id, &area, &reply);
  if (pixels) compare(view, &area, pixels);
  if (pixels || !is_visible) view->drawn = (struct area){0};
  free(reply);
}
