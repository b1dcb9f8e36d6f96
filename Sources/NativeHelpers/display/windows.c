// The windows of a launch: which process they are of, which of them it waits for, and when the
// moment of that one has come.
#define _GNU_SOURCE
#include "windows.h"

#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WINDOW_LIMIT = 4096, ANSWER_LIMIT = 512 };

// How much later than it happened a change may be heard of, in nanoseconds. A window is said to
// have settled only then; the instant is that of the last change all the same.
enum { DELAY_LIMIT = 10000000 };

static struct window table[WINDOW_LIMIT];
static unsigned window_count;
static struct window *places[WINDOW_LIMIT];  // in the order in which they were mapped
static unsigned place_count;

static struct display_request launch;
static int is_waiting;  // for the moment
static struct pattern {
  regex_t compiled;
  int is_given;
} title_pattern, class_pattern;

static struct sockaddr_un notifications = {.sun_family = AF_UNIX};
static char reason[256];

void fail(const char *why) {
  if (!*reason) snprintf(reason, sizeof reason, "%s", why);
}

const char *failure(void) { return reason; }

// MARK: Processes

// -1 of a process that is gone, 0 of one that has no parent; proc_pid_stat(5).
static pid_t parent_of(pid_t pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = 0;
  const char *end = strrchr(text, ')');
  return end && strlen(end) > 4 ? atoi(end + 4) : -1;
}

// A service that the message bus has started for the launch belongs to it; the bus is a child of this
// process. The spawner adopts the children of what ends, so that a way that broke off is taken again.
static int is_of_launch(pid_t pid) {
  for (int attempts = 0; attempts < 4; attempts++) {
    pid_t ancestor = pid;
    while (ancestor > 0 && ancestor != launch.spawner && ancestor != getpid())
      ancestor = parent_of(ancestor);
    if (ancestor >= 0) return ancestor > 0;
  }
  return 0;
}

void own_window(struct window *window, int32_t pid) {
  window->pid = pid;
  window->flags &= ~(uint32_t)WINDOW_IS_OTHER;
  if (!is_of_launch(pid)) window->flags |= WINDOW_IS_OTHER;
}

// MARK: Conditions

static int has(const struct pattern *pattern, const char *text) {
  return !pattern->is_given || regexec(&pattern->compiled, text, 0, NULL, 0) == 0;
}

// A class is the name of the instance and that of the class, and either may have spaces.
static int has_class(const char *class) {
  if (has(&class_pattern, class)) return 1;
  for (const char *space = class; (space = strchr(space, ' ')); space++) {
    char instance[NAME_LIMIT];
    snprintf(instance, sizeof instance, "%.*s", (int)(space - class), class);
    if (has(&class_pattern, instance) || has(&class_pattern, space + 1)) return 1;
  }
  return 0;
}

// A pattern for the title or class selects any kind of window.
static int is_candidate(const struct window *window) {
  if (window->flags & WINDOW_IS_OTHER) return 0;
  if (title_pattern.is_given || class_pattern.is_given) return 1;
  return !(window->flags & (WINDOW_OVERRIDES | WINDOW_IS_TRANSIENT));
}

// Helper windows that nobody sees have one pixel.
static int fits(const struct window *window) {
  return is_candidate(window) && window->width > 1 && window->height > 1
      && has(&title_pattern, window->title) && has_class(window->class);
}

// MARK: The moment

// What a launch waits for can still happen to it. A window that is there may be covered by another
// one, as nothing but a window manager keeps windows apart.
static int can_come(const struct window *window) {
  return window->is_shown && (launch.moment == MOMENT_WINDOW || !window->is_covered);
}

// The nth window in the order of their places. One whose moment can no longer come counts, because
// it was there, but the next one has to stand in for it.
static struct window *choose(void) {
  unsigned rank = 0;
  for (unsigned index = 0; index < place_count; index++) {
    struct window *window = places[index];
    if (window->matched && ++rank >= launch.nth && can_come(window)) return window;
  }
  return NULL;
}

