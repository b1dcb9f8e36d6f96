// The windows of a launch, as the backends see them, and the moment of them that it waits for.
#pragma once

#include <poll.h>
#include <stdint.h>
#include <time.h>

#include "launch_wire.h"

enum { NAME_LIMIT = 256 };  // bytes of a title or class that are kept, with the NUL byte

// A top-level window. Instants are of CLOCK_MONOTONIC, in nanoseconds; 0 stands for not yet.
struct window {
  uint64_t id;
  int32_t pid;       // the process that made it; 0 when it cannot be told
  uint32_t flags;    // of enum window_flags; WINDOW_IS_OTHER and WINDOW_IS_CHOSEN are set by windows.c
  uint32_t width, height;
  uint32_t colors;   // how many there are, counted up to 2
  int32_t is_shown;  // mapped now
  int32_t is_covered;  // by other windows, wholly, so that none of its pixels can be seen
  int64_t connected;  // its process, to the display; 0 where that is not seen
  int64_t created;
  int64_t mapped;    // for the first time, or again after it was hidden without content
  int64_t drawn;     // the first change of a pixel while it was mapped
  int64_t content;   // more than one color was on it while it was mapped
  int64_t shown;     // the content, by the word of the display server; 0 where it gives none
  int64_t changed;   // the last change of more than 1 % of its pixels while it was mapped
  int64_t named;     // the last change of its title or class
  int64_t hidden;    // unmapped, for the last time
  int64_t gone;      // destroyed
  int64_t matched;   // when it became one that the launch may wait for; windows.c keeps it
  int32_t is_placed;  // among those that were mapped; windows.c keeps it
  char title[NAME_LIMIT], class[NAME_LIMIT];
  void *backend;     // what the backend keeps of it; its to free
};

static inline int64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline int64_t later(int64_t left, int64_t right) { return left > right ? left : right; }

// When it last changed in a way that keeps it from being settled.
static inline int64_t moved(const struct window *window) {
  return later(window->content, window->changed);
}

// MARK: What backends tell, in windows.c. Each instant is the best estimate of when it happened.

// NULL when the table is full.
struct window *add_window(uint64_t id, int32_t pid, int64_t at);
// Those that are gone are not found.
struct window *find_window(uint64_t id);
// Its process becomes known only now.
void own_window(struct window *window, int32_t pid);
void size_window(struct window *window, int64_t at, uint32_t width, uint32_t height);
// Called once the size, flags and names are known, which the conditions look at.
void show_window(struct window *window, int64_t at);
void hide_window(struct window *window, int64_t at);
void cover_window(struct window *window, int64_t at, int is_covered);
// Of the pixels that were drawn, so many are other than before; `colors` is of the whole window. Where
// there is content now, it has been there since `first`; all was there at `last`.
void draw_window(struct window *window, int64_t first, int64_t last, uint64_t changed_pixels,
                 uint32_t colors);
// The server says that it shows the content; the first time counts.
void present_window(struct window *window, int64_t at);
void name_window(struct window *window, int64_t at, const char *title, const char *class);
void lose_window(struct window *window, int64_t at);
// Whether the moment may still depend on what the window shows.
int wants_pixels(const struct window *window);
// Why no window can be seen any more; the first reason counts.
void fail(const char *reason);

// MARK: What a backend offers; one is chosen by the first argument of the helper.

struct backend {
  // Connects or listens; false after `fail`.
  int (*open)(char **arguments);
  // Fills in what to poll, at most `limit`, and gives how many; called before each wait.
  int (*descriptors)(struct pollfd *polled, int limit);
  // Reads all that has come, and tells of it.
  void (*read)(void);
  // A launch begins: forget windows that are there; `begin_windows` has been called.
  void (*begin)(void);
  // It ends: after this nothing is told of its windows. May be NULL.
  void (*end)(void);
};

extern const struct backend x11_backend, wayland_backend;
