// The terminal of a target: what it is asked in its output, and its answers.
#pragma once

#include "launch.h"

void begin_terminal(void);
void hear_terminal(struct launch *launch, const uint8_t *bytes, uint32_t count);
