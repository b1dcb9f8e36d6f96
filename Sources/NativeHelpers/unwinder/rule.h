// How to get from a frame to that of its caller.
#ifndef RULE_H
#define RULE_H

#include "unwind.h"

struct rule;

// Takes over the frame of libdw. Returns NULL for one that cannot be understood.
struct rule *rule_make(Dwarf_Frame *frame);

// Whether the frame is that of a signal, whose caller was interrupted rather than called something.
int rule_is_signal(const struct rule *rule);

enum applied { APPLIED, OUTERMOST, NOT_APPLIED };

// Changes the state to that of the caller.
enum applied rule_apply(const struct rule *rule, struct thread_state *state);

// A word of the stack that was copied. Returns 0, or -1 when it was not.
int read_stack(const struct thread_state *state, uint64_t address, uint64_t *word);

#endif
