// The pattern of an output condition.
#pragma once

#include <stdint.h>

int open_pattern(const char *text);
int match(const uint8_t *bytes, uint32_t count);
int match_end(void);
