// Perf events of a launch.
#pragma once

#include "launch.h"

void open_counters(struct launch *launch);
void take_counters(struct launch *launch);
void close_counters(struct launch *launch);
