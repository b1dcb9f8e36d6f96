// The processes of a launch and what they have mapped, as the records tell it up to an instant.
#ifndef PROCESS_H
#define PROCESS_H

#include "module.h"

struct processes;
struct process;

struct mapping {
  uint64_t start;
  uint64_t end;
  uint64_t bias;
  struct module *module;  // NULL for code in no file
};

struct processes *processes_open(void);
void processes_close(struct processes *processes);

// The process with this number, which is made when it is not known.
struct process *process_find(struct processes *processes, int32_t number);

// Maps code, in place of what was there.
void process_map(struct process *process, const struct mapping *mapping);

// Forgets what is mapped, as after execve(2).
void process_forget(struct process *process);

// Takes over what a parent has mapped.
void process_inherit(struct process *process, const struct process *parent);

// The mapping that holds an address, or NULL. It is valid up to the next change.
const struct mapping *process_mapping(const struct process *process, uint64_t address);

#endif
