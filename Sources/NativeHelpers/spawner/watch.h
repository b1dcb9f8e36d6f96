// From the running target to the outcome.
#pragma once

#include "launch.h"

void watch(struct launch *launch);
void await_stop_condition(struct launch *launch);
