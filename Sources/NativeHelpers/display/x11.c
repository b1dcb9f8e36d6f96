// The windows of an X11 display, as its server tells every client that asks.
//
// Of each window of a launch that matters the server notes what is drawn on it (the extension
// DAMAGE), and only that is fetched and compared with what was there before. Nothing is asked at
// intervals, no window is redirected or covered, and the targets are not asked anything.
// Sources: the X Window System Protocol, the documents of the extensions DAMAGE, MIT-SHM and X-Resource,
// the Extended Window Manager Hints, Inter-Client Communication Conventions Manual.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xcb/damage.h>
#include <xcb/res.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include "display.h"

enum { CONNECT_SECONDS = 10, ANSWER_SECONDS = 5, NAME_WORDS = NAME_LIMIT / 4 };

// Each byte of an old text may become two.
enum { TEXT_LIMIT = 2 * NAME_LIMIT + 1 };

// The server counts milliseconds of the monotonic clock, rounded down.
enum { TICK = 1000000, CLOCK_SAMPLES = 5 };

// Pixels have eight bits for each of three colors; the rest is none of the content.
static const uint32_t color_bits = 0xffffff, unknown = 0xff000000;

struct area { int left, top, right, bottom; };

// What is kept of a window.
struct view {
  struct view *next;
  struct window *window;
  int x, y;          // in its parent
  int is_framed;     // a window manager put it into a window of its own
  int64_t renamed;   // when its properties changed and were not read since; 0 for never
  xcb_damage_damage_t damage;  // or 0
  struct area drawn;           // and not fetched
  int64_t drawn_at;
  uint32_t *pixels;  // as they were last fetched
  int width, height; // of these
};

static xcb_connection_t *connection;  // once it has an error, it takes requests and does nothing
static int is_open;
static xcb_screen_t *screen;
static uint8_t first_damage_event;
static int names_processes;  // X-Resource can tell processes
static int has_clock;        // the server's times can be compared with the monotonic clock
static xcb_shm_seg_t segment;  // or 0
static uint32_t *shared;
static struct view *views;
static xcb_window_t *old_windows;  // that were there before the launch
static unsigned old_count;

// MARK: Atoms

// The types of windows come last, from those that are no windows of their own.
enum atom { UTF8, TITLE, PROCESS, CLIENTS, TYPE, NORMAL, DIALOG, FIRST_TRANSIENT, ATOM_COUNT = 19 };

static const char *const atom_names[ATOM_COUNT] = {
    "UTF8_STRING", "_NET_WM_NAME", "_NET_WM_PID", "_NET_CLIENT_LIST", "_NET_WM_WINDOW_TYPE",
    "_NET_WM_WINDOW_TYPE_NORMAL", "_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_SPLASH",
    "_NET_WM_WINDOW_TYPE_TOOLTIP", "_NET_WM_WINDOW_TYPE_NOTIFICATION", "_NET_WM_WINDOW_TYPE_DOCK",
    "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU", "_NET_WM_WINDOW_TYPE_POPUP_MENU",
    "_NET_WM_WINDOW_TYPE_MENU", "_NET_WM_WINDOW_TYPE_TOOLBAR", "_NET_WM_WINDOW_TYPE_UTILITY",
    "_NET_WM_WINDOW_TYPE_COMBO", "_NET_WM_WINDOW_TYPE_DND", "_NET_WM_WINDOW_TYPE_DESKTOP"};

static xcb_atom_t atoms[ATOM_COUNT];

// MARK: Events and answers

static struct queue {
  struct arrived { xcb_generic_event_t *event; int64_t at; } *events;
  unsigned count, room;
} queues[2], *incoming = &queues[0];

static void lose_connection(const char *reason) {
  fail(reason);
  is_open = 0;
  // Whatever is asked from now on finds an error, and does not wait.
  shutdown(xcb_get_file_descriptor(connection), SHUT_RDWR);
}

