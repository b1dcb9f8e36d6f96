// The loader reaches initializers through its own table of pointers to dynamic entries, `l_info`,
// which follows the public part of `struct link_map`; glibc, include/link.h.
//
// To point an entry elsewhere leaves the object as it is and needs no change of protection, which
// costs some microseconds for each object. The table is private to the loader, and so is
// recognised by what it holds.
#include "probe.h"
#include "system.h"

// How far behind the public part the table may begin, in words; it is 3 in glibc 2.35 to 2.43.
enum { TABLE_OFFSET_LIMIT = 16 };

ElfW(Dyn) **find_loader_table(struct link_map *map) {
  static const int tags[] = {DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT};
  enum { TAGS = sizeof tags / sizeof *tags };
  ElfW(Dyn) *entries[TAGS] = {0};
  for (ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
    for (int index = 0; index < TAGS; index++)
      if (entry->d_tag == tags[index]) entries[index] = entry;
  for (int index = 0; index < TAGS; index++)
    if (!entries[index]) return NULL;
  ElfW(Dyn) **table = (ElfW(Dyn) **)(map + 1);
  for (int offset = 0; offset < TABLE_OFFSET_LIMIT; offset++, table++) {
    int index = 0;
    while (index < TAGS && table[tags[index]] == entries[index]) index++;
    if (index == TAGS) return table;
  }
  return NULL;
}

int set_loader_entry(ElfW(Dyn) **place, ElfW(Dyn) *entry) {
  if (!system_can_write_word(place)) return -1;
  *place = entry;
  return 0;
}

// A program that was linked with glibc 2.34 or later needs that version of __libc_start_main,
// which calls its initializers by the table; an older one brings a function that does not.
int is_read_by_table(struct link_map *map) {
  enum { GLIBC_2_34 = 0x69691b4 };  // its hash in the tables of versions
  const char *needs = NULL;
  size_t count = 0;
  for (ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_VERNEED) needs = (const char *)(map->l_addr + entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERNEEDNUM) count = entry->d_un.d_val;
  }
  for (; needs && count; count--) {
    const ElfW(Verneed) *need = (const ElfW(Verneed) *)needs;
    const char *versions = needs + need->vn_aux;
    for (unsigned left = need->vn_cnt; left; left--) {
      const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)versions;
      if (version->vna_hash == GLIBC_2_34) return 1;
      versions += version->vna_next;
    }
    needs += need->vn_next;
  }
  return 0;
}
