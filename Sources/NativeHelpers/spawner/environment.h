// The spawner's own variables.
#pragma once

#include "launch.h"

void put_variable(char **environment, char *assignment);
void pad_environment(const struct launch *launch);
