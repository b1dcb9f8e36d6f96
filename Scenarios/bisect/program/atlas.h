// What the parts of the atlas know of each other.
#include <stddef.h>
#include <stdint.h>

/// Reads a file of settings, and returns how many there are.
int read_settings(const char *path);

/// Reads the names of places, and returns a number that depends on every byte.
uint64_t read_places(const char *path);

/// Makes the index of the map, and returns a number that depends on every entry.
uint64_t make_index(uint64_t seed);

/// How many colours there are.
size_t count_colours(void);

/// How many commands there are.
size_t count_commands(void);
