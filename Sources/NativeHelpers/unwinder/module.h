// The files with code that processes have mapped: their segments, how their frames are unwound,
// and the names of their functions. All launches share them, wherever they were mapped.
#ifndef MODULE_H
#define MODULE_H

#include "answer.h"

#include <elfutils/libdw.h>
#include <stdint.h>

struct modules;
struct module;

// What identifies a file that was mapped.
struct module_key {
  const char *path;
  uint32_t major;
  uint32_t minor;
  uint64_t inode;
  uint64_t inode_generation;
};

// The place of an instruction in a file.
struct code {
  struct module *module;
  uint64_t address;  // a virtual address of the file
};

// - damaged: paths that have broken a process before, and are left alone; NULL at the end.
// - suspect: where the path is written of a file that is being read.
struct modules *modules_open(
  struct answer *answer, const char *debug_directories, char *const *damaged, char *suspect,
  size_t suspect_size);

struct module *module_find(struct modules *modules, const struct module_key *key);

// The number of the text that is its path.
uint32_t module_path(const struct module *module);

// Whether the path is that of a file, which it is not for code in no file, such as `[vdso]`.
int module_is_file(const struct module *module);

// What is subtracted from an address of a mapping to get a virtual address of the file.
uint64_t module_bias(const struct module *module, uint64_t start, uint64_t offset);

// How the frame of an instruction is unwound, from malloc; NULL when the file does not say.
Dwarf_Frame *module_frame(struct modules *modules, struct code code);

// The number of the function that an instruction is in.
uint32_t module_function(struct modules *modules, struct code code);

// Whether it lies where the file is entered, so that nobody has called it.
int is_entry(struct code code);

#endif
