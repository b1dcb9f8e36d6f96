// What is understood of a connection, for wayland.c.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct client;

// NULL when there is no memory.
struct client *client_add(int32_t pid, int64_t connected);
// Understands the whole messages at the start of `bytes`, which are aligned as words are, and gives
// how many bytes these are. The descriptors came with the last bytes, and stay the caller's.
size_t client_read(struct client *client, int is_request, const uint8_t *bytes, size_t count,
                   const int *descriptors, int descriptor_count, int64_t at);
void client_forget_windows(struct client *client);
void client_remove(struct client *client, int64_t at);
