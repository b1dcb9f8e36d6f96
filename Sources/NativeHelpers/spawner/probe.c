// Conditions that have to be polled: a listening port, a Unix socket, an HTTP answer, a file.
//
// An attempt may take several steps, none of which blocks; its descriptor is waited for beside
// everything else. A positive answer dates from its end, and the attempt before it was negative,
// so that the launch time is never too short and the resolution says how much it may be too long.
#define _GNU_SOURCE
#include "probe.h"

#include "listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum phase { IDLE, CONNECTING, SENDING, RECEIVING };

static struct {
  enum phase phase;
  int file;
  int64_t began;          // of the attempt under way
  int64_t last_negative;  // when the last negative attempt began, or the launch
  int64_t next;           // when the next attempt is due
  size_t sent;
  size_t received;
  char answer[16];
} state = {.file = -1};

enum verdict { NO, YES, PENDING };

int is_polled(const struct launch *launch) {
  uint32_t ready = launch->request->ready.kind;
  return ready == READY_TCP || ready == READY_UNIX || ready == READY_HTTP || ready == READY_FILE;
}

// Between 100 us and 10 ms, and about 0.4 % of the time that has gone by.
int64_t probe_interval(int64_t elapsed) {
  int64_t interval = elapsed / 256;
  if (interval < 100000) return 100000;
  return interval > 10000000 ? 10000000 : interval;
}

static int unix_socket_accepts(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return 0;
  strcpy(address.sun_path, path);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return 0;
  int connected = connect(file, (struct sockaddr *)&address, sizeof address) == 0;
  close(file);
  return connected;
}

// Whether the condition holds before the launch, so that it would say nothing about it.
int held_before(struct launch *launch) {
  enum wire_step step = STEP_NONE;
  switch (launch->request->ready.kind) {
    case READY_TCP:
    case READY_HTTP:
      if (find_listener(&launch->request->ready, &launch->result.detail) > 0) step = STEP_PORT_IN_USE;
      break;
    case READY_UNIX:
      if (unix_socket_accepts(launch->text)) step = STEP_SOCKET_IN_USE;
      break;
    case READY_FILE:
      if (access(launch->text, F_OK) == 0) step = STEP_FILE_EXISTS;
      break;
    default: break;
  }
  launch->result.step = step;
  return step != STEP_NONE;
}

// A close with an unread or lingering connection would leave TIME_WAIT on the target's port, and
// its next start could not bind; a reset leaves nothing.
static void reset_connection(void) {
  if (state.file < 0) return;
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(state.file, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close(state.file);
  state.file = -1;
  state.phase = IDLE;
}

void open_probe(void) {
  close_probe();
  state.last_negative = state.next = 0;
}

void close_probe(void) { reset_connection(); }

static int connect_socket(const struct wire_request *request) {
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)request->ready.port)};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)request->ready.port)};
  memcpy(&four.sin_addr, request->ready.address, sizeof four.sin_addr);
  memcpy(&six.sin6_addr, request->ready.address, sizeof six.sin6_addr);
  int is_six = request->ready.family == AF_INET6;
  state.file = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (state.file < 0) return -1;
  if (is_six) return connect(state.file, (struct sockaddr *)&six, sizeof six);
  return connect(state.file, (struct sockaddr *)&four, sizeof four);
}

// A server is asked only once somebody listens; without netlink the connection alone has to tell.
static enum verdict begin_connection(const struct launch *launch) {
  uint64_t inode;
  if (find_listener(&launch->request->ready, &inode) == 0) return NO;
  int status = connect_socket(launch->request);
  if (status != 0 && errno != EINPROGRESS) return NO;
  state.phase = CONNECTING;
  state.sent = state.received = 0;
  return PENDING;
}

static enum verdict finish_connection(const struct launch *launch) {
  int error = 0;
  socklen_t size = sizeof error;
  struct pollfd wait = {.fd = state.file, .events = POLLOUT};
  if (poll(&wait, 1, 0) <= 0) return PENDING;
  if (getsockopt(state.file, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return NO;
  if (launch->request->ready.kind == READY_TCP) return YES;
  state.phase = SENDING;
  return PENDING;
}

static enum verdict send_question(const struct launch *launch) {
  static char question[8192];
  int length = snprintf(question, sizeof question,
                        "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: launchlab\r\n"
                        "Accept: */*\r\nConnection: close\r\n\r\n",
                        launch->text, launch->host);
  if (length < 0 || (size_t)length >= sizeof question) return NO;
  ssize_t sent = send(state.file, question + state.sent, (size_t)length - state.sent, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN ? PENDING : NO;
  state.sent += (size_t)sent;
  if (state.sent == (size_t)length) state.phase = RECEIVING;
  return PENDING;
}

// The status line begins with `HTTP/1.x 2nn`, RFC 9112 section 4.
static enum verdict receive_answer(void) {
  enum { NEEDED = 12 };
  ssize_t count = recv(state.file, state.answer + state.received, NEEDED - state.received, 0);
  if (count < 0 && errno == EAGAIN) return PENDING;
  if (count <= 0) return NO;
  state.received += (size_t)count;
  if (state.received < NEEDED) return PENDING;
  int is_status = memcmp(state.answer, "HTTP/1.", 7) == 0 && state.answer[8] == ' ';
  return is_status && state.answer[9] == '2' ? YES : NO;
}

static enum verdict advance(const struct launch *launch) {
  enum verdict verdict = PENDING;
  for (;;) {
    enum phase before = state.phase;
    if (before == IDLE) verdict = begin_connection(launch);
    if (before == CONNECTING) verdict = finish_connection(launch);
    if (before == SENDING) verdict = send_question(launch);
    if (before == RECEIVING) verdict = receive_answer();
    if (verdict != PENDING || state.phase == before) return verdict;
  }
}

static enum verdict ask(const struct launch *launch) {
  switch (launch->request->ready.kind) {
    case READY_FILE: return access(launch->text, F_OK) == 0 ? YES : NO;
    case READY_UNIX: return unix_socket_accepts(launch->text) ? YES : NO;
    default: return advance(launch);
  }
}

// Begins or continues an attempt if one is due; true when the condition holds.
int probe(struct launch *launch, int64_t now) {
  if (state.last_negative == 0) state.last_negative = launch->started;
  if (state.phase == IDLE) {
    if (now < state.next) return 0;
    state.began = now;
  }
  enum verdict verdict = ask(launch);
  if (verdict == PENDING) return 0;
  reset_connection();
  if (verdict == YES) {
    launch->result.resolution = state.began - state.last_negative;
    return 1;
  }
  state.last_negative = state.began;
  state.next = now + probe_interval(now - launch->started);
  return 0;
}

// Tries once more although no attempt is due, for a target that has just ended.
int probe_at_end(struct launch *launch, int64_t now) {
  if (state.phase == IDLE) state.next = now;
  return probe(launch, now);
}

int probe_descriptor(short *events) {
  *events = state.phase == RECEIVING ? POLLIN : POLLOUT;
  return state.phase == IDLE ? -1 : state.file;
}

// When the next attempt is due, on the monotonic clock; far away while one is under way.
int64_t next_probe(void) { return state.phase == IDLE ? state.next : INT64_MAX; }
