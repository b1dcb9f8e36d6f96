// The system calls of this machine: their names, and which of them have a text.
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

// Gives NULL for a number without a name.
const char *call_name(uint32_t call);

// One more than the greatest number that may have a name.
uint32_t call_count(void);

// Where the call has its text: one of those of shared.h.
unsigned char call_text(uint32_t call);

#endif
