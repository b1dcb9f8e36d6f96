// A network of its own for the launch.
#pragma once


int enter_network(void);
void leave_network(void);
