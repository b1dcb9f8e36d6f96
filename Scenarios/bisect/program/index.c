// The index of the map.
#include "atlas.h"
#include "rounds.h"

enum { entries = 1 << 12 };
static uint32_t table[entries];

uint64_t make_index(uint64_t seed) {
  for (int round = 0; round < INDEX_ROUNDS; round++) {
    for (int i = 0; i < 256; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      table[seed >> 52] += (uint32_t)(seed >> 20);
    }
  }
  return seed ^ table[seed % entries];
}
