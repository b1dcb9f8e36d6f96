// The events of one launch, and the rings that the kernel writes to.
#ifndef SESSION_H
#define SESSION_H

#include "records.h"
#include "trace_wire.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

struct session {
  struct ring *rings;
  size_t ring_count;
  size_t page_size;
  uint64_t period;      // the one that was drawn
  int samples_kernel;   // whether samples are taken in the kernel, too
  int counts_lost;      // whether events tell how many records were lost
  uint64_t *stop_events;  // the ids of the events of threads that stop to run
  size_t stop_event_count;
  struct records records;
};

// Opens the events of whatever the process starts next. Returns 0, or the errno of `step`.
int open_session(
    struct session *session, const struct trace_request *request, enum trace_step *step);

// The descriptors that can be read when a ring is half full; as many as there are rings.
void watch_rings(const struct session *session, struct pollfd *watched);

// Heeds what poll(2) said of them: rings of a spawner that is gone are no longer watched.
void heed_rings(struct session *session, const struct pollfd *watched);

// Takes what the kernel has written out of the rings.
void drain_rings(struct session *session);

// Stops the events, and takes the last records.
void stop_session(struct session *session);

void close_session(struct session *session);

#endif