// 0 while it has not come.
static int64_t moment_of(const struct window *window, int64_t now) {
  if (launch.moment == MOMENT_WINDOW) return window->matched;
  if (!window->content) return 0;
  if (launch.moment == MOMENT_FRAME) return later(window->content, window->matched);
  if (now < moved(window) + launch.quiet) return 0;
  return later(moved(window), window->matched);
}

// The spawner's socket is there only while it launches; a moment that comes later is of no use.
static void tell(const struct window *window, int64_t instant) {
  char message[128], process[32] = "";
  if (window->pid > 0) snprintf(process, sizeof process, "\nMAINPID=%d", window->pid);
  int length = snprintf(message, sizeof message, "READY=1\nMONOTONIC_NSEC=%lld%s",
                        (long long)instant, process);
  int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (from < 0) return;
  sendto(from, message, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL,
         (const struct sockaddr *)&notifications, sizeof notifications);
  close(from);
}

static void look(int64_t now) {
  struct window *window = is_waiting ? choose() : NULL;
  int64_t instant = window ? moment_of(window, now) : 0;
  if (!instant) return;
  is_waiting = 0;
  window->flags |= WINDOW_IS_CHOSEN;
  tell(window, instant);
}

// Something happened to a window. Only its own next change says that it was quiet until then, since
// backends may tell of another one's first.
static void look_at(const struct window *window, int64_t at) {
  if (launch.moment != MOMENT_SETTLED || (is_waiting && choose() == window)) look(at);
}

int windows_timeout(void) {
  const struct window *window = is_waiting && launch.moment == MOMENT_SETTLED ? choose() : NULL;
  if (!window || !window->content) return -1;
  int64_t left = moved(window) + launch.quiet + DELAY_LIMIT - monotonic();
  int64_t milliseconds = left > 0 ? left / 1000000 + 1 : 0;
  return milliseconds < 60000 ? (int)milliseconds : 60000;
}

void settle_windows(void) {
  if (launch.moment == MOMENT_SETTLED) look(monotonic() - DELAY_LIMIT);
}

int wants_pixels(const struct window *window) {
  if (!is_waiting || window->gone || !is_candidate(window)) return 0;
  if (launch.moment == MOMENT_SETTLED) return 1;
  // A window that had content is counted even when it is gone.
  return !window->content && (launch.moment == MOMENT_FRAME || launch.nth > 1);
}

// MARK: What backends tell

struct window *add_window(uint64_t id, int32_t pid, int64_t at) {
  if (window_count == WINDOW_LIMIT) return NULL;
  struct window *window = &table[window_count++];
  *window = (struct window){.id = id, .created = at};
  own_window(window, pid);
  return window;
}

struct window *find_window(uint64_t id) {
  for (struct window *window = table + window_count; window-- > table;)
    if (window->id == id && !window->gone) return window;
  return NULL;
}

static void give_place(struct window *window) {
  if (window->is_placed) return;
  window->is_placed = 1;
  places[place_count++] = window;
}

static void take_place(struct window *window) {
  unsigned kept = 0;
  for (unsigned index = 0; index < place_count; index++)
    if (places[index] != window) places[kept++] = places[index];
  place_count = kept;
  window->is_placed = 0;
  window->matched = 0;
}

static void judge(struct window *window, int64_t at) {
  if (!window->is_placed) return;
  if (!fits(window))
    window->matched = 0;
  else if (!window->matched)
    window->matched = later(at, window->mapped);
  look_at(window, at);
}

void show_window(struct window *window, int64_t at) {
  if (window->is_shown) return;
  window->is_shown = 1;
  if (!window->is_placed) window->mapped = at;
  give_place(window);
  judge(window, at);
}

void hide_window(struct window *window, int64_t at) {
  if (!window->is_shown) return;
  look_at(window, at);
  window->is_shown = window->is_covered = 0;
  window->hidden = at;
  // Nobody can have seen it.
  if (!window->content) take_place(window);
  if (launch.moment != MOMENT_SETTLED) look(at);
}

void cover_window(struct window *window, int64_t at, int is_covered) {
  if (is_covered == window->is_covered) return;
  look_at(window, at);
  window->is_covered = is_covered;
  if (launch.moment != MOMENT_SETTLED) look(at);
}

void size_window(struct window *window, int64_t at, uint32_t width, uint32_t height) {
  if (window->width == width && window->height == height) return;
  window->width = width;
  window->height = height;
  judge(window, at);
}

