// The profiler samples where the threads of launches are.
//
// usage: profiler FILE, with the control socket as descriptor 3. `trace_wire.h` describes the
// requests, `profile_wire.h` the file.
//
// It is a process of its own because it reads the rings of the kernel while a launch runs, which
// the spawner may not.
#define _GNU_SOURCE
#include "launch_wire.h"
#include "profile_wire.h"
#include "session.h"
#include "trace_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: - The file

static int write_all(int file, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    ssize_t written = write(file, at, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    at += written;
    length -= (size_t)written;
  }
  return 0;
}

// A file of its own for each launch: the one before may be in use elsewhere.
static int write_file(const char *path, const struct session *session) {
  if (unlink(path) != 0 && errno != ENOENT) return errno;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  const struct profile_header header = {
      .magic = PROFILE_MAGIC,
      .bytes = session->records.used,
      .period = session->period,
      .lost = session->records.lost,
      .kernel_chain = (uint32_t)session->samples_kernel,
      .stop_events = (uint32_t)session->stop_event_count,
  };
  int code = write_all(file, &header, sizeof header);
  if (code == 0)
    code = write_all(
        file, session->stop_events, session->stop_event_count * sizeof *session->stop_events);
  if (code == 0) code = write_all(file, session->records.bytes, session->records.used);
  if (close(file) != 0 && code == 0) code = errno;
  if (code != 0) unlink(path);
  return code;
}

// MARK: - Requests

static struct trace_answer begin(struct session *session, const struct trace_request *request) {
  // One that was never ended belongs to a launch that was given up.
  close_session(session);
  enum trace_step step = TRACE_STEP_NONE;
  int code = open_session(session, request, &step);
  return (struct trace_answer){
      .error = code, .step = step, .level = (uint32_t)session->samples_kernel};
}

static struct trace_answer end(struct session *session, const char *path) {
  if (session->ring_count == 0)
    return (struct trace_answer){.error = EINVAL, .step = TRACE_STEP_REQUEST};
  stop_session(session);
  int code = write_file(path, session);
  struct trace_answer answer = {
      .error = code,
      .step = code != 0 ? TRACE_STEP_FILE : TRACE_STEP_NONE,
      .events = session->records.count,
      .lost = session->records.lost,
  };
  close_session(session);
  return answer;
}

static struct trace_answer answer_to(
    struct session *session, const struct trace_request *request, const char *path) {
  switch (request->command) {
    case TRACE_BEGIN: return begin(session, request);
    case TRACE_END: return end(session, path);
    default: return (struct trace_answer){.error = EINVAL, .step = TRACE_STEP_REQUEST};
  }
}

enum { CONTROL, PARENT, FIRST_RING };

// Waits for a request, and takes records meanwhile. Returns 0 at the end of the conversation.
static int receive(struct session *session, int parent, struct trace_request *request) {
  struct pollfd watched[FIRST_RING + session->ring_count];
  for (;;) {
    watched[CONTROL] = (struct pollfd){.fd = CONTROL_DESCRIPTOR, .events = POLLIN};
    watched[PARENT] = (struct pollfd){.fd = parent, .events = POLLIN};
    watch_rings(session, watched + FIRST_RING);
    int ready = poll(watched, FIRST_RING + session->ring_count, -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || watched[PARENT].revents != 0) return 0;
    heed_rings(session, watched + FIRST_RING);
    drain_rings(session);
    if (watched[CONTROL].revents != 0) break;
  }
  return recv(CONTROL_DESCRIPTOR, request, sizeof *request, MSG_WAITALL)
      == (ssize_t)sizeof *request;
}

// Events that nobody ends would slow down every launch of a spawner that lives on. The death signal
// of prctl(2) is no help: it comes when the thread ends that has started this process.
static int watched_parent(void) {
  return (int)syscall(SYS_pidfd_open, getppid(), 0);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  int parent = watched_parent();
  struct session session = {0};
  struct trace_request request;
  while (receive(&session, parent, &request)) {
    struct trace_answer answer = answer_to(&session, &request, arguments[1]);
    answer.length = sizeof answer - sizeof answer.length;
    if (send(CONTROL_DESCRIPTOR, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer)
      break;
  }
  close_session(&session);
  return 0;
}