static void enqueue(xcb_generic_event_t *event, int64_t at) {
  if (incoming->count == incoming->room) {
    unsigned room = incoming->room ? incoming->room * 2 : 256;
    struct arrived *events = realloc(incoming->events, room * sizeof *events);
    if (!events) return free(event);
    incoming->events = events;
    incoming->room = room;
  }
  incoming->events[incoming->count++] = (struct arrived){event, at};
}

static void clear(struct queue *queue) {
  for (unsigned index = 0; index < queue->count; index++) free(queue->events[index].event);
  queue->count = 0;
}

static void check_connection(void) {
  if (is_open && xcb_connection_has_error(connection))
    lose_connection("the display server has ended");
}

// Takes what was read with something else.
static void collect(int64_t now) {
  xcb_generic_event_t *event;
  while ((event = xcb_poll_for_queued_event(connection))) enqueue(event, now);
  check_connection();
}

static void collect_all(void) {
  int64_t now = monotonic();
  xcb_generic_event_t *event = xcb_poll_for_event(connection);
  if (event) enqueue(event, now);
  collect(now);
}

// Writing may read, too.
static void flush(void) {
  xcb_flush(connection);
  collect(monotonic());
}

// The reply of a request, or NULL; events that come meanwhile keep the instants of their arrival.
static void *await(unsigned sequence) {
  void *reply = NULL;
  xcb_generic_error_t *error = NULL;
  xcb_flush(connection);
  int64_t now = monotonic(), until = now + ANSWER_SECONDS * 1000000000LL;
  while (!xcb_poll_for_reply(connection, sequence, &reply, &error)) {
    collect(now);
    struct pollfd polled = {xcb_get_file_descriptor(connection), POLLIN, 0};
    poll(&polled, 1, ANSWER_SECONDS * 1000);
    now = monotonic();
    if (now >= until && is_open) lose_connection("the display server does not answer");
  }
  free(error);
  collect(now);
  return reply;
}

// Returns when the server has done all that was asked.
static void synchronize(void) { free(await(xcb_get_input_focus(connection).sequence)); }

// The server's time of an event in nanoseconds, or 0.
static int64_t server_time(const xcb_generic_event_t *event, int64_t at) {
  uint32_t time;
  uint8_t type = event->response_type & 0x7f;
  if (type == XCB_PROPERTY_NOTIFY)
    time = ((const xcb_property_notify_event_t *)event)->time;
  else if (type == first_damage_event + XCB_DAMAGE_NOTIFY)
    time = ((const xcb_damage_notify_event_t *)event)->timestamp;
  else
    return 0;
  // It has only the lower bits.
  int64_t now = at / TICK;
  return (now - (int32_t)((uint32_t)now - time)) * TICK;
}

// Makes the instants of arrival those at which the events happened, where they were on their way
// for long: not after the server's time, and not after what happened next.
static void date(struct queue *batch) {
  int64_t next = INT64_MAX;
  for (unsigned index = batch->count; index-- > 0;) {
    struct arrived *one = &batch->events[index];
    int64_t time = has_clock ? server_time(one->event, one->at) : 0;
    if (time && one->at > time + TICK) one->at = time + TICK;
    if (one->at > next) one->at = next;
    next = one->at;
  }
}

// MARK: Names

static unsigned ask_property(xcb_window_t window, xcb_atom_t name) {
  return xcb_get_property(connection, 0, window, name, XCB_ATOM_ANY, 0, NAME_WORDS).sequence;
}

static const uint32_t *words(const xcb_get_property_reply_t *reply, int *count) {
  *count = reply && reply->format == 32 ? xcb_get_property_value_length(reply) / 4 : 0;
  return *count ? xcb_get_property_value(reply) : NULL;
}

static void set_flag(struct window *window, uint32_t flag, int is_set) {
  window->flags = is_set ? window->flags | flag : window->flags & ~flag;
}

// Older properties have Latin-1, which becomes UTF-8; a class has two texts, which become one.
static void put_text(char *text, const xcb_get_property_reply_t *reply) {
  int length = reply && reply->format == 8 ? xcb_get_property_value_length(reply) : 0;
  const unsigned char *value = length ? xcb_get_property_value(reply) : NULL;
  while (length > 0 && !value[length - 1]) length--;
  for (int index = 0; index < length; index++) {
    unsigned char letter = value[index] ? value[index] : ' ';
    if (letter >= 0x80 && reply->type == XCB_ATOM_STRING) {
      *text++ = (char)(0xc0 | letter >> 6);
      letter = 0x80 | (letter & 0x3f);
    }
    *text++ = (char)letter;
  }
  *text = 0;
}

