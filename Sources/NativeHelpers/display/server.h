// The programs that a launch with windows needs beside it: the display server of a run, and the
// message bus of each launch. None of them outlives the observer.
#pragma once

#include <stddef.h>

enum companion { SERVER, BUS, COMPANION_COUNT };

// Gives what the program writes its name to, in its descriptor 4; -1 with errno when it cannot be
// started. A program of the same kind must have been ended before.
int start_companion(enum companion companion, char **command, char **environment);

// Waits until an X server has said which display it is; false when it ends or takes too long.
int read_display_number(int names, char *display, size_t room);

// Waits until a program has made its socket; false when it ends or takes too long.
int await_socket(enum companion companion, const char *path);

// Ends the program with all that it has started.
void end_companion(enum companion companion);
