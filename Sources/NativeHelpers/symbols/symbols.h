// The symbol reader: names the functions of executable files for the controller.
//
// It runs after the launches, in a process of its own, because libdw maps the files it reads.
// `launch_wire.h` describes requests and answers.
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol_table;

// Opens a regular ELF file. Returns -1 and sets `problem` to a sentence when it is none.
int symbol_file_open(const char *path, const char **problem);

// Reads the functions of a file, and of its separate debug file where it has one. Returns NULL and
// sets `problem` to a sentence when that cannot be done.
struct symbol_table *symbol_table_open(
  const char *path, const char *debug_directories, const char **problem);

// The name of the function that holds an address, or NULL. It lives as long as the table.
const char *symbol_table_name(const struct symbol_table *table, uint64_t address);

// A name for people, from malloc: C++ and old Rust names are demangled, others copied.
char *symbol_readable_name(const char *name);

#endif
