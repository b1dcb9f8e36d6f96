// The helper that observes the windows of launches; `launch_wire.h` has its arguments and what is
// said to it.
//
// It lives for a whole run, and so while cold launches are made: it is linked statically, so that
// no library of a target stays in memory because of it. It changes nothing of what targets do, and
// takes little of the machine, but takes that at once: its instants are those at which it hears.
#define _GNU_SOURCE
#include "display.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "film.h"
#include "server.h"
#include "windows.h"

enum { POLLED_LIMIT = 512, TEXT_LIMIT = 4096 };

static const struct backend *backend;
static const char *display_name;
static int is_in_launch;

// What happens is heard of before anything else runs; programs that this one starts are not meant.
static void raise_priority(void) {
  struct sched_param lowest = {.sched_priority = 1}, none = {0};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0) return;
  setpriority(PRIO_PROCESS, 0, -20);
  sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

// MARK: Answers

static int send_all(const void *bytes, size_t length) {
  for (const char *at = bytes, *end = at + length; at < end;) {
    ssize_t sent = send(CONTROL_DESCRIPTOR, at, (size_t)(end - at), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return 0;
    if (sent > 0) at += sent;
  }
  return 1;
}

// What follows the reason depends on the request.
static int answer(const char *reason, uint32_t count, const char *rest, size_t length) {
  struct display_answer head = {.count = count};
  size_t reason_length = strlen(reason) + 1;
  head.length = (uint32_t)(sizeof head - sizeof head.length + reason_length + length);
  return send_all(&head, sizeof head) && send_all(reason, reason_length) && send_all(rest, length);
}

// Why the bus of a launch is not there, or NULL. An empty text stands between the command and its
// environment.
static const char *start_bus(const char *socket, char **command) {
  if (!*command) return NULL;
  char **end = command;
  while (*end && **end) end++;
  char **environment = *end ? end + 1 : end;
  *end = NULL;
  int names = start_companion(BUS, command, environment);
  if (names >= 0) close(names);
  if (names >= 0 && await_socket(BUS, socket)) return NULL;
  return "the message bus of the launch does not start";
}

static void end_launch(void) {
  end_windows();
  if (is_in_launch && backend->end) backend->end();
  is_in_launch = 0;
  end_companion(BUS);
}

static int begin(const struct display_request *request, char **texts) {
  end_launch();
  const char *reason = start_bus(texts[2], texts + 3);
  if (!reason) reason = begin_windows(request, texts[0], texts[1]);
  begin_film(!reason && request->is_filmed);
  if (!reason && !*failure()) {
    backend->begin();
    is_in_launch = 1;
  }
  return answer(*failure() || !reason ? failure() : reason, 0, NULL, 0);
}

static int end(void) {
  end_launch();
  uint32_t count;
  size_t length;
  char *windows = describe_windows(&count, &length);
  int is_sent = answer(failure(), count, windows, length);
  free(windows);
  return is_sent;
}

static int send_film(void) {
  uint32_t count;
  size_t length;
  char *film = develop_film(chosen_window(), &count, &length);
  int is_sent = answer(failure(), count, film, length);
  free(film);
  begin_film(0);
  return is_sent;
}

// MARK: Requests

static int receive_all(void *bytes, size_t length) {
  if (length == 0) return 1;
  ssize_t count;
  do count = recv(CONTROL_DESCRIPTOR, bytes, length, MSG_WAITALL);
  while (count < 0 && errno == EINTR);
  return count == (ssize_t)length;
}

static int handle(const struct display_request *request, char **texts) {
  if (request->command == DISPLAY_BEGIN) return begin(request, texts);
  if (request->command == DISPLAY_NAME)
    return answer(failure(), 0, display_name, strlen(display_name) + 1);
  if (request->command == DISPLAY_FILM) return send_film();
  return request->command == DISPLAY_END && end();
}

// Finds the texts in what was sent. Those that are missing are empty, and NULL ends the rest.
static void split(char *bytes, size_t length, char **texts) {
  static char nothing[1];
  unsigned count = 0;
  bytes[length] = 0;
  for (char *text = bytes; text < bytes + length && count < TEXT_LIMIT; text += strlen(text) + 1)
    texts[count++] = text;
  while (count < 3) texts[count++] = nothing;
  texts[count] = NULL;
}

// False when there is no more to do.
static int receive(void) {
  static char *texts[TEXT_LIMIT + 1];
  struct display_request request;
  size_t fixed = sizeof request - sizeof request.length;
  if (!receive_all(&request.length, sizeof request.length)) return 0;
  if (request.length < fixed || request.length > REQUEST_LIMIT) return 0;
  if (!receive_all(&request.command, fixed)) return 0;
  size_t length = request.length - fixed;
  char *bytes = malloc(length + 1);
  int goes_on = bytes && receive_all(bytes, length);
  if (goes_on) {
    split(bytes, length, texts);
    goes_on = handle(&request, texts);
  }
  free(bytes);
  return goes_on;
}

// MARK: The loop

// The parent is watched as well, since another process may hold its end of the socket.
static void run(int parent) {
  static struct pollfd polled[POLLED_LIMIT];
  for (;;) {
    polled[0] = (struct pollfd){.fd = CONTROL_DESCRIPTOR, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = parent, .events = POLLIN};
    int count = 2 + backend->descriptors(polled + 2, POLLED_LIMIT - 2);
    if (poll(polled, (nfds_t)count, windows_timeout()) < 0 && errno != EINTR) return;
    if (polled[1].revents) return;
    backend->read();
    settle_windows();
    if (polled[0].revents && !receive()) return;
  }
}

// Starts the server whose command begins here, if any; its display becomes `arguments[0]`.
static int start_server(char **command, int is_x11, char **arguments) {
  static char number[16];
  if (!*command) return 1;
  int names = start_companion(SERVER, command, (char *[]){NULL});
  int is_there = names >= 0 && (is_x11 ? read_display_number(names, number, sizeof number)
                                       : await_socket(SERVER, arguments[1]));
  if (names >= 0) close(names);
  if (is_x11) arguments[0] = number;
  if (!is_there) fail("the display server does not start");
  return is_there;
}

int main(int count, char **arguments) {
  int is_x11 = count >= 5 && strcmp(arguments[1], "x11") == 0;
  int is_wayland = count >= 6 && strcmp(arguments[1], "wayland") == 0;
  if (!is_x11 && !is_wayland) return 2;
  char **own = arguments + 2, **rest = own + (is_x11 ? 1 : 2);
  if (!place_notifications(rest[0])) return 2;
  if (*rest[1]) setenv("XAUTHORITY", rest[1], 1);
  backend = is_x11 ? &x11_backend : &wayland_backend;
  signal(SIGPIPE, SIG_IGN);
  raise_priority();
  // What a bus starts has to end with it, whoever is its parent by then.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
  if (start_server(rest + 2, is_x11, own)) backend->open(own);
  display_name = own[0];
  run(parent);
  end_companion(BUS);
  end_companion(SERVER);
  return 0;
}
