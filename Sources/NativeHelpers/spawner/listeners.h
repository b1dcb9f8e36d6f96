// Who listens on a TCP port.
#pragma once

#include "launch_wire.h"

int find_listener(const struct wire_condition *ready, uint64_t *inode);
void forget_listeners(void);
