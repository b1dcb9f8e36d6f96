// When the program reaches its first places.
#pragma once

#include <signal.h>

#include "launch.h"

int is_traced(const struct launch *launch);
void open_trace(struct launch *launch);
void ask_for_trace(struct launch *launch, sigset_t *blocked);
int trace_descriptor(void);
void follow(struct launch *launch);
void handle_stop(struct launch *launch, int code);
void take_trace(struct launch *launch);
void close_trace(void);
