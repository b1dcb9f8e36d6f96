// The film of a launch: how its windows looked, made smaller, whenever more than 1 % had changed.
#pragma once

#include <stddef.h>

#include "display.h"

// Forgets the film; unless it is wanted, there is none of the launch that comes next.
void begin_film(int is_wanted);
// A window looks like this now, after `draw_window` was told; pixels are 0xRRGGBB. Does nothing where
// no film is made.
void film_window(const struct window *window, const uint32_t *pixels, uint32_t width,
                 uint32_t height);
int is_filming(void);
// The film of a window as an answer has it, which the caller frees. NULL when there is no memory.
char *develop_film(const struct window *window, uint32_t *count, size_t *length);
