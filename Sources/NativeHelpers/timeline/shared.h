// What the programs in the kernel and the helper that loads them share.
#ifndef SHARED_H
#define SHARED_H

enum {
  TEXT_LIMIT = 256,     // bytes of a path, with the NUL byte
  ADDRESS_LIMIT = 112,  // of a socket address: that of a Unix socket has 110
  NAME_LIMIT = 16,      // of a thread
  STACK_LIMIT = 32,     // addresses of the kernel, the innermost first
  CALL_LIMIT = 512,     // system calls with a greater number have no text
};

// Where a system call has its text: one of these, and the number of the argument, from 0.
enum {
  TEXT_NONE = 0,
  TEXT_PATH = 8,
  TEXT_ADDRESS = 16,  // the length is the argument after it
};

// Set before the programs are loaded.
struct settings {
  unsigned char texts[CALL_LIMIT];
};

// Read and written while they run.
struct state {
  unsigned int spawner;
  unsigned int recent;   // a process of the launch, or 0
  unsigned int pending;  // texts that were not in memory when their call was entered
  unsigned long long lost;
};

// What follows the record of a wake-up in the ring; values[2] is the number of its addresses.
struct waker_text {
  char name[NAME_LIMIT];
  unsigned long long stack[STACK_LIMIT];
};

#endif
