// Conditions that are polled.
#pragma once

#include "launch.h"

int is_polled(const struct launch *launch);
int held_before(struct launch *launch);
int64_t probe_interval(int64_t elapsed);
void open_probe(void);
int probe(struct launch *launch, int64_t now);
int probe_at_end(struct launch *launch, int64_t now);
int probe_descriptor(short *events);
int64_t next_probe(void);
void close_probe(void);
