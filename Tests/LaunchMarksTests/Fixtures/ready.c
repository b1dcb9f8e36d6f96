// Becomes ready in the way that its argument names, and waits.
#include "launch_marks.h"

#include <stdio.h>

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "child") == 0 && fork() != 0) pause();
  launch_mark("first frame");
  if (strcmp(way, "other") == 0) pause();
  launch_ready();
  launch_ready();
  if (strcmp(way, "exit") == 0) return 3;
  pause();
  return 0;
}
