// What is known of an object in memory from its program headers: segments, and what is allowed on
// their pages.
#include "probe.h"
#include "system.h"

#include <sys/mman.h>

// The headers that the file begins with, if they are in memory and lead to the same dynamic
// section.
struct headers find_headers(struct link_map *map) {
  struct headers none = {0};
  const ElfW(Ehdr) *file = (const ElfW(Ehdr) *)map->l_addr;
  if (!file || !system_can_read(file)) return none;
  if (file->e_ident[0] != 0x7f || file->e_ident[1] != 'E' || file->e_ident[2] != 'L' ||
      file->e_ident[3] != 'F' || file->e_phentsize != sizeof(ElfW(Phdr)) ||
      file->e_phoff > 0x1000 - sizeof(ElfW(Phdr)))
    return none;
  struct headers found = {(const ElfW(Phdr) *)(map->l_addr + file->e_phoff), file->e_phnum};
  for (size_t index = 0; index < found.count; index++)
    if (found.table[index].p_type == PT_DYNAMIC &&
        map->l_addr + found.table[index].p_vaddr == (uintptr_t)map->l_ld)
      return found;
  return none;
}

// The loaded segment that holds some words as a whole, or NULL.
const ElfW(Phdr) *find_segment(struct headers headers, struct words words) {
  size_t size = words.count * sizeof(ElfW(Addr));
  for (size_t index = 0; index < headers.count; index++) {
    const ElfW(Phdr) *segment = &headers.table[index];
    if (segment->p_type == PT_LOAD && words.start >= segment->p_vaddr &&
        size <= segment->p_memsz && words.start - segment->p_vaddr <= segment->p_memsz - size)
      return segment;
  }
  return NULL;
}

// What the loader has made read-only after relocation; the last page only if it is whole, as in
// glibc's elf/dl-reloc.c.
struct pages relro_pages(struct link_map *map, struct headers headers) {
  struct pages found = {0};
  for (size_t index = 0; index < headers.count; index++) {
    const ElfW(Phdr) *header = &headers.table[index];
    if (header->p_type != PT_GNU_RELRO) continue;
    uintptr_t start = map->l_addr + header->p_vaddr;
    uintptr_t end = (start + header->p_memsz) & -page_size;
    found.start = start & -page_size;
    found.size = end > found.start ? end - found.start : 0;
    found.protection = PROT_READ;
  }
  return found;
}

// Pages of a segment that was never writable.
struct pages fixed_pages(const ElfW(Phdr) *segment, uintptr_t start, size_t size) {
  struct pages pages = {0};
  if (segment->p_flags & PF_W) return pages;
  pages.start = start & -page_size;
  pages.size = ((start + size + page_size - 1) & -page_size) - pages.start;
  pages.protection = (segment->p_flags & PF_R ? PROT_READ : 0) |
                     (segment->p_flags & PF_X ? PROT_EXEC : 0);
  return pages;
}

int unlock_pages(struct pages pages) {
  if (pages.size == 0) return 0;
  return system_protect(pages.start, pages.size, PROT_READ | PROT_WRITE);
}

void lock_pages(struct pages pages) {
  if (pages.size != 0) system_protect(pages.start, pages.size, pages.protection);
}
