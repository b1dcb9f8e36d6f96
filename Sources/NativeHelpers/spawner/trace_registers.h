// Breakpoints of ptrace(2).
#pragma once

#include <sys/types.h>

#include "launch_wire.h"

int set_breakpoints(pid_t pid, const uint64_t *addresses, int32_t *errors);
void clear_breakpoints(pid_t pid);
uint64_t breakpoint_hit(pid_t pid);
