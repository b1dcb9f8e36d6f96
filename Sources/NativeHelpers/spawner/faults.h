// The major faults.
#pragma once

#include <sys/uio.h>

#include "launch.h"

enum { FAULT_RING_LIMIT = 256 };
void prepare_faults(const struct launch *launch);
void open_faults(struct launch *launch);
void take_faults(struct launch *launch);
int fault_pieces(struct iovec *pieces);
void close_faults(void);