void draw_window(struct window *window, int64_t first, int64_t last, uint64_t changed_pixels,
                 uint32_t colors) {
  if (!window->is_shown) return;
  first = later(first, window->mapped);
  last = later(last, window->mapped);
  look_at(window, first);
  window->colors = colors;
  if (changed_pixels > 0 && !window->drawn) window->drawn = first;
  if (changed_pixels * 100 > (uint64_t)window->width * window->height)
    window->changed = later(window->changed, last);
  if (colors > 1 && !window->content) window->content = first;
  look_at(window, last);
}

void present_window(struct window *window, int64_t at) {
  if (window->content && !window->shown) window->shown = at;
}

// False when it was so before. What is cut off leaves no part of a character of UTF-8.
static int put_name(char *name, const char *text) {
  size_t length = strlen(text);
  if (length >= NAME_LIMIT)
    for (length = NAME_LIMIT - 1; length > 0 && (text[length] & 0xc0) == 0x80;) length--;
  if (strlen(name) == length && memcmp(name, text, length) == 0) return 0;
  memcpy(name, text, length);
  name[length] = 0;
  return 1;
}

void name_window(struct window *window, int64_t at, const char *title, const char *class) {
  if (put_name(window->title, title) | put_name(window->class, class)) window->named = at;
  judge(window, at);
}

void lose_window(struct window *window, int64_t at) {
  hide_window(window, at);
  window->gone = at;
}

// MARK: What display.c asks

int place_notifications(const char *path) {
  if (strlen(path) >= sizeof notifications.sun_path) return 0;
  strcpy(notifications.sun_path, path);
  return 1;
}

static int set_pattern(struct pattern *pattern, const char *text) {
  if (pattern->is_given) regfree(&pattern->compiled);
  pattern->is_given = 0;
  if (!*text) return 1;
  pattern->is_given = regcomp(&pattern->compiled, text, REG_EXTENDED | REG_NOSUB) == 0;
  return pattern->is_given;
}

const char *begin_windows(const struct display_request *request, const char *title,
                          const char *class) {
  launch = *request;
  is_waiting = 0;
  window_count = place_count = 0;
  if (!set_pattern(&title_pattern, title)) return "the pattern of the title cannot be understood";
  if (!set_pattern(&class_pattern, class)) return "the pattern of the class cannot be understood";
  is_waiting = request->moment != MOMENT_NONE;
  return NULL;
}

void end_windows(void) { is_waiting = 0; }

static size_t describe(const struct window *window, char *text) {
  struct display_window described = {
      .id = window->id, .pid = window->pid, .flags = window->flags, .width = window->width,
      .height = window->height, .colors = window->colors, .is_shown = (uint32_t)window->is_shown,
      .connected = window->connected, .created = window->created, .mapped = window->mapped,
      .drawn = window->drawn, .hidden = window->hidden, .content = window->content, .shown = window->shown,
      .changed = window->changed, .gone = window->gone};
  memcpy(text, &described, sizeof described);
  size_t length = sizeof described;
  length += (size_t)sprintf(text + length, "%s", window->title) + 1;
  length += (size_t)sprintf(text + length, "%s", window->class) + 1;
  return length;
}

// Where there are more than an answer holds, those that were shown matter more.
static int importance(const struct window *window) {
  return window->flags & WINDOW_IS_CHOSEN ? 2 : window->mapped || window->is_shown;
}

const struct window *chosen_window(void) {
  for (unsigned index = 0; index < window_count; index++)
    if (table[index].flags & WINDOW_IS_CHOSEN) return &table[index];
  return NULL;
}

char *describe_windows(uint32_t *count, size_t *length) {
  *count = 0;
  *length = 0;
  char *text = malloc(ANSWER_LIMIT * (sizeof(struct display_window) + 2 * NAME_LIMIT));
  for (int level = 2; text && level >= 0; level--)
    for (unsigned index = 0; index < window_count && *count < ANSWER_LIMIT; index++)
      if (importance(&table[index]) == level) {
        *length += describe(&table[index], text + *length);
        ++*count;
      }
  return text;
}
