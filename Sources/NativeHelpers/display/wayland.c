// The backend for Wayland: it stands between programs and the display server. What one side says
// goes to the other at once, with its descriptors, and only then is it looked at.
//
// Nobody is waited for. What a side does not take is queued, and while that is much, no more is
// read of the other one, which is what happens without a proxy, too.
#define _GNU_SOURCE
#include "display.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "wayland.h"

// MARK: Connections

enum {
  CONNECTION_LIMIT = 64,
  FILE_LIMIT = 4096,
  // The most that the kernel passes at once, SCM_MAX_FD; libwayland passes up to 28.
  DESCRIPTOR_LIMIT = 253,
  CHUNK = 64 << 10,
  // What is not yet a whole message is shorter than CHUNK, because its length has 16 bits.
  ROOM = 2 * CHUNK,
  QUEUE_LIMIT = 4 << 20,
  QUEUED_DESCRIPTOR_LIMIT = 64,
  // Whatever clients do, the requests of display.c are heard in between.
  ROUNDS_AT_ONCE = 16,
};

enum side { PROGRAM, SERVER, SIDE_COUNT };

// What could not be sent yet. The descriptors go with the first of the bytes.
struct piece {
  struct piece *next;
  size_t length, sent;
  int count, descriptors[DESCRIPTOR_LIMIT];
  uint8_t bytes[];
};

// One direction, from a side to the other.
struct flow {
  int from, to;
  int is_ended;   // no more will come
  int is_broken;  // nobody takes it any more
  struct piece *first, **last;
  size_t queued;
  int queued_descriptors;
  size_t held;  // bytes at the start of `bytes` that are not yet a whole message
  _Alignas(8) uint8_t bytes[ROOM];
};

struct connection {
  struct flow flows[SIDE_COUNT];  // by the side that they come from
  struct client *client;
};

static struct connection *connections[CONNECTION_LIMIT];
static int connection_count;
static int listener = -1;
// A connection of its own to the display server, which says nothing, and ends when the server does.
static int sentinel = -1;
static struct sockaddr_un upstream = {.sun_family = AF_UNIX};

// MARK: Sending

static void close_all(const int *descriptors, int count) {
  for (int index = 0; index < count; index++) close(descriptors[index]);
}

// Gives how much was sent, 0 when there is no room, and -1 when there will be none.
static ssize_t send_some(int to, const uint8_t *bytes, size_t length, const int *descriptors,
                         int count) {
  static _Alignas(struct cmsghdr) char control[CMSG_SPACE(DESCRIPTOR_LIMIT * sizeof(int))];
  struct iovec piece = {(void *)bytes, length};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
  if (count > 0) {
    size_t size = (size_t)count * sizeof(int);
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(size);
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), descriptors, size);
  }
  ssize_t sent;
  do sent = sendmsg(to, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 && errno == EAGAIN ? 0 : sent;
}

static void drop_first(struct flow *flow) {
  struct piece *piece = flow->first;
  flow->first = piece->next;
  if (!flow->first) flow->last = &flow->first;
  flow->queued -= sizeof *piece + piece->length;
  flow->queued_descriptors -= piece->count;
  close_all(piece->descriptors, piece->count);
  free(piece);
}

static void break_off(struct flow *flow) {
  flow->is_broken = 1;
  while (flow->first) drop_first(flow);
}

// Takes the descriptors over.
static void enqueue(struct flow *flow, const uint8_t *bytes, size_t length,
                    const int *descriptors, int count) {
  struct piece *piece = malloc(sizeof *piece + length);
  if (!piece) {
    // Without these bytes the rest would mean something else.
    close_all(descriptors, count);
    break_off(flow);
    flow->is_ended = 1;
    return;
  }
  *piece = (struct piece){.length = length, .count = count};
  memcpy(piece->bytes, bytes, length);
  memcpy(piece->descriptors, descriptors, (size_t)count * sizeof *descriptors);
  *flow->last = piece;
  flow->last = &piece->next;
  flow->queued += sizeof *piece + length;
  flow->queued_descriptors += count;
}

// What the other side has said before it went is still to be read; but what went wrong otherwise
// would leave both waiting.
static void note_failure(struct flow *flow) {
  int is_gone = errno == EPIPE || errno == ECONNRESET;
  break_off(flow);
  if (!is_gone) flow->is_ended = 1;
}

static void flush(struct flow *flow) {
  while (flow->first) {
    struct piece *piece = flow->first;
    ssize_t sent = send_some(flow->to, piece->bytes + piece->sent, piece->length - piece->sent,
                             piece->descriptors, piece->count);
    if (sent < 0) note_failure(flow);
    if (sent <= 0) return;
    flow->queued_descriptors -= piece->count;
    close_all(piece->descriptors, piece->count);
    piece->count = 0;
    piece->sent += (size_t)sent;
    if (piece->sent < piece->length) return;
    drop_first(flow);
  }
}

