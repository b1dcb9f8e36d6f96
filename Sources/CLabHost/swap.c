#include <errno.h>
#include <sys/swap.h>

#include "CLabHost.h"

int lab_swap_off(const char *path) { return swapoff(path) == 0 ? 0 : -errno; }

int lab_swap_on(const char *path, int priority) {
  int flags = 0;
  if (priority >= 0)
    flags = SWAP_FLAG_PREFER | ((priority << SWAP_FLAG_PRIO_SHIFT) & SWAP_FLAG_PRIO_MASK);
  return swapon(path, flags) == 0 ? 0 : -errno;
}
