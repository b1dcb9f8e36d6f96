// The symbol reader: names the functions of executable files for the controller.
//
// It runs after the launches, in a process of its own, because libdw maps the files it reads.
//
// Request, on standard input: records that end with a zero byte. `f` and a path begin a file, `o`
// and hexadecimal digits ask for the function at an offset of the file before. An offset is the
// run-time address less the load address that the loader gives, which is the virtual address in
// the file.
//
// Answer, on standard output: a record for each record of the request, in the same order, that
// also ends with a zero byte: for a file why it cannot be read, or nothing; for an offset the name
// of the function, or nothing.
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol_table;

// Reads the functions of a file, and of its separate debug file where it has one. Returns NULL and
// sets `problem` to a sentence when that cannot be done.
struct symbol_table *symbol_table_open(
  const char *path, const char *debug_directories, const char **problem);

// The name of the function that holds an address, or NULL. It lives as long as the table.
const char *symbol_table_name(const struct symbol_table *table, uint64_t address);

// A name for people, from malloc: C++ and old Rust names are demangled, others copied.
char *symbol_readable_name(const char *name);

#endif
