// The file as the loader sees it: by its program headers, because sections may be stripped.
#define _GNU_SOURCE
#include "objects.h"

#include <stdlib.h>
#include <string.h>

// The types of a machine's relocations by their kind; the others are of the kind "other".
static const struct machine {
  uint32_t number;
  uint32_t types[RELOCATION_OTHER][6];
} machines[] = {
  {EM_X86_64, {
    {R_X86_64_RELATIVE, R_X86_64_RELATIVE64},
    {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_COPY, R_X86_64_32, R_X86_64_PC32},
    {R_X86_64_JUMP_SLOT},
    {R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64, R_X86_64_TLSDESC},
    {R_X86_64_IRELATIVE}}},
  {EM_386, {
    {R_386_RELATIVE},
    {R_386_32, R_386_GLOB_DAT, R_386_COPY, R_386_PC32},
    {R_386_JMP_SLOT},
    {R_386_TLS_DTPMOD32, R_386_TLS_DTPOFF32, R_386_TLS_TPOFF, R_386_TLS_TPOFF32, R_386_TLS_DESC},
    {R_386_IRELATIVE}}},
  {EM_AARCH64, {
    {R_AARCH64_RELATIVE},
    {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_COPY},
    {R_AARCH64_JUMP_SLOT},
    {R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL, R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC},
    {R_AARCH64_IRELATIVE}}},
  {EM_ARM, {
    {R_ARM_RELATIVE},
    {R_ARM_ABS32, R_ARM_GLOB_DAT, R_ARM_COPY},
    {R_ARM_JUMP_SLOT},
    {R_ARM_TLS_DTPMOD32, R_ARM_TLS_DTPOFF32, R_ARM_TLS_TPOFF32, R_ARM_TLS_DESC},
    {R_ARM_IRELATIVE}}},
  {EM_RISCV, {
    {R_RISCV_RELATIVE},
    {R_RISCV_32, R_RISCV_64, R_RISCV_COPY},
    {R_RISCV_JUMP_SLOT},
    {R_RISCV_TLS_DTPMOD32, R_RISCV_TLS_DTPMOD64, R_RISCV_TLS_DTPREL32, R_RISCV_TLS_DTPREL64,
      R_RISCV_TLS_TPREL32, R_RISCV_TLS_TPREL64},
    {R_RISCV_IRELATIVE}}},
  {EM_PPC64, {
    {R_PPC64_RELATIVE},
    {R_PPC64_ADDR64, R_PPC64_GLOB_DAT, R_PPC64_COPY},
    {R_PPC64_JMP_SLOT},
    {R_PPC64_DTPMOD64, R_PPC64_DTPREL64, R_PPC64_TPREL64},
    {R_PPC64_IRELATIVE}}},
  {EM_S390, {
    {R_390_RELATIVE},
    {R_390_64, R_390_32, R_390_GLOB_DAT, R_390_COPY},
    {R_390_JMP_SLOT},
    {R_390_TLS_DTPMOD, R_390_TLS_DTPOFF, R_390_TLS_TPOFF},
    {R_390_IRELATIVE}}},
};

void image_damaged(struct image *image, const char *what) {
  if (*image->problem == 0) {
    snprintf(image->problem, sizeof image->problem, "it is damaged: %s", what);
  }
}

// MARK: - Bytes

uint64_t image_word(const struct image *image) {
  return image->header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

static uint64_t number(const struct image *image, const unsigned char *bytes, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t index = 0; index < size; index++) {
    int is_little = image->header.e_ident[EI_DATA] == ELFDATA2LSB;
    value = value << 8 | bytes[is_little ? size - 1 - index : index];
  }
  return value;
}

// How many bytes the file has from an address on, up to the end of its segment.
static uint64_t bytes_from(
  const struct image *image, uint64_t address, const unsigned char **bytes) {
  for (size_t index = 0; index < image->segment_count; index++) {
    GElf_Phdr segment;
    if (gelf_getphdr(image->elf, (int)index, &segment) != NULL && segment.p_type == PT_LOAD
      && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
      *bytes = image->bytes + segment.p_offset + (address - segment.p_vaddr);
      return segment.p_filesz - (address - segment.p_vaddr);
    }
  }
  return 0;
}

