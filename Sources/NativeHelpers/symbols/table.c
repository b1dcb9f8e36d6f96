// The functions of a file, from its symbol tables.
//
// libdwfl looks for the best table there is: `.symtab` of the file, else of its separate debug file
// (by build id or debug link), else `.dynsym` with the small table in `.gnu_debugdata`.
#define _GNU_SOURCE
#include "symbols.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
  uint64_t start;
  uint64_t end;
  // The largest end of this function and of all before it.
  uint64_t reach;
  const char *name;
  int rank;
};

struct symbol_table {
  Dwfl_Callbacks callbacks;
  char *debug_directories;
  Dwfl *session;
  // Whether there are local symbols too, so that nothing lies unnamed between two functions.
  int is_whole;
  size_t count;
  struct function *functions;
};

// How far a function without a size may reach, where nothing follows it in its section.
static uint64_t section_end(Elf *elf, size_t section, GElf_Addr bias) {
  Elf_Scn *found = elf_getscn(elf, section);
  GElf_Shdr header;
  if (found == NULL || gelf_getshdr(found, &header) == NULL) {
    return 0;
  }
  return header.sh_addr + header.sh_size + bias;
}

static int is_code(Elf *elf, size_t section) {
  Elf_Scn *found = elf_getscn(elf, section);
  GElf_Shdr header;
  // A file without section headers cannot say it; its symbols do.
  return found == NULL || gelf_getshdr(found, &header) == NULL
    || (header.sh_flags & SHF_EXECINSTR) != 0;
}

// Prefers the names of one address that mean most to people: exported, functions, not reserved.
static int rank_of(const GElf_Sym *symbol, const char *name) {
  int binding = GELF_ST_BIND(symbol->st_info);
  int is_mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
  int underscores = is_mangled ? 0 : (int)strspn(name, "_");
  return (binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 100 : 200)
    + (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 50 : 0)
    + (underscores < 40 ? underscores : 40);
}

// In the order of their addresses; at one address the best name comes last.
static int compare(const void *left, const void *right) {
  const struct function *a = left, *b = right;
  if (a->start != b->start) {
    return a->start < b->start ? -1 : 1;
  }
  if (a->rank != b->rank) {
    return a->rank > b->rank ? -1 : 1;
  }
  size_t a_length = strlen(a->name), b_length = strlen(b->name);
  if (a_length != b_length) {
    return a_length < b_length ? -1 : 1;
  }
  return -strcmp(a->name, b->name);
}

// Whether a symbol names code; labels of assemblers, such as `.L1` and `$x`, do not.
static int names_code(const GElf_Sym *symbol, const char *name, Elf *elf, size_t section) {
  int type = GELF_ST_TYPE(symbol->st_info);
  if (name == NULL || *name == 0 || *name == '.' || section == SHN_UNDEF || section == SHN_ABS) {
    return 0;
  }
  if (type == STT_NOTYPE) {
    int is_label = name[0] == '$' && name[1] != 0 && (name[2] == 0 || name[2] == '.');
    return !is_label && elf != NULL && elf_getscn(elf, section) != NULL && is_code(elf, section);
  }
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && (elf == NULL || is_code(elf, section));
}

// A function without a size ends where the next one begins, or its section ends. In a stripped
// file, others without a name may follow it, so that only its very start is known.
static void complete_sizes(struct symbol_table *table) {
  uint64_t next = UINT64_MAX;
  for (size_t index = table->count; index-- > 0;) {
    struct function *function = &table->functions[index];
    if (index + 1 < table->count && function[1].start != function->start) {
      next = function[1].start;
    }
    // `reach` holds the end of the section until here.
    if (function->end == function->start) {
      uint64_t end = function->reach < next ? function->reach : next;
      function->end = table->is_whole && end != UINT64_MAX ? end : function->start + 1;
    }
  }
  uint64_t reach = 0;
  for (size_t index = 0; index < table->count; index++) {
    struct function *function = &table->functions[index];
    reach = function->end > reach ? function->end : reach;
    function->reach = reach;
  }
}

static int load(struct symbol_table *table, Dwfl_Module *module) {
  GElf_Addr bias = 0;
  if (dwfl_module_getelf(module, &bias) == NULL) {
    return -1;
  }
  int count = dwfl_module_getsymtab(module);
  table->functions = calloc((size_t)(count > 0 ? count : 1), sizeof *table->functions);
  if (table->functions == NULL) {
    return -1;
  }
  for (int index = 0; index < count; index++) {
    GElf_Sym symbol;
    GElf_Addr address = 0, elf_bias = 0;
    GElf_Word section = SHN_UNDEF;
    Elf *elf = NULL;
    const char *name =
      dwfl_module_getsym_info(module, index, &symbol, &address, &section, &elf, &elf_bias);
    int is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    table->is_whole |= name != NULL && is_local && GELF_ST_TYPE(symbol.st_info) != STT_SECTION
      && *name != 0;
    if (!names_code(&symbol, name, elf, section)) {
      continue;
    }
    uint64_t start = address - bias;
    uint64_t limit = elf != NULL ? section_end(elf, section, elf_bias) - bias : 0;
    table->functions[table->count++] = (struct function){
      .start = start,
      .end = start + symbol.st_size < start ? start : start + symbol.st_size,
      .reach = limit > start ? limit : UINT64_MAX,
      .name = name,
      .rank = rank_of(&symbol, name),
    };
  }
  qsort(table->functions, table->count, sizeof *table->functions, compare);
  complete_sizes(table);
  return 0;
}

// Opens a regular ELF file; anything else, such as a pipe or an archive, is not worth an attempt.
int symbol_file_open(const char *path, const char **problem) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  char magic[SELFMAG];
  *problem = "it cannot be opened";
  if (file < 0) {
    return -1;
  }
  *problem = "it is no ELF file";
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)
    || pread(file, magic, SELFMAG, 0) != SELFMAG || memcmp(magic, ELFMAG, SELFMAG) != 0) {
    close(file);
    return -1;
  }
  return file;
}

struct symbol_table *symbol_table_open(
  const char *path, const char *debug_directories, const char **problem) {
  struct symbol_table *table = calloc(1, sizeof *table);
  int file = table != NULL ? symbol_file_open(path, problem) : -1;
  if (file < 0) {
    return NULL;
  }
  table->debug_directories = debug_directories != NULL ? strdup(debug_directories) : NULL;
  table->callbacks = (Dwfl_Callbacks){
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = table->debug_directories != NULL ? &table->debug_directories : NULL,
  };
  *problem = "its symbols cannot be read: the file is damaged";
  table->session = dwfl_begin(&table->callbacks);
  if (table->session == NULL) {
    return NULL;
  }
  dwfl_report_begin(table->session);
  Dwfl_Module *module = dwfl_report_offline(table->session, path, path, file);
  dwfl_report_end(table->session, NULL, NULL);
  if (module == NULL || load(table, module) != 0) {
    return NULL;
  }
  *problem = "";
  return table;
}

const char *symbol_table_name(const struct symbol_table *table, uint64_t address) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->functions[middle].start <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // The innermost function that holds the address is the last that does.
  for (size_t index = low; index-- > 0 && table->functions[index].reach > address;) {
    if (table->functions[index].end > address) {
      return table->functions[index].name;
    }
  }
  return NULL;
}