// Of several types the first that is known here counts.
static int is_transient(const xcb_get_property_reply_t *reply) {
  int count;
  const uint32_t *types = words(reply, &count);
  for (int index = 0; index < count; index++)
    for (int kind = NORMAL; kind < ATOM_COUNT; kind++)
      if (types[index] == atoms[kind]) return kind >= FIRST_TRANSIENT;
  return 0;
}

// Asks for all that is not told by events, at once; false when the window is gone, or is one that
// can only be clicked at.
static int read_window(struct view *view, int *is_mapped) {
  enum { STATE, PLACE, TEXT, OLD_TEXT, CLASS, KIND, OWNER, COUNT };
  struct window *window = view->window;
  xcb_window_t id = (xcb_window_t)window->id;
  unsigned asked[COUNT] = {
      xcb_get_window_attributes(connection, id).sequence, xcb_get_geometry(connection, id).sequence,
      ask_property(id, atoms[TITLE]), ask_property(id, XCB_ATOM_WM_NAME),
      ask_property(id, XCB_ATOM_WM_CLASS), ask_property(id, atoms[TYPE]),
      ask_property(id, atoms[PROCESS])};
  void *replies[COUNT];
  for (int index = 0; index < COUNT; index++) replies[index] = await(asked[index]);
  const xcb_get_window_attributes_reply_t *state = replies[STATE];
  const xcb_get_geometry_reply_t *place = replies[PLACE];
  int is_there = is_open && state && place;
  if (is_there) {
    int64_t at = view->renamed ? view->renamed : window->created;
    char title[TEXT_LIMIT], old_title[TEXT_LIMIT], class[TEXT_LIMIT];
    put_text(title, replies[TEXT]);
    put_text(old_title, replies[OLD_TEXT]);
    put_text(class, replies[CLASS]);
    int count;
    const uint32_t *owner = words(replies[OWNER], &count);
    if (owner && !names_processes) own_window(window, (int32_t)*owner);
    set_flag(window, WINDOW_IS_TRANSIENT, is_transient(replies[KIND]));
    set_flag(window, WINDOW_OVERRIDES, state->override_redirect);
    size_window(window, at, place->width, place->height);
    name_window(window, at, *title ? title : old_title, class);
    *is_mapped = state->map_state != XCB_MAP_STATE_UNMAPPED;
  }
  int is_window = is_there && state->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT;
  for (int index = 0; index < COUNT; index++) free(replies[index]);
  view->renamed = 0;
  return is_window;
}

static int is_name(xcb_atom_t atom) {
  return atom == atoms[TITLE] || atom == XCB_ATOM_WM_NAME || atom == XCB_ATOM_WM_CLASS;
}

// MARK: Pixels

