// The symbols and sources of functions, from the file and its separate debug file.
#define _GNU_SOURCE
#include "objects.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  // How far into a function its first line of source is looked for.
  MAXIMUM_STEPS = 256,
  // When no more sources are looked for, so that the other facts are not lost.
  SECONDS_OF_SOURCES = 5,
};

// A pass over the functions of a file, in the order of their addresses.
struct search {
  struct function **functions;
  size_t count;
  uint64_t mask;  // of the bits that are no part of an address
  GElf_Addr bias;
};

static int compare(const void *left, const void *right) {
  const struct function *a = *(struct function *const *)left;
  const struct function *b = *(struct function *const *)right;
  return (a->address > b->address) - (a->address < b->address);
}

// The first function that is not below an address.
static size_t first_from(const struct search *search, uint64_t address) {
  size_t low = 0, high = search->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((search->functions[middle]->address & search->mask) < address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Prefers functions, and what is exported.
static int rank_of(const GElf_Sym *symbol) {
  int binding = GELF_ST_BIND(symbol->st_info);
  return (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 1 : 4)
    + (binding == STB_LOCAL ? 0 : binding == STB_WEAK ? 1 : 2);
}

static void find_symbols(const struct search *search, Dwfl_Module *module) {
  int count = dwfl_module_getsymtab(module);
  for (int index = 0; index < count; index++) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    GElf_Word section = SHN_UNDEF;
    const char *name =
      dwfl_module_getsym_info(module, index, &symbol, &address, &section, NULL, NULL);
    int type = GELF_ST_TYPE(symbol.st_info);
    if (name == NULL || *name == 0 || *name == '$' || *name == '.' || section == SHN_UNDEF
      || section == SHN_ABS || (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)) {
      continue;
    }
    address = (address - search->bias) & search->mask;
    for (size_t at = first_from(search, address); at < search->count; at++) {
      struct function *function = search->functions[at];
      if ((function->address & search->mask) != address) {
        break;
      }
      if (rank_of(&symbol) > function->rank) {
        function->rank = rank_of(&symbol);
        function->symbol = name;
        function->size = symbol.st_size;
      }
    }
  }
}

// Whether a source is that of the unit, whose name may be relative.
static int is_of_unit(const char *source, Dwarf_Die *unit) {
  const char *name = dwarf_diename(unit);
  size_t length = strlen(source), end = name != NULL ? strlen(name) : 0;
  return end > 0 && length >= end && strcmp(source + length - end, name) == 0;
}

// The first line of a function in the source of its unit, past inlined code and the line 0 that
// compilers give to code of their own; or else the line where the function begins.
static void find_line(struct function *function, Dwarf_Die *unit, uint64_t address) {
  for (uint64_t step = 0; step == 0 || (step < function->size && step < MAXIMUM_STEPS); step++) {
    Dwarf_Line *line = dwarf_getsrc_die(unit, address + step);
    int number = 0;
    const char *source = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (source == NULL || dwarf_lineno(line, &number) != 0) {
      continue;
    }
    int is_own = number > 0 && is_of_unit(source, unit);
    if (is_own || function->source == NULL) {
      function->source = source;
      function->line = number;
    }
    if (is_own) {
      return;
    }
  }
}

// Goes by the units rather than by `.debug_aranges`, which not all compilers write.
static void find_sources(const struct search *search, Dwfl_Module *module) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;) {
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;) {
      if (clock() > SECONDS_OF_SOURCES * CLOCKS_PER_SEC) {
        return;
      }
      Dwarf_Addr shift = bias - search->bias;
      for (size_t index = first_from(search, start + shift); index < search->count; index++) {
        struct function *function = search->functions[index];
        uint64_t address = (function->address & search->mask) - shift;
        if (address < start || address >= end) {
          break;
        }
        if (function->source == NULL) {
          find_line(function, unit, address);
        }
      }
    }
  }
}

void functions_describe(
  struct function *functions, size_t count, const struct image *image, const char *path,
  const char *debug_directories) {
  // They live as long as the process, because the texts of symbols and sources are theirs.
  static Dwfl_Callbacks callbacks;
  static char *directories;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct search search = {
    .functions = calloc(count + 1, sizeof *search.functions),
    .count = count,
    .mask = image->header.e_machine == EM_ARM ? ~(uint64_t)1 : ~(uint64_t)0,
  };
  directories = debug_directories != NULL ? strdup(debug_directories) : NULL;
  callbacks = (Dwfl_Callbacks){
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = directories != NULL ? &directories : NULL,
  };
  Dwfl *session = dwfl_begin(&callbacks);
  if (file < 0 || search.functions == NULL || session == NULL) {
    return;
  }
  for (size_t index = 0; index < count; index++) {
    search.functions[index] = &functions[index];
  }
  qsort(search.functions, count, sizeof *search.functions, compare);
  dwfl_report_begin(session);
  Dwfl_Module *module = dwfl_report_offline(session, path, path, file);
  dwfl_report_end(session, NULL, NULL);
  if (module != NULL && dwfl_module_getelf(module, &search.bias) != NULL) {
    find_symbols(&search, module);
    find_sources(&search, module);
  }
  free(search.functions);
}
