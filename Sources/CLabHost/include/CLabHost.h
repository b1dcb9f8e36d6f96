#ifndef CLABHOST_H
#define CLABHOST_H

/// System calls that Swift cannot import: 0 or a value on success, -errno on failure.

// Files.

/// Opens a file beneath an open directory, never through a symbolic link (openat2(2), Linux 5.6).
///
/// `directory` -1 starts at the root for an absolute path. With `same_mount` no mount point is
/// crossed, bind mounts of the same file system included. Returns the descriptor or -errno.
int lab_open_in(
  int directory, const char *_Nonnull name, int flags, unsigned int mode, int same_mount);

/// Opens a file for reading without changing its access time where that is allowed (open(2)).
///
/// It never waits for the other end of a pipe. Returns the descriptor or -errno.
int lab_open_unnoticed(const char *_Nonnull path);

/// Makes a file without a name, in memory (memfd_create(2), Linux 3.17).
///
/// Returns the descriptor, which programs do not inherit, or -errno.
int lab_make_memory_file(void);

/// Tells whether a file is immutable or append-only (statx(2), Linux 4.11): 1, 0 or -errno.
int lab_is_locked(int descriptor);

/// Lists the names of extended attributes (flistxattr(2)); returns the length or -errno.
long lab_list_attributes(int descriptor, char *_Nullable names, unsigned long size);

/// Reads one extended attribute (fgetxattr(2)); returns its length or -errno.
long lab_get_attribute(
  int descriptor, const char *_Nonnull name, void *_Nullable value, unsigned long size);

/// Sets one extended attribute (fsetxattr(2)); returns 0 or -errno.
int lab_set_attribute(
  int descriptor, const char *_Nonnull name, const void *_Nullable value, unsigned long size);

/// Removes one extended attribute (fremovexattr(2)); returns 0 or -errno.
int lab_remove_attribute(int descriptor, const char *_Nonnull name);

// Tracing.

/// Opens the directory of the kernel's tracing files: where it is mounted, else in a mount of its own
/// that has no place in the file system (fsmount(2), Linux 5.2), so that nothing is changed.
///
/// Returns the descriptor or -errno.
int lab_open_tracing(void);

/// Finds a path of an inode of an ext4 file system that is in use (open_by_handle_at(2),
/// Linux 2.6.39).
///
/// `mount` is any directory of the file system. Returns the length of what is written to `path`
/// without a zero byte, 0 when the kernel knows no path, or -errno.
long lab_find_inode(
  int mount, unsigned long long inode, char *_Nonnull path, unsigned long size);

// Names.

/// Demangles names of Swift in a forked child, since the runtime's demangler ends the process at a
/// name that is damaged (fork(2); memfd_create(2), Linux 3.17).
///
/// `names` are `length` bytes in which each name ends with a zero byte. Returns a descriptor of a
/// file with a record for each name, in this order, that ends with a zero byte too; it is empty, or
/// the name itself, for a name that is none of Swift's. At a damaged name the records end. Or it
/// returns -errno.
int lab_demangle_swift(const char *_Nonnull names, unsigned long length);

// Locale.

/// Makes the locale of ICU in this process that of C, whatever the environment says (setlocale(3)).
///
/// Returns whether it is.
int lab_choose_locale(void);

// Launch marks.

/// Makes a launch mark in the name of the process that started this one, if there is a file of
/// events to write it to (launch_marks.h). What cannot be written is left out.
void lab_mark_for_parent(const char *_Nonnull name);

// Processors.

/// Tells whether the cycle counter runs at one rate in every state of the processor: the invariant
/// TSC, bit 8 of EDX of CPUID leaf 0x80000007.
///
/// Returns 1, 0, or -ENOSYS on another architecture than x86-64.
int lab_has_steady_cycles(void);

/// Counts cycles against CLOCK_MONOTONIC_RAW over a time (clock_gettime(2), Linux 2.6.28).
///
/// Returns cycles per second, or 0 when a counter did not advance.
double lab_cycles_per_second(long nanoseconds);

/// Reads on which processors a thread may run, 0 for the calling one (sched_getaffinity(2),
/// Linux 2.5.8).
///
/// Bit i of byte b is processor 8 b + i; the size is a multiple of 8. Returns 0 or -errno.
int lab_get_affinity(int thread, unsigned char *_Nonnull mask, unsigned long size);

/// Sets on which processors a thread may run, 0 for the calling one (sched_setaffinity(2),
/// Linux 2.5.8). Returns 0 or -errno.
int lab_set_affinity(int thread, const unsigned char *_Nonnull mask, unsigned long size);

// Swap.

/// Switches a swap area off (swapoff(2)). Returns 0 or -errno.
int lab_swap_off(const char *_Nonnull path);

/// Switches a swap area on (swapon(2)), with a priority from 0 to 32767; a negative one lets the
/// kernel choose. Returns 0 or -errno.
int lab_swap_on(const char *_Nonnull path, int priority);

// Terminals.

/// The number of columns of a terminal (ioctl_tty(2)); 0 when it is unknown.
int lab_terminal_columns(int descriptor);

// Launches.

/// Starts a program in a session of its own (posix_spawn(3), Linux 2.6).
///
/// It has /dev/null as its standard streams, `control` as CONTROL_DESCRIPTOR, no other, and an empty
/// environment. `arguments` ends with NULL. Returns its process id or -errno.
int lab_start_helper(
  const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, int control);

/// Starts a program in a process group of its own, with no signal blocked (posix_spawn(3), Linux 2.6).
///
/// It has /dev/null as standard input, `output` as standard output and error, and no other file.
/// `arguments` and `environment` end with NULL. Returns its process id or -errno.
int lab_start_command(
  const char *_Nonnull program, char *_Nullable const *_Nonnull arguments,
  char *_Nullable const *_Nonnull environment, const char *_Nonnull directory, int output);

/// Opens a process, to be told of its end by poll(2) (pidfd_open(2), Linux 5.3).
///
/// Returns the descriptor, which programs do not inherit, or -errno.
int lab_watch_process(int process);

/// Makes an eventfd that never waits (eventfd(2), Linux 2.6.27). Returns it or -errno.
int lab_make_event(void);

/// Writes to two eventfds whenever SIGINT, SIGTERM or SIGHUP arrives (sigaction(2), eventfd(2),
/// Linux 2.6.22), unless the signal was ignored; -1 stops it. From then on writing to a closed pipe
/// fails with EPIPE, and does not end the process. Returns 0 or -errno.
int lab_tell_signals(int flag, int count);

/// Makes this process the parent of its orphaned descendants
/// (PR_SET_CHILD_SUBREAPER(2const), Linux 3.4). Returns 0 or -errno.
int lab_adopt_orphans(void);

// Trials.

/// Opens a perf event on this thread and closes it (perf_event_open(2), Linux 2.6.31).
///
/// `type` and `event` are those of struct perf_event_attr. Returns 0 or -errno.
int lab_try_counter(unsigned int type, unsigned long long event, int with_kernel);

/// Makes a network namespace in a forked child, in a user namespace of its own where the right to it
/// is missing (unshare(2), Linux 3.8). Returns 0 or -errno.
int lab_try_network_namespace(void);

/// Lets a forked child be traced by this process (ptrace(2)). Returns 0 or -errno.
int lab_try_tracing(void);

#endif
