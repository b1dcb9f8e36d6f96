// What a launch used besides time.
#pragma once

#include "launch.h"

void take_exit_figures(struct launch *launch);
void take_live_figures(struct launch *launch);
