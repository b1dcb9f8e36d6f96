#define _GNU_SOURCE
#include "module.h"

#include "../symbols/symbols.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// How long one file may keep the process busy that reads it.
enum { SECONDS_OF_ONE_FILE = 20 };

// How much code of a loader or a program may follow its entry before something is called.
enum { ENTRY_BYTES = 256 };

#if defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_X86_64 };
#endif

struct module {
  struct module *next;
  char *path;
  uint32_t major;
  uint32_t minor;
  uint64_t inode;
  uint64_t inode_generation;
  uint32_t path_number;
  Elf *elf;
  GElf_Ehdr header;
  size_t segment_count;
  Dwarf_CFI *frames;        // of .eh_frame
  Dwarf_CFI *debug_frames;  // of .debug_frame, looked for when those say nothing
  int has_debug_frames;
  struct symbol_table *symbols;
  int has_symbols;
  uint64_t ranges_address;  // of .eh_frame_hdr
  Elf_Data *ranges;
};

struct modules {
  struct answer *answer;
  const char *debug_directories;
  char *const *damaged;
  char *suspect;
  size_t suspect_size;
  struct module *first;
  int vdso;  // a file with the code of the kernel that every process has mapped
};

// MARK: - Opening

static void suspect(struct modules *modules, const struct module *module) {
  snprintf(modules->suspect, modules->suspect_size, "%s", module->path);
  alarm(SECONDS_OF_ONE_FILE);
}

static void acquit(struct modules *modules) {
  alarm(0);
  *modules->suspect = 0;
}

static void note_problem(
  struct modules *modules, const struct module *module, const char *problem) {
  char *note = NULL;
  if (asprintf(&note, "no names of functions of %s: %s", module->path, problem) >= 0) {
    add_note(modules->answer, note);
    free(note);
  }
}

static int is_damaged(const struct modules *modules, const char *path) {
  for (char *const *damaged = modules->damaged; *damaged != NULL; damaged++) {
    if (strcmp(*damaged, path) == 0) {
      return 1;
    }
  }
  return 0;
}

// Another file may have taken the place of the one that was mapped, and even its inode, which has
// another generation then. Some file systems give mappings another device than stat(2), and some do
// not tell the generation.
static int is_replaced(const struct module *module, int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || major(status.st_dev) != module->major
    || minor(status.st_dev) != module->minor) {
    return 0;
  }
  uint32_t generation[2] = {0};  // the kernel writes an int, and says that it is a long
  return status.st_ino != module->inode
    || (ioctl(file, FS_IOC_GETVERSION, generation) == 0
      && generation[0] != (uint32_t)module->inode_generation);
}

