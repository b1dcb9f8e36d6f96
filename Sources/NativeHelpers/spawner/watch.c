// From the running target to the outcome. Between the start and the end of a launch nothing is
// allocated, logged or written; the streams are drained, so that the target need not wait.
#define _GNU_SOURCE
#include "watch.h"

#include "match.h"
#include "notify.h"
#include "output.h"
#include "probe.h"
#include "request.h"
#include "trace.h"
#include "tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Nanoseconds that a tracer has to be told that the target has ended.
enum { TRACER_PAUSE = 20000 };

enum watched { MAIN, STDOUT, STDERR, CONTROLLER, NOTIFICATION, PROBE, TRACE, WATCHED };

static void conclude(struct launch *launch, enum wire_outcome outcome, int code) {
  launch->result.outcome = outcome;
  launch->result.code = code;
}

static void conclude_ready(struct launch *launch, int64_t now) {
  conclude(launch, OUTCOME_READY, 0);
  launch->result.launch = now - launch->started;
}

static void conclude_ended(struct launch *launch) {
  int status = launch->main_status;
  if (WIFSIGNALED(status)) return conclude(launch, OUTCOME_SIGNALLED, WTERMSIG(status));
  conclude(launch, OUTCOME_EXITED, WEXITSTATUS(status));
}

static void wait_for_something(struct launch *launch, struct pollfd *watched, int64_t until) {
  for (int index = 0; index < WATCHED; index++) watched[index].events = POLLIN;
  watched[MAIN].fd = launch->main_alive ? launch->pidfd : -1;
  watched[STDOUT].fd = launch->streams[0];
  watched[STDERR].fd = launch->streams[1];
  watched[CONTROLLER].fd = CONTROL_DESCRIPTOR;
  watched[NOTIFICATION].fd = launch->notify;
  watched[PROBE].fd = probe_descriptor(&watched[PROBE].events);
  watched[TRACE].fd = trace_descriptor();
  for (int index = 0; index < WATCHED; index++) watched[index].revents = 0;
  int64_t left = until - monotonic();
  if (left < 0) left = 0;
  struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  ppoll(watched, WATCHED, &timeout, NULL);
}

static void abandon(struct launch *launch) {
  kill_tree(launch);
  close_notification(launch);
  leave_cgroup();
  _exit(0);
}

// What the target said by itself; true when that makes it ready.
static int hears(struct launch *launch, const struct pollfd *watched, int64_t now) {
  int64_t matched_at = now;
  int is_readable = watched[STDOUT].revents || watched[STDERR].revents || watched[MAIN].revents;
  if (is_readable && drain(launch, &matched_at)) {
    conclude_ready(launch, matched_at);
    return 1;
  }
  int64_t said_at = now;
  if (watched[NOTIFICATION].revents && receive_notification(launch, &said_at)) {
    conclude_ready(launch, said_at);
    return 1;
  }
  return 0;
}

// Whether the main process has ended with a status that is waited for.
static int is_expected(const struct launch *launch) {
  if (!WIFEXITED(launch->main_status)) return 0;
  unsigned status = WEXITSTATUS(launch->main_status);
  return launch->request->statuses[status / 64] >> status % 64 & 1;
}

// The main process has ended; true when that ends the launch. One that leaves others behind with
// status 0 is a daemon that has detached itself.
static int ends(struct launch *launch, int64_t now) {
  int is_left = reap(launch);
  if (launch->main_alive) {
    // Its tracer is told first, and may need this processor for that.
    nanosleep(&(struct timespec){.tv_nsec = TRACER_PAUSE}, NULL);
    return 0;
  }
  if (launch->request->ready.kind == READY_EXIT) {
    if (is_expected(launch))
      conclude_ready(launch, now);
    else
      conclude_ended(launch);
    return 1;
  }
  int succeeded = WIFEXITED(launch->main_status) && WEXITSTATUS(launch->main_status) == 0;
  if (succeeded && is_left) return 0;
  if (launch->request->ready.kind == READY_FILE && probe_at_end(launch, now)) {
    conclude_ready(launch, monotonic());
    return 1;
  }
  if (launch->request->ready.kind == READY_OUTPUT && match_end()) {
    conclude_ready(launch, now);
    return 1;
  }
  conclude_ended(launch);
  return 1;
}

// When to look again although nothing happened.
static int64_t next_look(struct launch *launch, int64_t now, int64_t deadline) {
  int64_t next = deadline;
  if (is_polled(launch) && next_probe() < next) next = next_probe();
  // Nothing tells that the last orphan has ended.
  int64_t look = now + probe_interval(now - launch->started);
  if (!launch->main_alive && look < next) next = look;
  return next;
}

void watch(struct launch *launch) {
  int64_t now = launch->started;
  int64_t deadline = now + launch->request->timeout;
  struct pollfd watched[WATCHED];
  for (;;) {
    if (is_polled(launch) && probe(launch, now)) return conclude_ready(launch, monotonic());
    wait_for_something(launch, watched, next_look(launch, now, deadline));
    now = monotonic();
    if (watched[TRACE].revents) follow(launch);
    if (watched[CONTROLLER].revents && controller_is_gone()) abandon(launch);
    if (launch->request->ready.kind == READY_EXIT) {
      if (watched[MAIN].revents && ends(launch, now)) return;
      drain(launch, NULL);
    } else {
      if (hears(launch, watched, now)) return;
      if ((watched[MAIN].revents || !launch->main_alive) && ends(launch, now)) return;
    }
    if (now >= deadline) return conclude(launch, OUTCOME_TIMED_OUT, 0);
  }
}

static int stop_condition_holds(struct launch *launch, int64_t deadline) {
  uint32_t kind = launch->request->ready.kind;
  if (kind == READY_OUTPUT && (open_pattern(launch->text) != 0 || match_kept(launch))) return 1;
  if (is_polled(launch)) open_probe();
  struct pollfd watched[WATCHED];
  for (;;) {
    int64_t now = monotonic(), matched_at;
    if (is_polled(launch) && probe(launch, now)) return 1;
    if (drain(launch, &matched_at)) return 1;
    if (!reap(launch)) return kind == READY_OUTPUT ? match_end() : probe_at_end(launch, now);
    if (now >= deadline || controller_is_gone()) return 0;
    wait_for_something(launch, watched, next_look(launch, now, deadline));
  }
}

// Lets a target that is ready go on until it has done what its stop waits for.
void await_stop_condition(struct launch *launch) {
  struct wire_request *request = launch->request;
  if (launch->result.outcome != OUTCOME_READY || request->ready.kind == READY_EXIT) return;
  if (request->stop.kind == READY_EXIT || !reap(launch)) return;
  int64_t resolution = launch->result.resolution;
  request->ready = request->stop;
  launch->text = launch->stop_text;
  launch->host = launch->stop_host;
  if (!stop_condition_holds(launch, monotonic() + request->timeout))
    launch->result.flags |= RESULT_STOPPED_EARLY;
  launch->result.resolution = resolution;
}
