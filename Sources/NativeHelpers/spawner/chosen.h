// The peak memory of one program of the launch.
#pragma once

#include "launch.h"

int has_chosen(const struct launch *launch);
int is_chosen(const struct launch *launch, pid_t pid);
void open_exits(const struct launch *launch);
int64_t chosen_exit_peak(const struct launch *launch, int *error);
