// From the request to the running target.
#pragma once

#include "launch.h"

int start(struct launch *launch);
