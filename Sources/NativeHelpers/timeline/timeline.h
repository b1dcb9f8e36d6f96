// The collector: loads the programs of timeline.bpf, and gathers what they record.
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdint.h>

#include "trace_wire.h"

struct collector;

// Loads the programs, which takes a while; NULL where the kernel refuses them, with errno set.
struct collector *collector_load(void);

// Attaches the programs, so that what the spawner starts next is recorded; -1 with errno set.
int collector_begin(struct collector *collector, int32_t spawner);

// Takes what was recorded so far out of the ring.
void collector_drain(struct collector *collector);

// Detaches the programs, and drains; adds to the answer how many records there are.
void collector_end(struct collector *collector, struct trace_answer *answer);

// Writes the records as the file of a timeline; -1 with errno set.
int collector_write(struct collector *collector, const char *path);

#endif
