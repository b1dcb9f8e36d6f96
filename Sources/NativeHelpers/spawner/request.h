// The control socket: requests in, results out.
#pragma once

#include "launch.h"

enum received { REQUEST, FAREWELL, END_OF_FILE };
enum received receive_request(struct launch *launch);
void send_result(struct launch *launch);
int controller_is_gone(void);