static void watch_pixels(struct view *view) {
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

static void unite(struct area *area, const xcb_rectangle_t *more) {
  int right = more->x + more->width, bottom = more->y + more->height;
  if (is_empty(area)) *area = (struct area){more->x, more->y, more->x, more->y};
  area->left = least(area->left, more->x);
  area->top = least(area->top, more->y);
  area->right = most(area->right, right);
  area->bottom = most(area->bottom, bottom);
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
static void look_at_pixels(struct view *view) {
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

// MARK: Windows

static struct view *find_view(uint64_t id) {
  struct window *window = find_window(id);
  return window ? window->backend : NULL;
}

static void select_events(xcb_window_t window, uint32_t mask) {
  xcb_change_window_attributes(connection, window, XCB_CW_EVENT_MASK, &mask);
}

static const uint32_t own_events = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE
                                 | XCB_EVENT_MASK_VISIBILITY_CHANGE;

// All resources of a client have the same upper bits, and while it has a window no other one has
// them.
static int32_t process_of(xcb_window_t id) {
  uint32_t bits = xcb_get_setup(connection)->resource_id_mask;
  if (!names_processes) return 0;
  for (struct view *view = views; view; view = view->next)
    if ((view->window->id & ~bits) == (id & ~bits)) return view->window->pid;
  xcb_res_client_id_spec_t wanted = {id, XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID};
  xcb_res_query_client_ids_reply_t *reply =
      await(xcb_res_query_client_ids(connection, 1, &wanted).sequence);
  int32_t pid = 0;
  if (reply && reply->num_ids > 0) {
    xcb_res_client_id_value_t *value = xcb_res_query_client_ids_ids_iterator(reply).data;
    if (xcb_res_client_id_value_value_length(value) > 0)
      pid = (int32_t)*xcb_res_client_id_value_value(value);
  }
  free(reply);
  return pid;
}

static struct view *add_view(xcb_window_t id, int64_t at) {
  // The window may be mapped before its process is known.
  select_events(id, own_events);
  int32_t pid = process_of(id);
  struct view *view = calloc(1, sizeof *view);
  struct window *window = view ? add_window(id, pid, at) : NULL;
  if (!window) {
    free(view);
    return NULL;
  }
  *view = (struct view){.next = views, .window = window, .renamed = at ? at : monotonic()};
  window->backend = view;
  return views = view;
}

// A window that was there before the launch, of which something happens now.
static struct view *adopt(xcb_window_t id) {
  struct view *view = add_view(id, 0);
  if (!view) return NULL;
  read_window(view, &view->window->is_shown);
  return view;
}

static void lose(struct view *view, int64_t at) {
  struct view **link = &views;
  while (*link != view) link = &(*link)->next;
  *link = view->next;
  lose_window(view->window, at);
  watch_pixels(view);
  view->window->backend = NULL;
  free(view);
}

// MARK: What the server tells
//
// Of a window in the root it tells twice, to those that ask the root and those that ask the window.

static void hear_created(const xcb_create_notify_event_t *event, int64_t at) {
  struct view *view = event->parent == screen->root ? add_view(event->window, at) : NULL;
  if (!view) return;
  view->x = event->x + event->border_width;
  view->y = event->y + event->border_width;
  if (event->override_redirect) view->window->flags |= WINDOW_OVERRIDES;
  size_window(view->window, at, event->width, event->height);
}

static void hear_mapped(const xcb_map_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->window);
  int is_old = !view, is_mapped;
  if (is_old) view = adopt(event->window);
  if (!view || (view->window->is_shown && !is_old)) return;
  view->window->is_shown = 0;
  if (read_window(view, &is_mapped)) show_window(view->window, at);
}

static void hear_moved(const xcb_configure_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->window);
  // Window managers send some of their own.
  if (!view || event->response_type & 0x80) return;
  view->x = event->x + event->border_width;
  view->y = event->y + event->border_width;
  size_window(view->window, at, event->width, event->height);
}

static void hear_framed(const xcb_reparent_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->window);
  int is_mapped = 0;
  if (!view) return;
  view->is_framed = event->parent != screen->root;
  view->x = event->x;
  view->y = event->y;
  // It may have been mapped there before this client asked for its events.
  if (!view->window->is_shown && read_window(view, &is_mapped) && is_mapped)
    show_window(view->window, at);
}

static void hear_named(const xcb_property_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->window);
  if (!view && is_name(event->atom)) view = adopt(event->window);
  if (view && (is_name(event->atom) || event->atom == atoms[TYPE] || event->atom == atoms[PROCESS]))
    view->renamed = at;
}

static void hear_drawn(const xcb_damage_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->drawable);
  if (!view || view->damage != event->damage) return;
  unite(&view->drawn, &event->area);
  view->drawn_at = at;
}

static void hear_covered(const xcb_visibility_notify_event_t *event, int64_t at) {
  struct view *view = find_view(event->window);
  if (view) cover_window(view->window, at, event->state == XCB_VISIBILITY_FULLY_OBSCURED);
}

