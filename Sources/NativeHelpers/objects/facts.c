// The records of a file.
#define _GNU_SOURCE
#include "objects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAGE = 4096,
  MAXIMUM_NAME = 16 << 10,
  MAXIMUM_INITIALIZERS = 100000,
  MAXIMUM_TASKS = 10000,
};

// A function that the loader, or a phase of start-up tasks, runs.
struct start {
  char kind;
  const char *name;   // of the array, or of the task
  const char *phase;  // of a task
};

struct starts {
  struct start *starts;
  struct function *functions;
  size_t count;
};

void write_text(FILE *output, const char *text) {
  for (size_t index = 0; index < MAXIMUM_NAME && text[index] != 0; index++) {
    unsigned char byte = (unsigned char)text[index];
    fputc(byte < ' ' || byte == 0x7f ? '?' : byte, output);
  }
}

static void write_record(FILE *output, char kind, const char *text) {
  fputc(kind, output);
  write_text(output, text);
  fputc(0, output);
}

// MARK: - Dynamic section

static void write_interpreter(FILE *output, struct image *image) {
  GElf_Phdr segment;
  if (image_segment(image, PT_INTERP, &segment) != 0) {
    return;
  }
  const char *path = (const char *)image->bytes + segment.p_offset;
  if (memchr(path, 0, segment.p_filesz) == NULL) {
    image_damaged(image, "the path of its interpreter has no end");
    return;
  }
  write_record(output, 'P', path);
}

static void write_names(FILE *output, struct image *image) {
  uint64_t texts = 0;
  GElf_Dyn entry;
  int has_texts = image_tag(image, DT_STRTAB, &texts) == 0;
  for (int index = 0; image->dynamic != NULL; index++) {
    if (gelf_getdyn(image->dynamic, index, &entry) == NULL || entry.d_tag == DT_NULL) {
      return;
    }
    char kind = entry.d_tag == DT_SONAME ? 'S' : entry.d_tag == DT_NEEDED ? 'N'
      : entry.d_tag == DT_RPATH ? 'O' : entry.d_tag == DT_RUNPATH ? 'R' : 0;
    if (kind == 0) {
      continue;
    }
    const char *text = has_texts ? image_text(image, texts + entry.d_un.d_val) : NULL;
    if (text == NULL) {
      image_damaged(image, "a name for the loader lies outside of it");
      return;
    }
    write_record(output, kind, text);
  }
}

static void write_relocations(FILE *output, const struct image *image) {
  static const char *const names[RELOCATION_KINDS] = {
    "relative", "symbolic", "jump-slot", "tls", "irelative", "other",
  };
  for (int kind = 0; kind < RELOCATION_KINDS; kind++) {
    if (image->relocations_of_kind[kind] > 0) {
      fprintf(output, "L%s\t%" PRIu64, names[kind], image->relocations_of_kind[kind]);
      fputc(0, output);
    }
  }
}

static void write_symbols(FILE *output, const struct image *image) {
  uint64_t exported = 0, imported = 0;
  for (uint64_t index = 1; image->symbols != NULL && index < image->symbol_count; index++) {
    GElf_Sym symbol;
    if (gelf_getsym(image->symbols, (int)index, &symbol) == NULL
      || GELF_ST_BIND(symbol.st_info) == STB_LOCAL) {
      continue;
    }
    *(symbol.st_shndx == SHN_UNDEF ? &imported : &exported) += 1;
  }
  fprintf(output, "X%" PRIu64 "\t%" PRIu64, exported, imported);
  fputc(0, output);
}

// MARK: - Size and hardening

static void write_sizes(FILE *output, const struct image *image) {
  uint64_t mapped = 0;
  for (size_t index = 0; index < image->segment_count; index++) {
    GElf_Phdr segment;
    if (gelf_getphdr(image->elf, (int)index, &segment) != NULL && segment.p_type == PT_LOAD) {
      uint64_t start = segment.p_vaddr % PAGE;
      mapped += (start + segment.p_memsz + PAGE - 1) / PAGE * PAGE;
    }
  }
  fprintf(output, "M%" PRIu64, mapped);
  fputc(0, output);
  fprintf(output, "Z%zu", image->size);
  fputc(0, output);
}

