// The parts of the X11 backend: the connection to the server, in x11_server.c; what windows show,
// in x11_pixels.c; and the windows themselves, in x11.c.
#pragma once

#include <stdint.h>
#include <xcb/damage.h>
#include <xcb/xcb.h>

#include "display.h"

struct area { int left, top, right, bottom; };

enum { DRAWING_LIMIT = 64 };

// What is kept of a window.
struct view {
  struct view *next;
  struct window *window;
  int x, y;         // in its parent
  int is_framed;    // a window manager put it into a window of its own
  int64_t renamed;  // when its properties changed and were not read since; 0 for never
  xcb_damage_damage_t damage;  // or 0
  unsigned told_count;  // drawings since `counted`
  int64_t counted;
  unsigned renewal;     // the request that replaced the damage object, or 0
  unsigned drawing_count;
  struct drawing { struct area area; int64_t at; } drawings[DRAWING_LIMIT];  // not fetched
  uint32_t *pixels;   // as they were last fetched
  int width, height;  // of these
  int is_plain;       // all that is known of these is of one color
  uint32_t plain;
};

// What the server told, with the best estimate of when that happened.
struct batch {
  struct arrived { xcb_generic_event_t *event; int64_t at; } *events;
  unsigned count, room;
};

extern xcb_connection_t *connection;  // once it has an error, it takes requests and does nothing
extern xcb_screen_t *screen;
extern int is_open;
extern int names_processes;  // the extension X-Resource can tell them
extern uint8_t first_damage_event;

// False after `fail`.
int connect_server(const char *name);
// The reply of a request, or NULL; what the server tells meanwhile is kept.
void *await(unsigned sequence);
// Returns when the server has done all that was asked.
void synchronize(void);
void flush(void);
// All that has been told by now. The batch that was taken before is free for what comes next.
struct batch *take_events(void);
int has_events(void);
// What has been told and not taken.
const struct batch *peek_events(void);
// Forgets what was told and not taken.
void forget_events(void);

// Memory into which the server puts pixels; without it they come as an answer.
void share_pixels(void);
// Asks the server to tell what is drawn on a window, or no more, as its moment needs it.
void watch_pixels(struct view *view);
void note_drawn(struct view *view, const xcb_damage_notify_event_t *event, int64_t at);
// Fetches what was drawn, and tells of it.
void look_at_pixels(struct view *view);
