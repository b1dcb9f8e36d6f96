// The streams of the target.
#pragma once

#include "launch.h"

int open_streams(struct launch *launch);
int drain(struct launch *launch, int64_t *matched_at);
int match_kept(const struct launch *launch);
void close_streams(struct launch *launch);
void hang_up(struct launch *launch);
const uint8_t *stream_head(int stream);
uint32_t stream_tail(int stream, const uint8_t *pieces[2], uint32_t lengths[2]);
void forget_streams(void);
