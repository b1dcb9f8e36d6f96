// The palettes, whose rows the dynamic linker relocates, and which are checked by an initializer.
#include "atlas.h"
#include "colours.h"

static const int *const palette[] = {
#include "palette.inc"
};

static size_t colours;

__attribute__((constructor)) static void check(void) {
  for (size_t i = 0; i < sizeof palette / sizeof *palette; i++) colours += *palette[i] > 0;
}

size_t count_colours(void) { return colours; }