const unsigned char *image_bytes(const struct image *image, uint64_t address, uint64_t size) {
  const unsigned char *bytes = NULL;
  return size <= bytes_from(image, address, &bytes) ? bytes : NULL;
}

const char *image_text(const struct image *image, uint64_t address) {
  const unsigned char *bytes = NULL;
  uint64_t room = bytes_from(image, address, &bytes);
  // Shared objects have their header at 0, and NULL is no text.
  return address != 0 && room > 0 && memchr(bytes, 0, room) != NULL ? (const char *)bytes : NULL;
}

// A table of the dynamic section, in the byte order of this machine. NULL when there is none.
static Elf_Data *table_at(struct image *image, uint64_t address, uint64_t size, Elf_Type type) {
  const unsigned char *bytes = image_bytes(image, address, size);
  if (size == 0) {
    return NULL;
  }
  Elf_Data *data = bytes != NULL
    ? elf_getdata_rawchunk(image->elf, bytes - image->bytes, size, type) : NULL;
  if (data == NULL) {
    image_damaged(image, "a table for the loader lies outside of it");
  }
  return data;
}

// MARK: - Headers

int image_tag(const struct image *image, int64_t tag, uint64_t *value) {
  GElf_Dyn entry;
  for (int index = 0; image->dynamic != NULL; index++) {
    if (gelf_getdyn(image->dynamic, index, &entry) == NULL || entry.d_tag == DT_NULL) {
      return -1;
    }
    if (entry.d_tag == tag) {
      *value = entry.d_un.d_val;
      return 0;
    }
  }
  return -1;
}

int image_segment(const struct image *image, uint32_t type, GElf_Phdr *segment) {
  for (size_t index = 0; index < image->segment_count; index++) {
    if (gelf_getphdr(image->elf, (int)index, segment) != NULL && segment->p_type == type) {
      return 0;
    }
  }
  return -1;
}

static void check_segments(struct image *image) {
  for (size_t index = 0; index < image->segment_count; index++) {
    GElf_Phdr segment;
    if (gelf_getphdr(image->elf, (int)index, &segment) == NULL) {
      image_damaged(image, elf_errmsg(-1));
      return;
    }
    int is_read = segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC
      || segment.p_type == PT_INTERP;
    if (is_read && (segment.p_offset > image->size
      || segment.p_filesz > image->size - segment.p_offset)) {
      image_damaged(image, "it ends before its segments do");
    }
    if (is_read && segment.p_memsz > UINT64_MAX / 2) {
      image_damaged(image, "a segment has no possible size");
    }
    if (is_read && segment.p_type != PT_LOAD && segment.p_filesz == 0 && *image->problem == 0) {
      snprintf(image->problem, sizeof image->problem, "it has no code, only debug information");
    }
  }
}

// MARK: - Relocations

static enum relocation_kind kind_of(const struct image *image, uint32_t type) {
  for (size_t index = 0; index < sizeof machines / sizeof *machines; index++) {
    if (machines[index].number != image->header.e_machine || type == 0) {
      continue;
    }
    for (int kind = 0; kind < RELOCATION_OTHER; kind++) {
      for (int place = 0; place < 6; place++) {
        if (machines[index].types[kind][place] == type) {
          return (enum relocation_kind)kind;
        }
      }
    }
  }
  return RELOCATION_OTHER;
}

static void add_relocation(struct image *image, const GElf_Rela *entry, int has_addend) {
  struct relocation *relocation = &image->relocations[image->relocation_count++];
  *relocation = (struct relocation){
    .address = entry->r_offset,
    .addend = (uint64_t)entry->r_addend,
    .symbol = GELF_R_SYM(entry->r_info),
    .kind = kind_of(image, GELF_R_TYPE(entry->r_info)),
    .has_addend = has_addend,
  };
  image->relocations_of_kind[relocation->kind]++;
  if (relocation->symbol >= image->symbol_count) {
    image->symbol_count = relocation->symbol + 1;
  }
}