// Gives how much of the bytes, and with them the descriptors, went out at once. The rest waits in
// order, and is queued once it has been looked at.
static size_t pass_on(struct flow *flow, const uint8_t *bytes, size_t length,
                      const int *descriptors, int count) {
  if (flow->first || flow->is_broken) return 0;
  ssize_t sent = send_some(flow->to, bytes, length, descriptors, count);
  if (sent < 0) note_failure(flow);
  return sent > 0 ? (size_t)sent : 0;
}

// MARK: Receiving

// The descriptors that came; -1 when some of them are lost.
static int take_descriptors(struct msghdr *header, int *descriptors) {
  int count = 0;
  struct cmsghdr *control = CMSG_FIRSTHDR(header);
  for (; control; control = CMSG_NXTHDR(header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    int more = (int)((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    if (more > DESCRIPTOR_LIMIT - count) more = DESCRIPTOR_LIMIT - count;
    memcpy(descriptors + count, CMSG_DATA(control), (size_t)more * sizeof(int));
    count += more;
  }
  if (!(header->msg_flags & MSG_CTRUNC)) return count;
  close_all(descriptors, count);
  return -1;
}

// Gives how many bytes came behind those that are held, 0 for none, and -1 when no more will.
static ssize_t receive_some(struct flow *flow, int *descriptors, int *count) {
  static _Alignas(struct cmsghdr) char control[CMSG_SPACE(DESCRIPTOR_LIMIT * sizeof(int))];
  struct iovec piece = {flow->bytes + flow->held, CHUNK};
  struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
                          .msg_controllen = sizeof control};
  ssize_t length;
  do length = recvmsg(flow->from, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (length < 0 && errno == EINTR);
  *count = 0;
  if (length < 0 && errno == EAGAIN) return 0;
  if (length < 0) return -1;
  *count = take_descriptors(&header, descriptors);
  if (*count >= 0 && length > 0) return length;
  // They can only have come without bytes, which stream sockets do not do.
  if (*count > 0) close_all(descriptors, *count);
  *count = 0;
  return -1;
}

static void transfer(struct connection *connection, enum side side) {
  struct flow *flow = &connection->flows[side];
  int descriptors[DESCRIPTOR_LIMIT], count;
  ssize_t received = receive_some(flow, descriptors, &count);
  int64_t now = monotonic();
  if (received < 0) flow->is_ended = 1;
  if (received <= 0) return;
  size_t length = (size_t)received;
  const uint8_t *came = flow->bytes + flow->held;
  size_t sent = pass_on(flow, came, length, descriptors, count);
  size_t whole = client_read(connection->client, side == PROGRAM, flow->bytes, flow->held + length,
                             descriptors, count, now);
  int have_gone = sent > 0 || flow->is_broken;
  if (have_gone) close_all(descriptors, count);
  if (sent < length && !flow->is_broken)
    enqueue(flow, came + sent, length - sent, descriptors, have_gone ? 0 : count);
  flow->held += length - whole;
  memmove(flow->bytes, flow->bytes + whole, flow->held);
}

// MARK: Beginning and ending

static int connect_upstream(void) {
  int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (server < 0) return -1;
  if (connect(server, (struct sockaddr *)&upstream, sizeof upstream) == 0) return server;
  close(server);
  return -1;
}

static void begin_flow(struct flow *flow, int from, int to) {
  *flow = (struct flow){.from = from, .to = to, .last = &flow->first};
}

// Gives false, and closes nothing, when there is no memory.
static int add_connection(int program, int server, int64_t at) {
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  getsockopt(program, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  struct connection *connection = calloc(1, sizeof *connection);
  struct client *client = connection ? client_add(peer.pid, at) : NULL;
  if (!client) {
    free(connection);
    return 0;
  }
  begin_flow(&connection->flows[PROGRAM], program, server);
  begin_flow(&connection->flows[SERVER], server, program);
  connection->client = client;
  connections[connection_count++] = connection;
  return 1;
}

static void accept_connection(void) {
  int program = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (program < 0) return;
  int64_t now = monotonic();
  int server = connect_upstream();
  if (server < 0 && (errno == ECONNREFUSED || errno == ENOENT))
    fail("the display server has ended");
  if (server >= 0 && add_connection(program, server, now)) return;
  if (server >= 0) close(server);
  close(program);
}

// A side has gone, and the other one has got all that it said.
static int is_over(const struct connection *connection) {
  for (int side = 0; side < SIDE_COUNT; side++)
    if (connection->flows[side].is_ended && !connection->flows[side].first) return 1;
  return 0;
}

static void end_connection(struct connection *connection) {
  client_remove(connection->client, monotonic());
  for (int side = 0; side < SIDE_COUNT; side++) {
    break_off(&connection->flows[side]);
    close(connection->flows[side].from);
  }
  free(connection);
}

static void end_connections(void) {
  int kept = 0;
  for (int index = 0; index < connection_count; index++) {
    if (is_over(connections[index]))
      end_connection(connections[index]);
    else
      connections[kept++] = connections[index];
  }
  connection_count = kept;
}

static void read_sentinel(void) {
  char byte;
  ssize_t count = recv(sentinel, &byte, sizeof byte, MSG_DONTWAIT);
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return;
  close(sentinel);
  sentinel = -1;
  fail("the display server has ended");
}

// MARK: The backend

static int give_up(const char *what, const char *path) {
  static char reason[256];
  snprintf(reason, sizeof reason, "%s %s: %s", what, path, strerror(errno));
  fail(reason);
  return 0;
}

static int set_path(struct sockaddr_un *address, const char *path) {
  errno = ENAMETOOLONG;
  if (strlen(path) >= sizeof address->sun_path)
    return give_up("cannot use the socket", path);
  strcpy(address->sun_path, path);
  return 1;
}

// Each connection and each pool of buffers takes descriptors. What is started inherits the limit,
// so that it stays moderate.
static void raise_file_limit(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILE_LIMIT) return;
  files.rlim_cur = files.rlim_max < FILE_LIMIT ? files.rlim_max : FILE_LIMIT;
  setrlimit(RLIMIT_NOFILE, &files);
}

// The targets of root may become other users; those of others cannot.
static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!set_path(&address, path)) return 0;
  unlink(path);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0
      && chmod(path, geteuid() == 0 ? 0777 : 0700) == 0 && listen(listener, CONNECTION_LIMIT) == 0)
    return 1;
  return give_up("cannot listen at the socket", path);
}

