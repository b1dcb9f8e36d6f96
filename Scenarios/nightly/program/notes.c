// A small reader of notes: it builds an index of them at start-up, and prints how many there are.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "features.h"

enum { entries = 1 << 16 };

// Fills the index once; this is what the start-up takes its time for.
static uint64_t fill(uint64_t *index, uint64_t state) {
  for (int i = 0; i < entries; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    index[i] ^= state >> 17;
  }
  return state;
}

int main(void) {
  uint64_t *index = calloc(entries, sizeof *index);
  if (!index) return 1;
  uint64_t state = 1;
  for (int pass = 0; pass < INDEX_PASSES; pass++) state = fill(index, state);
  printf("%d features, index %016llx\n", FEATURES, (unsigned long long)index[state % entries]);
  free(index);
  return 0;
}
