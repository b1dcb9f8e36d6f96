// The film of a launch: how its windows looked, made smaller, whenever they looked different.
#pragma once

#include <stddef.h>

#include "display.h"

// Forgets the film; without `is_on` there is none of the launch that comes next.
void begin_film(int is_on);
// A window looks like this now; pixels are 0xRRGGBB. Does nothing where no film is made.
void film_window(const struct window *window, int64_t at, const uint32_t *pixels, uint32_t width,
                 uint32_t height);
int is_filming(void);
// The film of a window as an answer has it, which the caller frees. NULL when there is no memory.
char *develop_film(const struct window *window, uint32_t *count, size_t *length);
