// The windows of one launch, as display.c asks for them.
#pragma once

#include "display.h"

// Where moments are told; false when the path is too long.
int place_notifications(const char *path);
// Forgets all windows. Gives why they cannot be chosen from, or NULL.
const char *begin_windows(const struct display_request *request, const char *title,
                          const char *class);
// Nothing is waited for any more.
void end_windows(void);
// Milliseconds until the window that is waited for may have settled, or -1.
int windows_timeout(void);
void settle_windows(void);
// The windows as an answer has them, and how many; the caller frees it. NULL when there is no
// memory.
char *describe_windows(uint32_t *count, size_t *length);
// The one whose moment was told, or NULL.
const struct window *chosen_window(void);
// Why no window can be seen any more, or "".
const char *failure(void);