// The table of ranges by which functions without names are told apart.
static void read_ranges(struct module *module) {
  for (size_t index = 0; index < module->segment_count; index++) {
    GElf_Phdr segment;
    if (gelf_getphdr(module->elf, (int)index, &segment) == NULL
      || segment.p_type != PT_GNU_EH_FRAME) {
      continue;
    }
    module->ranges_address = segment.p_vaddr;
    module->ranges = elf_getdata_rawchunk(
      module->elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
  }
}

static void read_elf(struct modules *modules, struct module *module, int file) {
  module->elf = elf_begin(file, ELF_C_READ_MMAP_PRIVATE, NULL);
  if (module->elf == NULL || gelf_getehdr(module->elf, &module->header) == NULL
    || elf_getphdrnum(module->elf, &module->segment_count) != 0) {
    module->elf = NULL;
    module->segment_count = 0;
    note_problem(modules, module, "the file is damaged");
    return;
  }
  if (module->header.e_machine != OWN_MACHINE
    || module->header.e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  module->frames = dwarf_getcfi_elf(module->elf);
  read_ranges(module);
}

// A name by which the file of a module can be opened.
static const char *path_to_open(
  const struct modules *modules, const struct module *module, char *room, size_t size) {
  if (strcmp(module->path, "[vdso]") != 0) {
    return module->path;
  }
  snprintf(room, size, "/proc/self/fd/%d", modules->vdso);
  return room;
}

static void read_module(struct modules *modules, struct module *module) {
  char room[64];
  const char *problem = "the file is damaged, or too large";
  if (is_damaged(modules, module->path)) {
    note_problem(modules, module, problem);
    return;
  }
  int file = symbol_file_open(path_to_open(modules, module, room, sizeof room), &problem);
  if (file >= 0 && module_is_file(module) && is_replaced(module, file)) {
    problem = "it is no longer the file that was executed";
    close(file);
    file = -1;
  }
  if (file < 0) {
    note_problem(modules, module, problem);
    return;
  }
  suspect(modules, module);
  read_elf(modules, module, file);
  acquit(modules);
}

// Copies the code that the kernel maps into every process. The size is where its sections end.
static int vdso_file(void) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
  int file = memfd_create("vdso", MFD_CLOEXEC);
  if (header != NULL && file >= 0) {
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    if (write(file, header, size) != (ssize_t)size) {
      close(file);
      return -1;
    }
  }
  return file;
}

struct modules *modules_open(
  struct answer *answer, const char *debug_directories, char *const *damaged, char *suspect,
  size_t suspect_size) {
  struct modules *modules = calloc(1, sizeof *modules);
  if (modules == NULL) {
    return NULL;
  }
  elf_version(EV_CURRENT);
  *modules = (struct modules){
    .answer = answer,
    .debug_directories = debug_directories,
    .damaged = damaged,
    .suspect = suspect,
    .suspect_size = suspect_size,
    .vdso = vdso_file(),
  };
  return modules;
}

struct module *module_find(struct modules *modules, const struct module_key *key) {
  for (struct module *module = modules->first; module != NULL; module = module->next) {
    if (module->inode == key->inode && module->inode_generation == key->inode_generation
      && module->major == key->major && module->minor == key->minor
      && strcmp(module->path, key->path) == 0) {
      return module;
    }
  }
  struct module *module = calloc(1, sizeof *module);
  char *path = strdup(key->path);
  if (module == NULL || path == NULL) {
    free(module);
    free(path);
    return NULL;
  }
  *module = (struct module){
    .next = modules->first,
    .path = path,
    .major = key->major,
    .minor = key->minor,
    .inode = key->inode,
    .inode_generation = key->inode_generation,
    .path_number = text_number(modules->answer, path),
  };
  modules->first = module;
  read_module(modules, module);
  return module;
}

// MARK: - Addresses

uint32_t module_path(const struct module *module) {
  return module->path_number;
}

int module_is_file(const struct module *module) {
  return module->path[0] == '/';
}

uint64_t module_bias(const struct module *module, uint64_t start, uint64_t offset) {
  uint64_t bias = start - offset;
  for (size_t index = 0; index < module->segment_count; index++) {
    GElf_Phdr segment;
    if (gelf_getphdr(module->elf, (int)index, &segment) == NULL || segment.p_type != PT_LOAD) {
      continue;
    }
    // Segments are mapped by whole pages, from the page that they begin in.
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
    if (offset + page < segment.p_offset || offset >= segment.p_offset + segment.p_filesz) {
      continue;
    }
    bias = start - offset - (segment.p_vaddr - segment.p_offset);
    if (segment.p_flags & PF_X) {
      break;
    }
  }
  return bias;
}

int is_entry(struct code code) {
  return code.module->elf != NULL
    && code.address - code.module->header.e_entry < ENTRY_BYTES;
}

// MARK: - Frames

static Dwarf_CFI *debug_frames(struct module *module) {
  if (!module->has_debug_frames) {
    module->has_debug_frames = 1;
    Dwarf *debug = dwarf_begin_elf(module->elf, DWARF_C_READ, NULL);
    module->debug_frames = debug != NULL ? dwarf_getcfi(debug) : NULL;
  }
  return module->debug_frames;
}

Dwarf_Frame *module_frame(struct modules *modules, struct code code) {
  struct module *module = code.module;
  Dwarf_Frame *frame = NULL;
  if (module->elf == NULL || module->header.e_machine != OWN_MACHINE) {
    return NULL;
  }
  suspect(modules, module);
  if (module->frames == NULL || dwarf_cfi_addrframe(module->frames, code.address, &frame) != 0) {
    Dwarf_CFI *frames = debug_frames(module);
    if (frames == NULL || dwarf_cfi_addrframe(frames, code.address, &frame) != 0) {
      frame = NULL;
    }
  }
  acquit(modules);
  return frame;
}

// MARK: - Names

static int32_t table_value(const char *table, size_t index) {
  int32_t value;
  memcpy(&value, table + index * 4, sizeof value);
  return value;
}

// The start of the range of .eh_frame that an address is in; 0 when the file has no sorted table of
// the usual kind: version 1, a pointer of 4 bytes, a count of 4 bytes, and pairs of offsets of 4.
static uint64_t range_start(const struct module *module, uint64_t address) {
  const Elf_Data *data = module->ranges;
  if (data == NULL || data->d_size < 12) {
    return 0;
  }
  const unsigned char *bytes = data->d_buf;
  if (bytes[0] != 1 || (bytes[1] & 0xf & ~8) != 3 || bytes[2] != 3 || bytes[3] != 0x3b) {
    return 0;
  }
  const char *table = (const char *)bytes + 12;
  size_t low = 0, high = (uint32_t)table_value(table, (size_t)-1);
  if (high > (data->d_size - 12) / 8) {
    return 0;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (module->ranges_address + (uint64_t)(int64_t)table_value(table, middle * 2) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 ? module->ranges_address + (uint64_t)(int64_t)table_value(table, low * 2 - 2) : 0;
}

static const char *symbol_of(struct modules *modules, struct code code) {
  struct module *module = code.module;
  if (!module->has_symbols) {
    char room[64];
    const char *problem = NULL;
    module->has_symbols = 1;
    module->symbols = symbol_table_open(
      path_to_open(modules, module, room, sizeof room), modules->debug_directories, &problem);
    if (module->symbols == NULL && problem != NULL) {
      note_problem(modules, module, problem);
    }
  }
  return module->symbols != NULL ? symbol_table_name(module->symbols, code.address) : NULL;
}

// Code without a name is called by where its range begins. The frame tells that the range does not
// end before the address.
static void name_by_range(struct modules *modules, struct code code, char *name, size_t size) {
  uint64_t start = range_start(code.module, code.address);
  Dwarf_Frame *frame = start != 0 ? module_frame(modules, code) : NULL;
  free(frame);
  if (frame != NULL) {
    snprintf(name, size, "+0x%" PRIx64, start);
  } else {
    snprintf(name, size, is_entry(code) ? "[entry]" : "[unnamed]");
  }
}

uint32_t module_function(struct modules *modules, struct code code) {
  struct module *module = code.module;
  struct answer *answer = modules->answer;
  if (module->elf == NULL) {
    return function_number(answer, module->path_number, text_number(answer, "[unreadable]"));
  }
  suspect(modules, module);
  const char *symbol = symbol_of(modules, code);
  char *readable = symbol != NULL ? symbol_readable_name(symbol) : NULL;
  char range[32] = "";
  if (readable == NULL) {
    name_by_range(modules, code, range, sizeof range);
  }
  acquit(modules);
  uint32_t name = text_number(answer, readable != NULL ? readable : range);
  free(readable);
  return function_number(answer, module->path_number, name);
}
