// The files that the atlas reads when it starts.
#include <stdio.h>
#include <string.h>

#include "atlas.h"

int read_settings(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  char line[256];
  int count = 0;
  while (fgets(line, sizeof line, file)) {
    if (line[0] != '#' && strchr(line, '=')) count++;
  }
  fclose(file);
  return count;
}

uint64_t read_places(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  static unsigned char block[1 << 14];
  uint64_t hash = 14695981039346656037u;
  size_t length;
  while ((length = fread(block, 1, sizeof block, file)) > 0) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ block[i]) * 1099511628211u;
  }
  fclose(file);
  return hash;
}
