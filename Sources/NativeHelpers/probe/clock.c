// The clock of the vDSO, found in its symbol table; vdso(7).
#include "probe.h"
#include "system.h"

#include <time.h>

#if defined(__x86_64__)
static const char clock_name[] = "__vdso_clock_gettime";
#else
static const char clock_name[] = "__kernel_clock_gettime";
#endif

ON_FIRST_PAGE static int (*vdso_clock)(clockid_t, struct timespec *);

uint64_t now(void) {
  struct timespec time;
  if (!vdso_clock || vdso_clock(CLOCK_MONOTONIC, &time) != 0)
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static int equal(const char *left, const char *right) {
  while (*left && *left == *right) left++, right++;
  return *left == *right;
}

static uint32_t gnu_hash(const char *name) {
  uint32_t hash = 5381;
  while (*name) hash = hash * 33 + (uint8_t)*name++;
  return hash;
}

struct symbols {
  const ElfW(Sym) *table;
  const char *names;
  const uint32_t *hash;      // DT_HASH, or NULL
  const uint32_t *gnu_hash;  // DT_GNU_HASH, or NULL
};

static uint32_t find_by_gnu_hash(const struct symbols *symbols) {
  const uint32_t *table = symbols->gnu_hash;
  uint32_t count = table[0], first = table[1], filter_words = table[2];
  const uint32_t *buckets = table + 4 + filter_words * (sizeof(ElfW(Addr)) / 4);
  const uint32_t *chain = buckets + count;
  uint32_t wanted = gnu_hash(clock_name);
  uint32_t index = count ? buckets[wanted % count] : 0;
  if (index < first) return 0;
  for (;; index++) {
    uint32_t hash = chain[index - first];
    if ((hash | 1) == (wanted | 1) &&
        equal(symbols->names + symbols->table[index].st_name, clock_name))
      return index;
    if (hash & 1) return 0;
  }
}

static uint32_t find_by_hash(const struct symbols *symbols) {
  for (uint32_t index = 1; index < symbols->hash[1]; index++)
    if (equal(symbols->names + symbols->table[index].st_name, clock_name)) return index;
  return 0;
}

// The addresses in the dynamic section of the vDSO are relative to where it was linked for.
static struct symbols find_symbols(const ElfW(Dyn) *dynamic, uintptr_t bias) {
  struct symbols found = {0};
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    const void *place = (const void *)(bias + dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_SYMTAB) found.table = place;
    if (dynamic->d_tag == DT_STRTAB) found.names = place;
    if (dynamic->d_tag == DT_HASH) found.hash = place;
    if (dynamic->d_tag == DT_GNU_HASH) found.gnu_hash = place;
  }
  return found;
}

void open_clock(uintptr_t vdso) {
  if (!vdso) return;
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)vdso;
  const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(vdso + header->e_phoff);
  const ElfW(Dyn) *dynamic = NULL;
  uintptr_t bias = 0;
  for (unsigned index = 0; index < header->e_phnum; index++, segment++) {
    if (segment->p_type == PT_LOAD) bias = vdso + segment->p_offset - segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC) dynamic = (const void *)(vdso + segment->p_offset);
  }
  if (!dynamic) return;
  struct symbols symbols = find_symbols(dynamic, bias);
  if (!symbols.table || !symbols.names) return;
  uint32_t index = 0;
  if (symbols.gnu_hash) index = find_by_gnu_hash(&symbols);
  else if (symbols.hash) index = find_by_hash(&symbols);
  if (!index) return;
  uintptr_t address = bias + symbols.table[index].st_value;
  vdso_clock = (int (*)(clockid_t, struct timespec *))address;
}
