// Names as no one should give them, and errno, which marks must keep.
#include "launch_marks.h"

#include <stdio.h>

int main(void) {
  char name[401];
  errno = 77;
  launch_mark(NULL);
  launch_mark("");
  memset(name, 'a', 400);
  name[400] = 0;
  launch_mark(name);
#ifdef SHIFTED
  int first = 2;  // so that the limit falls inside a character of two bytes
#else
  int first = 1;
#endif
  for (int index = first; index < 398; index += 2) memcpy(name + index, "\xC3\xA9", 2);
  launch_mark(name);
  launch_interval_end(launch_interval_begin(NULL));
  launch_interval_end(12345);
  launch_run_phase(NULL);
  printf("%d\n", errno);
  return 0;
}
