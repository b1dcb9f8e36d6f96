// How long the target was kept from running.
#pragma once

#include "launch_wire.h"

void open_stop(void);
void take_stop(struct wire_trace *trace);
void close_stop(void);
