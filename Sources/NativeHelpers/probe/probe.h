// The probe: a shared object that the dynamic loader loads into the target by LD_AUDIT, and that
// writes what happens before `main` to a file of events.
//
// It is part of a foreign program: it uses no C library and no other memory than its own, makes
// only system calls that the loader makes as well, and when anything is wrong it is silent.
// Interface: rtld-audit(7); order of the calls: glibc, elf/rtld.c.
#ifndef PROBE_H
#define PROBE_H

#define _GNU_SOURCE
#include "launch_events.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

// Within the probe no symbol needs a lookup.
#pragma GCC visibility push(hidden)

// What every launch needs is on the page that the loader writes to anyway, with its tables of the
// probe; each further page is a fault.
#define ON_FIRST_PAGE __attribute__((section(".data")))

// How many initializers can be timed; each needs code of its own, see thunks.c.
#define PROBE_THUNKS 4096

// Of how many objects the initializers can be timed.
enum { PROBE_OBJECTS = 2048 };

typedef void initializer_function(int count, char **arguments, char **environment);

struct object {
  struct link_map *map;
  uint32_t number;  // from 0, in the order in which they were opened
};

// A table of program headers in memory; empty when it has to be found.
struct headers {
  const ElfW(Phdr) *table;
  size_t count;
};

// clock.c

// Finds the clock of the vDSO at this address, or 0.
void open_clock(uintptr_t vdso);

// The monotonic clock in nanoseconds.
uint64_t now(void);

// events.c

// Maps the events file beside the probe, whose path ends at a colon or NUL; 0 or -1.
int open_events(const char *probe_path);
void close_events(void);
int is_hidden(void);

// Reads the process id again where a fork may have happened; 1 if it is another one.
int update_process(void);

// An event with everything but its text and kind, which publish_event sets; NULL without room.
struct launch_event *new_event(uint64_t time, uint64_t address, uint32_t object);
void set_text(struct launch_event *event, const char *text);
void publish_event(struct launch_event *event, uint16_t kind);
void write_event(uint16_t kind, uint64_t address, uint32_t object);

// pages.c

// Words that hold addresses, in an object's own addresses.
struct words {
  ElfW(Addr) start;
  size_t count;
};

// Whole pages, and what is allowed on them.
struct pages {
  uintptr_t start;
  size_t size;
  int protection;
};

// The size of a page, from the kernel.
extern size_t page_size;

// The headers that the file of an object begins with; empty if they cannot be trusted.
struct headers find_headers(struct link_map *map);

// The loaded segment that holds some words as a whole, or NULL.
const ElfW(Phdr) *find_segment(struct headers headers, struct words words);

// The pages that the loader makes read-only after relocation; empty without any.
struct pages relro_pages(struct link_map *map, struct headers headers);

// The pages of a part of a segment that was never writable; empty if it is writable.
struct pages fixed_pages(const ElfW(Phdr) *segment, uintptr_t start, size_t size);

// Makes pages writable, 0 or -errno, and puts them back.
int unlock_pages(struct pages pages);
void lock_pages(struct pages pages);

// loader.c

// The loader's pointers to the dynamic entries of an object, by tag; NULL if it is not found.
ElfW(Dyn) **find_loader_table(struct link_map *map);

// Whether the initializers of the program are called by this table, too.
int is_read_by_table(struct link_map *map);

// Sets one of them; 0, or -1 if the loader's memory is read-only.
int set_loader_entry(ElfW(Dyn) **place, ElfW(Dyn) *entry);

// initializers.c

// Lets the initializers of an object that is relocated be called through thunks.
//
// The headers are those of the program, and empty for others.
void time_initializers(struct object object, struct headers headers);

// The same for an object that is not relocated yet: its first initializer is replaced by a thunk
// that does the rest when it is called.
void time_initializers_later(struct object object);

// Says how many initializers were found, and how many of them are timed.
void report_initializers(void);

// Called by the thunks in place of the initializer with this number.
void run_initializer(int count, char **arguments, char **environment, uint32_t number);

// thunks.c

// The thunk with a number below PROBE_THUNKS.
uintptr_t thunk(uint32_t number);

#pragma GCC visibility pop

#endif
