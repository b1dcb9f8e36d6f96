// An atlas that starts: it reads its settings and places, makes its index, and says that it is ready.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "atlas.h"

// The path of a file beside the program.
static void beside(char *path, size_t size, const char *name) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = 0;
  char *slash = strrchr(path, '/');
  char *end = slash ? slash + 1 : path;
  snprintf(end, size - (size_t)(end - path), "%s", name);
}

int main(void) {
  char path[PATH_MAX];
  beside(path, sizeof path, "data/atlas.conf");
  int settings = read_settings(path);
  beside(path, sizeof path, "data/places.txt");
  uint64_t places = read_places(path);
  uint64_t index = make_index(places);
  printf("%d settings, %zu colours, %zu commands, index %016llx\n", settings, count_colours(),
         count_commands(), (unsigned long long)index);
  return settings > 0 ? 0 : 1;
}