static void read_table(struct image *image, uint64_t address, uint64_t size, int has_addend) {
  Elf_Type type = has_addend ? ELF_T_RELA : ELF_T_REL;
  Elf_Data *data = table_at(image, address, size, type);
  size_t count = data != NULL ? data->d_size / gelf_fsize(image->elf, type, 1, EV_CURRENT) : 0;
  struct relocation *larger = realloc(
    image->relocations, (image->relocation_count + count + 1) * sizeof *larger);
  if (larger == NULL) {
    image_damaged(image, "it has too many relocations");
    return;
  }
  image->relocations = larger;
  for (size_t index = 0; index < count; index++) {
    GElf_Rela entry = {0};
    GElf_Rel short_entry;
    if (has_addend) {
      gelf_getrela(data, (int)index, &entry);
    } else if (gelf_getrel(data, (int)index, &short_entry) != NULL) {
      entry.r_offset = short_entry.r_offset;
      entry.r_info = short_entry.r_info;
    }
    add_relocation(image, &entry, has_addend);
  }
}

// Packed relocations are relative ones: an even word is the address of one, an odd word a set of
// those that follow, whose lowest bit marks it as a set.
static void count_packed(struct image *image) {
  uint64_t address = 0, size = 0;
  uint64_t word = image_word(image);
  if (image_tag(image, DT_RELR, &address) != 0 || image_tag(image, DT_RELRSZ, &size) != 0) {
    return;
  }
  const unsigned char *bytes = image_bytes(image, address, size);
  if (bytes == NULL) {
    image_damaged(image, "a table for the loader lies outside of it");
    return;
  }
  for (uint64_t at = 0; at + word <= size; at += word) {
    uint64_t entry = number(image, bytes + at, word);
    image->relocations_of_kind[RELOCATION_RELATIVE] +=
      entry % 2 == 0 ? 1 : (uint64_t)__builtin_popcountll(entry) - 1;
  }
}

static int compare(const void *left, const void *right) {
  const struct relocation *a = left, *b = right;
  return (a->address > b->address) - (a->address < b->address);
}

static void read_relocations(struct image *image) {
  static const struct { int64_t address, size; int has_addend; } tables[] = {
    {DT_RELA, DT_RELASZ, 1}, {DT_REL, DT_RELSZ, 0},
  };
  uint64_t address = 0, size = 0, calls = 0, calls_size = 0, calls_kind = DT_RELA;
  int has_calls = image_tag(image, DT_JMPREL, &calls) == 0
    && image_tag(image, DT_PLTRELSZ, &calls_size) == 0;
  image_tag(image, DT_PLTREL, &calls_kind);
  for (size_t index = 0; index < sizeof tables / sizeof *tables; index++) {
    if (image_tag(image, tables[index].address, &address) == 0
      && image_tag(image, tables[index].size, &size) == 0) {
      read_table(image, address, size, tables[index].has_addend);
      // Some linkers have the table of calls inside of the other.
      has_calls = has_calls && calls - address >= size;
    }
  }
  if (has_calls) {
    read_table(image, calls, calls_size, calls_kind == DT_RELA);
  }
  count_packed(image);
  if (image->relocation_count > 0) {
    qsort(image->relocations, image->relocation_count, sizeof *image->relocations, compare);
  }
}

uint64_t image_pointer(const struct image *image, uint64_t address) {
  uint64_t word = image_word(image), mask = word == 4 ? UINT32_MAX : UINT64_MAX;
  const unsigned char *bytes = image_bytes(image, address, word);
  const struct relocation key = {.address = address};
  const struct relocation *found = image->relocation_count > 0
    ? bsearch(&key, image->relocations, image->relocation_count, sizeof key, compare) : NULL;
  uint64_t value = bytes != NULL ? number(image, bytes, word) : 0;
  GElf_Sym symbol;
  if (found == NULL) {
    return value;
  }
  value = found->has_addend ? found->addend : value;
  if (found->kind == RELOCATION_RELATIVE) {
    return value & mask;
  }
  // What another file defines is not known.
  int is_own = found->kind == RELOCATION_SYMBOLIC && image->symbols != NULL
    && gelf_getsym(image->symbols, (int)found->symbol, &symbol) != NULL
    && symbol.st_shndx != SHN_UNDEF;
  return is_own ? (value + symbol.st_value) & mask : 0;
}

