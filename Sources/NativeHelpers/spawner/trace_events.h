// Breakpoints of perf events.
#pragma once

#include "launch.h"

void open_trace_events(struct launch *launch);
int add_trace_event(struct launch *launch, int place, uint64_t address);
void add_hit(int64_t *hits, int64_t now);
void take_trace_events(struct launch *launch, const uint64_t *addresses);
void close_trace_events(void);
