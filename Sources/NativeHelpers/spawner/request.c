// The control socket: requests in, results out.
#include "request.h"

#include "faults.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static _Alignas(4096) char bytes[REQUEST_LIMIT + 1];
static char *pointers[REQUEST_LIMIT / 4];

// What one request may leave behind in memory; beyond it the pages are given back, because a
// launched program's peak memory starts from the spawner's.
enum { KEPT = 64 << 10, KEPT_OUTPUT = 4 << 10 };

static int receive(char *into, size_t count) {
  while (count > 0) {
    ssize_t received = recv(CONTROL_DESCRIPTOR, into, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return 0;
    into += received;
    count -= (size_t)received;
  }
  return 1;
}

// The next string of a request, or NULL when the request ends before the string does.
static char *next_string(char **cursor, char *end) {
  char *string = *cursor;
  char *nul = memchr(string, 0, (size_t)(end - string));
  if (!nul) return NULL;
  *cursor = nul + 1;
  return string;
}

static char **next_strings(char **cursor, char *end, uint32_t count, char ***vacant) {
  char **strings = *vacant;
  for (uint32_t index = 0; index < count; index++)
    if (!(strings[index] = next_string(cursor, end))) return NULL;
  strings[count] = NULL;
  // Two slots stay vacant, for the spawner's own variables.
  *vacant = strings + count + 3;
  return strings;
}

static int parse(struct launch *launch) {
  struct wire_request *request = launch->request;
  char *cursor = bytes + sizeof *request;
  char *end = bytes + sizeof request->length + request->length;
  const char **fields[] = {&launch->program, &launch->directory, &launch->standard_input,
                           &launch->text, &launch->host,
                           &launch->stop_text, &launch->stop_host, &launch->chosen_name,
                           &launch->chosen_path};
  for (size_t index = 0; index < sizeof fields / sizeof *fields; index++)
    if (!(*fields[index] = next_string(&cursor, end))) return 0;
  if (request->argument_count > REQUEST_LIMIT / 16) return 0;
  if (request->environment_count > REQUEST_LIMIT / 16) return 0;
  char **vacant = pointers;
  launch->arguments = next_strings(&cursor, end, request->argument_count, &vacant);
  if (!launch->arguments) return 0;
  launch->environment = next_strings(&cursor, end, request->environment_count, &vacant);
  return launch->environment != NULL;
}

static void reset(struct launch *launch) {
  memset(launch, 0, sizeof *launch);
  launch->request = (struct wire_request *)bytes;
  launch->pidfd = launch->input = launch->notify = -1;
  launch->streams[0] = launch->streams[1] = launch->ends[0] = launch->ends[1] = -1;
  for (int index = 0; index < COUNTER_LIMIT; index++) launch->counter_files[index] = -1;
}

// Waits for the next request. One that cannot be understood ends the spawner as well.
//
// The first receive usually has all of it: the controller sends nothing until it has the result.
enum received receive_request(struct launch *launch) {
  reset(launch);
  ssize_t first;
  do first = recv(CONTROL_DESCRIPTOR, bytes, REQUEST_LIMIT, 0);
  while (first < 0 && errno == EINTR);
  uint32_t *length = &launch->request->length;
  size_t present = first > 0 ? (size_t)first : 0;
  if (present == 0) return END_OF_FILE;
  if (present < sizeof *length) {
    if (!receive(bytes + present, sizeof *length - present)) return END_OF_FILE;
    present = sizeof *length;
  }
  if (*length == 0) return FAREWELL;
  size_t total = sizeof *length + *length;
  if (total < sizeof *launch->request || total > REQUEST_LIMIT || total < present)
    return END_OF_FILE;
  if (!receive(bytes + present, total - present)) return END_OF_FILE;
  return parse(launch) ? REQUEST : END_OF_FILE;
}

int controller_is_gone(void) {
  char byte;
  ssize_t peeked = recv(CONTROL_DESCRIPTOR, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return peeked == 0 || (peeked < 0 && errno != EAGAIN && errno != EINTR);
}

static int send_pieces(struct iovec *pieces, int count) {
  while (count > 0) {
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = (size_t)count};
    ssize_t sent = sendmsg(CONTROL_DESCRIPTOR, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return 0;
    for (; count > 0 && (size_t)sent >= pieces->iov_len; pieces++, count--)
      sent -= (ssize_t)pieces->iov_len;
    if (count == 0) break;
    pieces->iov_base = (char *)pieces->iov_base + sent;
    pieces->iov_len -= (size_t)sent;
  }
  return 1;
}

static void give_back_memory(const struct launch *launch) {
  uint64_t written = launch->result.totals[0] + launch->result.totals[1];
  if (launch->request->length <= KEPT && written + launch->result.faults.bytes <= KEPT_OUTPUT)
    return;
  madvise(bytes + KEPT, sizeof bytes - 1 - KEPT, MADV_DONTNEED);
  forget_streams();
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // 5 resets the peak to the present size; proc(5).
  if (write(file, "5", 1) < 0) errno = 0;
  close(file);
}

void send_result(struct launch *launch) {
  struct wire_result *result = &launch->result;
  struct iovec pieces[7 + FAULT_RING_LIMIT] = {{result, sizeof *result}};
  int count = 1;
  size_t total = sizeof *result;
  for (int stream = 0; stream < 2; stream++) {
    const uint8_t *tails[2];
    uint32_t lengths[2];
    result->tails[stream] = stream_tail(stream, tails, lengths);
    pieces[count++] = (struct iovec){(void *)stream_head(stream), result->heads[stream]};
    pieces[count++] = (struct iovec){(void *)tails[0], lengths[0]};
    pieces[count++] = (struct iovec){(void *)tails[1], lengths[1]};
    total += result->heads[stream] + result->tails[stream];
  }
  count += fault_pieces(pieces + count);
  total += result->faults.bytes;
  result->length = (uint32_t)(total - sizeof result->length);
  // A controller that is gone is noticed by the next receive.
  send_pieces(pieces, count);
  close_faults();
  give_back_memory(launch);
}