// MARK: - Dynamic symbols

// One more than the last symbol in a chain of the GNU hash table, which has the exported ones.
static uint64_t hashed_symbols(const struct image *image, uint64_t table) {
  const unsigned char *header = image_bytes(image, table, 16);
  if (header == NULL) {
    return 0;
  }
  uint64_t bucket_count = number(image, header, 4), first = number(image, header + 4, 4);
  uint64_t buckets = table + 16 + number(image, header + 8, 4) * image_word(image);
  const unsigned char *bytes = image_bytes(image, buckets, bucket_count * 4);
  uint64_t last = 0;
  for (uint64_t index = 0; bytes != NULL && index < bucket_count; index++) {
    uint64_t symbol = number(image, bytes + index * 4, 4);
    last = symbol > last ? symbol : last;
  }
  if (last < first || last == 0) {
    return 0;
  }
  const unsigned char *link = NULL;
  uint64_t room = bytes_from(image, buckets + (bucket_count + last - first) * 4, &link);
  for (; room >= 4 && number(image, link, 4) % 2 == 0; room -= 4, link += 4) {
    last++;
  }
  return last + 1;
}

// Nothing but the section says how many there are. Without it, those count that are in a hash table
// or used by a relocation.
static void count_symbols(struct image *image, uint64_t entry_size) {
  uint64_t table = 0;
  const unsigned char *header = NULL;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(image->elf, section)) != NULL;) {
    GElf_Shdr found;
    if (gelf_getshdr(section, &found) != NULL && found.sh_type == SHT_DYNSYM) {
      image->symbol_count = found.sh_size / entry_size;
      return;
    }
  }
  uint64_t count = image_tag(image, DT_GNU_HASH, &table) == 0 ? hashed_symbols(image, table) : 0;
  if (image_tag(image, DT_HASH, &table) == 0) {
    header = image_bytes(image, table, 8);
    count = header != NULL ? number(image, header + 4, 4) : count;
  }
  image->symbol_count = count > image->symbol_count ? count : image->symbol_count;
}

static void read_symbols(struct image *image) {
  uint64_t address = 0, entry_size = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
  if (image_tag(image, DT_SYMTAB, &address) != 0) {
    image->symbol_count = 0;
    return;
  }
  count_symbols(image, entry_size);
  if (image->symbol_count > INT32_MAX) {
    image_damaged(image, "it has too many symbols");
    return;
  }
  image->symbols = table_at(image, address, image->symbol_count * entry_size, ELF_T_SYM);
}

void image_open(struct image *image, int file) {
  GElf_Phdr segment;
  elf_version(EV_CURRENT);
  image->elf = elf_begin(file, ELF_C_READ_MMAP_PRIVATE, NULL);
  if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF) {
    snprintf(image->problem, sizeof image->problem, "it is no ELF file");
    return;
  }
  image->bytes = (const unsigned char *)elf_rawfile(image->elf, &image->size);
  if (image->bytes == NULL || gelf_getehdr(image->elf, &image->header) == NULL
    || elf_getphdrnum(image->elf, &image->segment_count) != 0) {
    image_damaged(image, elf_errmsg(-1));
    return;
  }
  check_segments(image);
  if (*image->problem != 0 || image_segment(image, PT_DYNAMIC, &segment) != 0) {
    return;
  }
  image->dynamic = elf_getdata_rawchunk(
    image->elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
  if (image->dynamic == NULL) {
    image_damaged(image, elf_errmsg(-1));
    return;
  }
  read_relocations(image);
  read_symbols(image);
}
