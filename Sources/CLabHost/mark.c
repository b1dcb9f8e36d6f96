#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "CLabHost.h"
#include "launch_marks.h"

void lab_mark_for_parent(const char *name) {
  struct launch_marks_header *header = launch_marks_file();
  if (!header) return;
  uint64_t time = launch_marks_now();
  uint32_t number = launch_marks_write(header, LAUNCH_MARKS_MARK, time, name, 0, 0);
  if (number) launch_marks_events(header)[number - 1].pid = (uint32_t)getppid();
  if (!launch_marks_is_ready(header, name)) return;
  char message[96];
  size_t size = launch_marks_compose(message, time);
  size += (size_t)snprintf(message + size, sizeof message - size, "MAINPID=%d\n", getppid());
  launch_marks_send(header, message, size);
}
