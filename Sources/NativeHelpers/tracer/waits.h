// What calls wait for and whom they wake, as keys: a thread that waits for a key is woken by a call
// that is made for the same key. 0 is no key.
#ifndef WAITS_H
#define WAITS_H

#include <stdint.h>
#include <sys/types.h>

#include "threads.h"

// Prepares the rules of this machine's calls.
void waits_prepare(void);

// Forgets which sockets are connected.
void waits_forget(void);

// Whether the call of the thread does next to nothing, so that a stop is all that it takes.
int is_trivial(const struct thread *thread);

// Whether the call that the thread has left can wait for something else than the disk.
int can_wait(const struct thread *thread);

// What the call that the thread leaves has waited for; `ended` is another key, by which it may
// have come to an end.
uint64_t waited_for(const struct thread *thread, int64_t result, uint64_t *ended);

// Whom the call wakes that the thread has entered.
uint64_t wakes(const struct thread *thread);

// Follows which sockets a call has connected.
void note_pair(const struct thread *thread, int64_t result);

// The keys of the end of a process, for its parent and for the readers of its pipes; of the start
// of a program or the end of a process that its parent waits for in vfork; of signals; and of the
// end of a thread.
uint64_t child_key(pid_t process);
uint64_t end_key(void);
uint64_t start_key(pid_t process);
uint64_t signal_key(pid_t process);
uint64_t thread_key(uint64_t address);

// Reads memory of a stopped thread; gives how much could be read.
size_t read_memory(pid_t thread, uint64_t address, void *bytes, size_t length);

#endif