static void hear(const xcb_generic_event_t *event, int64_t at) {
  uint8_t type = event->response_type & 0x7f;
  struct view *view;
  if (type == XCB_CREATE_NOTIFY) hear_created((const void *)event, at);
  if (type == XCB_MAP_NOTIFY) hear_mapped((const void *)event, at);
  if (type == XCB_CONFIGURE_NOTIFY) hear_moved((const void *)event, at);
  if (type == XCB_REPARENT_NOTIFY) hear_framed((const void *)event, at);
  if (type == XCB_PROPERTY_NOTIFY) hear_named((const void *)event, at);
  if (type == XCB_VISIBILITY_NOTIFY) hear_covered((const void *)event, at);
  if (type == first_damage_event + XCB_DAMAGE_NOTIFY) hear_drawn((const void *)event, at);
  if (type == XCB_UNMAP_NOTIFY)
    if ((view = find_view(((const xcb_unmap_notify_event_t *)event)->window)))
      hide_window(view->window, at);
  if (type == XCB_DESTROY_NOTIFY)
    if ((view = find_view(((const xcb_destroy_notify_event_t *)event)->window))) lose(view, at);
}

// Pixels are fetched when all has been heard, so that they are fetched once for all of it.
static void read_x11(void) {
  if (!is_open) return;
  collect_all();
  struct queue *batch = incoming;
  incoming = batch == queues ? queues + 1 : queues;
  date(batch);
  for (unsigned index = 0; index < batch->count; index++)
    hear(batch->events[index].event, batch->events[index].at);
  clear(batch);
  int is_mapped;
  for (struct view *view = views; view; view = view->next) {
    if (view->renamed && view->window->is_shown) read_window(view, &is_mapped);
    watch_pixels(view);
    look_at_pixels(view);
    watch_pixels(view);
  }
  flush();
}

// MARK: Launches

static void watch_old_windows(void) {
  xcb_query_tree_reply_t *tree = await(xcb_query_tree(connection, screen->root).sequence);
  xcb_get_property_reply_t *list =
      await(ask_property(screen->root, atoms[CLIENTS]));
  int listed_count, count = tree ? xcb_query_tree_children_length(tree) : 0;
  const uint32_t *listed = words(list, &listed_count);
  old_windows = malloc((size_t)(count + listed_count + 1) * sizeof *old_windows);
  old_count = 0;
  for (int index = 0; old_windows && index < count; index++)
    old_windows[old_count++] = xcb_query_tree_children(tree)[index];
  for (int index = 0; old_windows && index < listed_count; index++)
    old_windows[old_count++] = listed[index];
  for (unsigned index = 0; index < old_count; index++) select_events(old_windows[index], own_events);
  free(tree);
  free(list);
}

static void begin_x11(void) {
  select_events(screen->root, XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY);
  watch_old_windows();
  synchronize();
  clear(incoming);
}

static void end_x11(void) {
  synchronize();
  for (int rounds = 0; rounds < 16 && (rounds == 0 || incoming->count); rounds++) read_x11();
  int is_mapped;
  for (struct view *view = views; view; view = view->next)
    if (view->renamed) read_window(view, &is_mapped);
  select_events(screen->root, 0);
  for (unsigned index = 0; index < old_count; index++) select_events(old_windows[index], 0);
  while (views) {
    struct view *view = views;
    views = view->next;
    select_events((xcb_window_t)view->window->id, 0);
    watch_pixels(view);
    view->window->backend = NULL;
    free(view);
  }
  free(old_windows);
  old_windows = NULL;
  old_count = 0;
  flush();
  clear(incoming);
}

// The socket would not wake the loop for what has been read from it already, but it can always be
// written to.
static int poll_x11(struct pollfd *polled, int limit) {
  if (!is_open || limit < 1) return 0;
  short events = incoming->count ? POLLIN | POLLOUT : POLLIN;
  *polled = (struct pollfd){xcb_get_file_descriptor(connection), events, 0};
  return 1;
}

// MARK: The connection

static int expected_descriptor;

static void stop_waiting(int signal) {
  (void)signal;
  shutdown(expected_descriptor, SHUT_RDWR);
}

