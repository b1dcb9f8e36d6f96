// The end of a process tree.
#pragma once

#include "launch.h"

void join_cgroup(const char *run_directory);
void leave_cgroup(void);
int reap(struct launch *launch);
void stop_tree(struct launch *launch);
void kill_tree(struct launch *launch);
extern int members;
