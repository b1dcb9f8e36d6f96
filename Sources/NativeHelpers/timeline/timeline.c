// The helper that records the timeline of launches, by programs that the kernel runs (eBPF).
//
// usage: timeline FILE, with a socket as CONTROL_DESCRIPTOR; `trace_wire.h` has what is said on it.
//
// The programs are loaded once, and attached for one launch at a time: attached programs cost every
// process a look-up for each event. Whatever ends this process detaches them, since it holds the
// only descriptors of them.
#define _GNU_SOURCE
#include "timeline.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch_wire.h"

// How long a launch goes on before the ring is looked at; it holds many more events than that.
enum { DRAIN_MILLISECONDS = 100 };

static struct trace_answer failed(enum trace_step step) {
  return (struct trace_answer){.error = errno != 0 ? errno : EIO, .step = step};
}

static struct trace_answer begin(struct collector **collector, const struct trace_request *request) {
  errno = 0;
  if (*collector == NULL) *collector = collector_load();
  if (*collector == NULL) return failed(TRACE_STEP_LOAD);
  if (collector_begin(*collector, request->spawner) != 0) return failed(TRACE_STEP_ATTACH);
  return (struct trace_answer){0};
}

static struct trace_answer end(struct collector *collector, const char *path) {
  struct trace_answer answer = {0};
  errno = 0;
  collector_end(collector, &answer);
  return collector_write(collector, path) == 0 ? answer : failed(TRACE_STEP_FILE);
}

// Waits for a request, and drains the ring meanwhile; 0 when there is no more. The parent is watched
// as well, since another process may hold its end of the socket.
static int receive(struct trace_request *request, int parent, struct collector *recording) {
  struct pollfd watched[] = {
      {.fd = CONTROL_DESCRIPTOR, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
  for (;;) {
    int count = poll(watched, 2, recording != NULL ? DRAIN_MILLISECONDS : -1);
    if ((count < 0 && errno != EINTR) || watched[1].revents != 0) return 0;
    if (watched[0].revents != 0) break;
    if (recording != NULL) collector_drain(recording);
  }
  return recv(CONTROL_DESCRIPTOR, request, sizeof *request, MSG_WAITALL) == sizeof *request;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  struct collector *collector = NULL;
  struct trace_request request;
  int parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
  for (int records = 0; receive(&request, parent, records ? collector : NULL);) {
    struct trace_answer answer;
    if (request.command == TRACE_BEGIN && !records) {
      answer = begin(&collector, &request);
      records = answer.error == 0;
    } else if (request.command == TRACE_END && records) {
      answer = end(collector, arguments[1]);
      records = 0;
    } else {
      answer = (struct trace_answer){.error = EINVAL, .step = TRACE_STEP_REQUEST};
    }
    answer.length = sizeof answer - sizeof answer.length;
    if (send(CONTROL_DESCRIPTOR, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) break;
  }
  return 0;
}
