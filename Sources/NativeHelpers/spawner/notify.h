// The notification socket.
#pragma once

#include "launch.h"

void place_notifications(const char *runtime_directory);
int open_notification(struct launch *launch);
int hears_notifications(const struct launch *launch);
int receive_notification(struct launch *launch, int64_t *said_at);
void close_notification(struct launch *launch);
