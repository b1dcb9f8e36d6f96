// Tells by the stack of the kernel whether an interrupt woke a thread.
#define _GNU_SOURCE
#include "interrupts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int begins_with(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

// Whether the kernel comes through this function when it serves an interrupt.
static int is_entry(const char *name) {
  static const char *const prefixes[] = {
      "sysvec_",          // x86: timers, calls between processors
      "__sysvec_",
      "common_interrupt", // x86: devices
      "irq_exit",         // what interrupts have put off; threads do such work as well
      "__irq_exit",
      "el0_interrupt",    // arm64
      "el1_interrupt",
      "gic_handle_irq",
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (begins_with(name, prefixes[i])) return 1;
  return 0;
}

// The symbols are in the order of their addresses, but for those of modules.
void interrupts_find(struct interrupts *interrupts) {
  FILE *file = fopen("/proc/kallsyms", "re");
  if (file == NULL) return;
  char line[512], name[256], kind;
  uint64_t address;
  int is_open = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "%" SCNx64 " %c %255s", &address, &kind, name) != 3 || address == 0) continue;
    if (is_open && address != interrupts->functions[interrupts->count].begin) {
      interrupts->functions[interrupts->count++].end = address;
      is_open = 0;
    }
    if ((kind | 0x20) != 't' || !is_entry(name)) continue;
    if (interrupts->count == INTERRUPT_FUNCTION_LIMIT) break;
    interrupts->functions[interrupts->count].begin = address;
    is_open = 1;
  }
  fclose(file);
}

enum timeline_waker interrupts_judge(
    const struct interrupts *interrupts, const unsigned long long *stack, uint64_t count) {
  if (interrupts->count == 0 || count == 0) return TIMELINE_BY_UNKNOWN;
  for (uint64_t frame = 0; frame < count; frame++)
    for (size_t i = 0; i < interrupts->count; i++)
      if (stack[frame] >= interrupts->functions[i].begin && stack[frame] < interrupts->functions[i].end)
        return TIMELINE_BY_INTERRUPT;
  return TIMELINE_BY_THREAD;
}
