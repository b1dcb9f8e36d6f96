// The connection to an X server. It is read in between whatever is asked, so that all that the
// server tells has the instant at which it was heard; and it is waited for only so long.
#define _GNU_SOURCE
#include "x11.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xcb/res.h>
#include <xcb/xcbext.h>

enum { CONNECT_SECONDS = 10, ANSWER_SECONDS = 5 };

// The server counts milliseconds of the monotonic clock, rounded down.
enum { TICK = 1000000, CLOCK_SAMPLES = 5 };

xcb_connection_t *connection;
xcb_screen_t *screen;
int is_open;
int names_processes;
uint8_t first_damage_event;

static int has_clock;  // the server's times can be compared with the monotonic clock

// MARK: What it tells

static struct batch batches[2], *incoming = &batches[0];

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

static void clear(struct batch *batch) {
  for (unsigned index = 0; index < batch->count; index++) free(batch->events[index].event);
  batch->count = 0;
}

void forget_events(void) { clear(incoming); }

int has_events(void) { return incoming->count > 0; }

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

// Writing may read, too.
void flush(void) {
  xcb_flush(connection);
  collect(monotonic());
}

// Events that come meanwhile keep the instants of their arrival.
void *await(unsigned sequence) {
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

void synchronize(void) { free(await(xcb_get_input_focus(connection).sequence)); }

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
static void date(struct batch *batch) {
  int64_t next = INT64_MAX;
  for (unsigned index = batch->count; index-- > 0;) {
    struct arrived *one = &batch->events[index];
    int64_t time = has_clock ? server_time(one->event, one->at) : 0;
    if (time && one->at > time + TICK) one->at = time + TICK;
    if (one->at > next) one->at = next;
    next = one->at;
  }
}

const struct batch *peek_events(void) {
  date(incoming);
  return incoming;
}

struct batch *take_events(void) {
  int64_t now = monotonic();
  xcb_generic_event_t *event = xcb_poll_for_event(connection);
  if (event) enqueue(event, now);
  collect(now);
  struct batch *taken = incoming;
  incoming = taken == batches ? batches + 1 : batches;
  clear(incoming);
  date(taken);
  return taken;
}

// MARK: How it is reached

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
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, NULL);
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
  forget_events();
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
  share_pixels();
  compare_clocks();
  flush();
  return 1;
}

int connect_server(const char *name) {
  int screen_number = 0;
  connection = connect_within(name, &screen_number);
  is_open = !xcb_connection_has_error(connection) && set_up(screen_number)
         && !xcb_connection_has_error(connection);
  alarm(0);
  char reason[256];
  snprintf(reason, sizeof reason, "the display %s cannot be connected to", name);
  if (!is_open) fail(reason);
  return is_open;
}
