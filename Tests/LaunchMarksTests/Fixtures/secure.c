// Tells whether it runs with more rights than its caller, and marks.
#include "launch_marks.h"

#include <stdio.h>

int main(void) {
  launch_mark("secure");
  printf("%lu\n", getauxval(AT_SECURE));
  return 0;
}
