// A shared library that prepares its tables in start-up tasks of its own.
#include "launch_marks.h"

#include "text.h"

static unsigned char folded[256];
static unsigned widths[256];

// Every other task uses this table, so it is made before main.
LAUNCH_TASK("pre_main", fold_case) {
  for (int letter = 0; letter < 256; letter++)
    folded[letter] =
        (unsigned char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

// The width of a letter falls with how often English uses it, the order of a type case.
LAUNCH_TASK("first screen", count_letters) {
  static const char by_frequency[] = "etaoinshrdlucmfwypvbgkjqxz";
  for (int letter = 0; letter < 256; letter++) {
    const char *found = letter ? strchr(by_frequency, folded[letter]) : NULL;
    widths[letter] = found ? 8 + (unsigned)(found - by_frequency) / 4 : 10;
  }
}

unsigned char text_fold(unsigned char letter) { return folded[letter]; }

unsigned text_width(const char *text) {
  unsigned width = 0;
  for (; *text; text++) width += widths[(unsigned char)*text];
  return width;
}