static void write_hardening(FILE *output, const struct image *image) {
  GElf_Phdr segment, stack = {0};
  uint64_t flags = 0, flags_1 = 0, ignored = 0;
  image_tag(image, DT_FLAGS, &flags);
  image_tag(image, DT_FLAGS_1, &flags_1);
  int is_position_independent = image->header.e_type == ET_DYN;
  int is_loaded = image->header.e_type == ET_EXEC || is_position_independent;
  int has_interpreter = image_segment(image, PT_INTERP, &segment) == 0;
  int has_stack = image_segment(image, PT_GNU_STACK, &stack) == 0;
  const struct { const char *word; int is_true; } words[] = {
    {"pie", is_position_independent && (has_interpreter || (flags_1 & DF_1_PIE) != 0)},
    {"relro", image_segment(image, PT_GNU_RELRO, &segment) == 0},
    {"bind-now", image_tag(image, DT_BIND_NOW, &ignored) == 0 || (flags & DF_BIND_NOW) != 0
      || (flags_1 & DF_1_NOW) != 0},
    {"exec-stack", !has_stack || (stack.p_flags & PF_X) != 0},
    {"text-relocations", image_tag(image, DT_TEXTREL, &ignored) == 0 || (flags & DF_TEXTREL) != 0},
    {"static", !has_interpreter && (image->dynamic == NULL || (flags_1 & DF_1_PIE) != 0)},
  };
  const char *space = "";
  fputc('D', output);
  for (size_t index = 0; is_loaded && index < sizeof words / sizeof *words; index++) {
    if (words[index].is_true) {
      fprintf(output, "%s%s", space, words[index].word);
      space = " ";
    }
  }
  fputc(0, output);
}

// MARK: - Initializers and tasks

static void add_start(struct starts *starts, struct start start, uint64_t address) {
  struct start *more = realloc(starts->starts, (starts->count + 1) * sizeof *more);
  starts->starts = more != NULL ? more : starts->starts;
  struct function *functions =
    realloc(starts->functions, (starts->count + 1) * sizeof *functions);
  starts->functions = functions != NULL ? functions : starts->functions;
  if (more != NULL && functions != NULL) {
    more[starts->count] = start;
    functions[starts->count++] = (struct function){.address = address};
  }
}

// Finds a section by its type or, where that is 0, by its name.
static int find_section(
  const struct image *image, uint32_t type, const char *name, GElf_Shdr *section) {
  size_t names = 0;
  if (elf_getshdrstrndx(image->elf, &names) != 0) {
    return -1;
  }
  for (Elf_Scn *next = NULL; (next = elf_nextscn(image->elf, next)) != NULL;) {
    if (gelf_getshdr(next, section) == NULL) {
      continue;
    }
    const char *found = elf_strptr(image->elf, names, section->sh_name);
    if (type != 0 ? section->sh_type == type : found != NULL && strcmp(found, name) == 0) {
      return 0;
    }
  }
  return -1;
}

// The array of initializers, by its section where the file is static.
static void add_array(
  struct starts *starts, struct image *image, const char *name, int64_t tag, int64_t size_tag,
  uint32_t type) {
  GElf_Shdr section;
  uint64_t address = 0, size = 0, word = image_word(image);
  if (image->dynamic != NULL) {
    image_tag(image, tag, &address);
    image_tag(image, size_tag, &size);
  } else if (find_section(image, type, NULL, &section) == 0) {
    address = section.sh_addr;
    size = section.sh_size;
  }
  if (size > 0 && image_bytes(image, address, size) == NULL) {
    image_damaged(image, "its initializers lie outside of it");
    return;
  }
  for (uint64_t at = 0; at + word <= size && starts->count < MAXIMUM_INITIALIZERS; at += word) {
    uint64_t function = image_pointer(image, address + at);
    if (function != 0 && function != (word == 4 ? UINT32_MAX : UINT64_MAX)) {
      add_start(starts, (struct start){'I', name, ""}, function);
    }
  }
}

