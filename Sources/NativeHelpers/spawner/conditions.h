// What holds for the target from before its first instruction.
#pragma once

#include "launch.h"

void keep_off_targets(const char *own, const char *targets);
void prepare_conditions(const struct launch *launch);
enum wire_step set_conditions(const struct launch *launch);
int set_own_scheduling(const struct launch *launch);
