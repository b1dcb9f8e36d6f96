#include <sys/ioctl.h>

#include "CLabHost.h"

int lab_terminal_columns(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