static int open_backend(char **arguments) {
  raise_file_limit();
  if (!set_path(&upstream, arguments[1])) return 0;
  sentinel = connect_upstream();
  if (sentinel < 0) return give_up("cannot connect to the display server at", arguments[1]);
  return listen_at(arguments[0]);
}

static int wants_more(const struct flow *flow) {
  return !flow->is_ended && flow->queued < QUEUE_LIMIT
      && flow->queued_descriptors < QUEUED_DESCRIPTOR_LIMIT;
}

// Nothing is polled where nothing could be done, or an end that has been seen would wake forever.
static struct pollfd polled_side(const struct connection *connection, enum side side) {
  const struct flow *in = &connection->flows[side], *out = &connection->flows[!side];
  short events = (short)((wants_more(in) ? POLLIN : 0) | (out->first ? POLLOUT : 0));
  return (struct pollfd){.fd = events ? in->from : -1, .events = events};
}

enum { LISTENER, SENTINEL, FIRST_CONNECTION };

static int descriptors(struct pollfd *polled, int limit) {
  if (limit < FIRST_CONNECTION) return 0;
  int has_room = connection_count < CONNECTION_LIMIT;
  polled[LISTENER] = (struct pollfd){.fd = has_room ? listener : -1, .events = POLLIN};
  polled[SENTINEL] = (struct pollfd){.fd = sentinel, .events = POLLIN};
  int count = FIRST_CONNECTION;
  for (int index = 0; index < connection_count && count + SIDE_COUNT <= limit; index++)
    for (int side = 0; side < SIDE_COUNT; side++)
      polled[count++] = polled_side(connections[index], side);
  return count;
}

static void serve(struct connection *connection, enum side side, short events) {
  if (events & (POLLOUT | POLLERR | POLLHUP)) flush(&connection->flows[!side]);
  if (events & (POLLIN | POLLERR | POLLHUP) && wants_more(&connection->flows[side]))
    transfer(connection, side);
}

static void read_all(void) {
  static struct pollfd polled[FIRST_CONNECTION + CONNECTION_LIMIT * SIDE_COUNT];
  for (int round = 0; round < ROUNDS_AT_ONCE; round++) {
    int count = descriptors(polled, sizeof polled / sizeof *polled);
    if (poll(polled, (nfds_t)count, 0) <= 0) return;
    for (int index = FIRST_CONNECTION; index < count; index++)
      if (polled[index].revents)
        serve(connections[(index - FIRST_CONNECTION) / SIDE_COUNT],
              (index - FIRST_CONNECTION) % SIDE_COUNT, polled[index].revents);
    end_connections();
    if (polled[SENTINEL].revents) read_sentinel();
    if (polled[LISTENER].revents) accept_connection();
  }
}

static void forget_windows(void) {
  for (int index = 0; index < connection_count; index++)
    client_forget_windows(connections[index]->client);
}

const struct backend wayland_backend = {
    .open = open_backend, .descriptors = descriptors, .read = read_all, .begin = forget_windows,
    .end = forget_windows};
