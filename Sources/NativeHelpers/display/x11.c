// The windows of an X11 display, as its server tells every client that asks. No window is
// redirected or covered, and the targets are not asked anything.
// Sources: the X Window System Protocol, the documents of the extensions DAMAGE, MIT-SHM and
// X-Resource, the Extended Window Manager Hints, the Inter-Client Communication Conventions Manual.
#define _GNU_SOURCE
#include "x11.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/res.h>

enum { NAME_WORDS = NAME_LIMIT / 4 };

// Each byte of an old text may become two.
enum { TEXT_LIMIT = 2 * NAME_LIMIT + 1 };

static struct view *views;
static xcb_window_t *old_windows;  // that were there before the launch
static unsigned old_count;

// MARK: Atoms

// The types of windows come last, from those that are no windows of their own.
enum atom { TITLE, PROCESS, CLIENTS, TYPE, NORMAL, DIALOG, FIRST_TRANSIENT, ATOM_COUNT = 18 };

static const char *const atom_names[ATOM_COUNT] = {
    "_NET_WM_NAME", "_NET_WM_PID", "_NET_CLIENT_LIST", "_NET_WM_WINDOW_TYPE",
    "_NET_WM_WINDOW_TYPE_NORMAL", "_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_WINDOW_TYPE_SPLASH",
    "_NET_WM_WINDOW_TYPE_TOOLTIP", "_NET_WM_WINDOW_TYPE_NOTIFICATION", "_NET_WM_WINDOW_TYPE_DOCK",
    "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU", "_NET_WM_WINDOW_TYPE_POPUP_MENU",
    "_NET_WM_WINDOW_TYPE_MENU", "_NET_WM_WINDOW_TYPE_TOOLBAR", "_NET_WM_WINDOW_TYPE_UTILITY",
    "_NET_WM_WINDOW_TYPE_COMBO", "_NET_WM_WINDOW_TYPE_DND", "_NET_WM_WINDOW_TYPE_DESKTOP"};

static xcb_atom_t atoms[ATOM_COUNT];

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
    view->x = place->x + place->border_width;
    view->y = place->y + place->border_width;
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
  set_flag(view->window, WINDOW_OVERRIDES, event->override_redirect);
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
  if (!view || !view->damage) return;
  note_drawn(view, event, at);
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
  const struct batch *batch = take_events();
  for (unsigned index = 0; index < batch->count; index++)
    hear(batch->events[index].event, batch->events[index].at);
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
  xcb_get_property_reply_t *list = await(ask_property(screen->root, atoms[CLIENTS]));
  int listed_count, count = tree ? xcb_query_tree_children_length(tree) : 0;
  const uint32_t *listed = words(list, &listed_count);
  old_windows = malloc((size_t)(count + listed_count + 1) * sizeof *old_windows);
  old_count = 0;
  for (int index = 0; old_windows && index < count; index++)
    old_windows[old_count++] = xcb_query_tree_children(tree)[index];
  for (int index = 0; old_windows && index < listed_count; index++)
    old_windows[old_count++] = listed[index];
  for (unsigned index = 0; index < old_count; index++)
    select_events(old_windows[index], own_events);
  free(tree);
  free(list);
}

static void begin_x11(void) {
  select_events(screen->root, XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY);
  watch_old_windows();
  synchronize();
  forget_events();
}

static void end_x11(void) {
  synchronize();
  for (int rounds = 0; rounds < 16 && (rounds == 0 || has_events()); rounds++) read_x11();
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
  forget_events();
}

// The socket would not wake the loop for what has been read from it already, but it can always be
// written to.
static int poll_x11(struct pollfd *polled, int limit) {
  if (!is_open || limit < 1) return 0;
  short events = has_events() ? POLLIN | POLLOUT : POLLIN;
  *polled = (struct pollfd){xcb_get_file_descriptor(connection), events, 0};
  return 1;
}

static int open_x11(char **arguments) {
  if (!connect_server(arguments[0])) return 0;
  intern_atoms();
  return is_open;
}

const struct backend x11_backend = {.open = open_x11, .descriptors = poll_x11, .read = read_x11,
                                    .begin = begin_x11, .end = end_x11};