// Connects, and ends the connection when that takes too long. libxcb waits for an answer as long as
// it may take, in a descriptor that is the first free one.
static xcb_connection_t *connect_within(const char *name, int *screen_number) {
  expected_descriptor = dup(CONTROL_DESCRIPTOR);
  close(expected_descriptor);
  signal(SIGALRM, stop_waiting);
  alarm(CONNECT_SECONDS);
  return xcb_connect(name, screen_number);
}

static int has_wide_pixels(void) {
  xcb_format_iterator_t format = xcb_setup_pixmap_formats_iterator(xcb_get_setup(connection));
  for (; format.rem; xcb_format_next(&format))
    if (format.data->depth == screen->root_depth && format.data->bits_per_pixel == 32) return 1;
  return 0;
}

// False when the server cannot tell what is drawn.
static int set_up_extensions(void) {
  const xcb_query_extension_reply_t *damage = xcb_get_extension_data(connection, &xcb_damage_id);
  if (!damage || !damage->present) return 0;
  first_damage_event = damage->first_event;
  free(await(xcb_damage_query_version(connection, 1, 1).sequence));
  const xcb_query_extension_reply_t *resource = xcb_get_extension_data(connection, &xcb_res_id);
  if (!resource || !resource->present) return 1;
  xcb_res_query_version_reply_t *version = await(xcb_res_query_version(connection, 1, 2).sequence);
  names_processes = version && (version->server_major > 1 || version->server_minor >= 2);
  free(version);
  return 1;
}

// Memory into which the server puts pixels; without it they come as an answer.
static void share_memory(void) {
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

static void intern_atoms(void) {
  unsigned asked[ATOM_COUNT];
  for (int index = 0; index < ATOM_COUNT; index++)
    asked[index] = xcb_intern_atom(connection, 0, (uint16_t)strlen(atom_names[index]),
                                   atom_names[index]).sequence;
  for (int index = 0; index < ATOM_COUNT; index++) {
    xcb_intern_atom_reply_t *reply = await(asked[index]);
    if (reply) atoms[index] = reply->atom;
    free(reply);
  }
}

// Whether the server's time lies between what this process sees before and after.
static int compares_clock(xcb_window_t window) {
  int64_t before = monotonic();
  xcb_change_property(connection, XCB_PROP_MODE_APPEND, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING,
                      8, 0, "");
  synchronize();
  int64_t after = monotonic(), time = 0;
  for (unsigned index = 0; index < incoming->count; index++) {
    const xcb_generic_event_t *event = incoming->events[index].event;
    if ((event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY) time = server_time(event, after);
  }
  clear(incoming);
  return time && time + TICK >= before && time <= after;
}

static void compare_clocks(void) {
  uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_window_t window = xcb_generate_id(connection);
  xcb_create_window(connection, 0, window, screen->root, 0, 0, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &mask);
  has_clock = 1;
  for (int sample = 0; sample < CLOCK_SAMPLES; sample++)
    if (!compares_clock(window)) has_clock = 0;
  xcb_destroy_window(connection, window);
}

static int set_up(int screen_number) {
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
  while (screen_number-- > 0 && screens.rem > 1) xcb_screen_next(&screens);
  screen = screens.data;
  if (!has_wide_pixels()) return fail("the display has no 32-bit pixels"), 0;
  if (!set_up_extensions()) return fail("the display server has no extension DAMAGE"), 0;
  share_memory();
  intern_atoms();
  compare_clocks();
  flush();
  return 1;
}

static int open_x11(char **arguments) {
  int screen_number = 0;
  connection = connect_within(arguments[0], &screen_number);
  is_open = !xcb_connection_has_error(connection) && set_up(screen_number)
         && !xcb_connection_has_error(connection);
  alarm(0);
  char reason[256];
  snprintf(reason, sizeof reason, "the display %s cannot be connected to", arguments[0]);
  if (!is_open) fail(reason);
  return is_open;
}

const struct backend x11_backend = {
    .open = open_x11, .descriptors = poll_x11, .read = read_x11, .begin = begin_x11, .end = end_x11};