// DT_INIT, unless it is what the C runtime has in `.init`, which runs nothing today.
static void add_init(struct starts *starts, const struct image *image) {
  GElf_Shdr section;
  uint64_t address = 0;
  if (image_tag(image, DT_INIT, &address) != 0 || address == 0 || image->header.e_shnum == 0
    || (find_section(image, 0, ".init", &section) == 0 && section.sh_addr == address)) {
    return;
  }
  add_start(starts, (struct start){'I', "init", ""}, address);
}

static void add_tasks(struct starts *starts, struct image *image) {
  GElf_Shdr section;
  uint64_t word = image_word(image);
  if (find_section(image, 0, "launch_tasks", &section) != 0
    || (section.sh_flags & SHF_ALLOC) == 0) {
    return;
  }
  if (section.sh_size > 0 && image_bytes(image, section.sh_addr, section.sh_size) == NULL) {
    image_damaged(image, "its start-up tasks lie outside of it");
    return;
  }
  uint64_t count = section.sh_size / (4 * word);
  for (uint64_t index = 0; index < count && index < MAXIMUM_TASKS; index++) {
    uint64_t task = section.sh_addr + index * 4 * word;
    const char *name = image_text(image, image_pointer(image, task));
    const char *phase = image_text(image, image_pointer(image, task + word));
    struct start start = {'T', name != NULL ? name : "", phase != NULL ? phase : ""};
    uint64_t function = image_pointer(image, task + 2 * word);
    if (function != 0) {
      add_start(starts, start, function);
    }
  }
}

static int is_of_runtime(const struct function *function) {
  return function->symbol != NULL && (strcmp(function->symbol, "frame_dummy") == 0
    || strcmp(function->symbol, "register_tm_clones") == 0);
}

static void write_starts(FILE *output, const struct starts *starts) {
  for (size_t index = 0; index < starts->count; index++) {
    const struct start *start = &starts->starts[index];
    const struct function *function = &starts->functions[index];
    if (start->kind == 'I' && is_of_runtime(function)) {
      continue;
    }
    fputc(start->kind, output);
    write_text(output, start->name);
    if (start->kind == 'T') {
      fputc('\t', output);
      write_text(output, start->phase);
    }
    fprintf(output, "\t%" PRIx64 "\t", function->address);
    if (start->kind == 'I') {
      write_text(output, function->symbol != NULL ? function->symbol : "");
      fputc('\t', output);
    }
    write_text(output, function->source != NULL ? function->source : "");
    fputc('\t', output);
    if (function->line > 0) {
      fprintf(output, "%d", function->line);
    }
    fputc(0, output);
  }
}

void write_facts(
  FILE *output, struct image *image, const char *path, const char *debug_directories) {
  struct starts starts = {0};
  fprintf(output, "H%d\t%" PRIu64 "\t%d", image->header.e_machine, image_word(image) * 8,
    image->header.e_type);
  fputc(0, output);
  write_interpreter(output, image);
  write_names(output, image);
  if (image->header.e_type == ET_EXEC || image->header.e_type == ET_DYN) {
    add_array(&starts, image, "preinit_array", DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ,
      SHT_PREINIT_ARRAY);
    add_init(&starts, image);
    add_array(&starts, image, "init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ, SHT_INIT_ARRAY);
    add_tasks(&starts, image);
  }
  if (starts.count > 0 && *image->problem == 0) {
    functions_describe(starts.functions, starts.count, image, path, debug_directories);
    write_starts(output, &starts);
  }
  write_relocations(output, image);
  write_symbols(output, image);
  write_sizes(output, image);
  write_hardening(output, image);
}
