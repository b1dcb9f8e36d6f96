// The object reader: tells the controller what the loader does for ELF files.
//
// It reads paths from the standard input, each ended by a NUL, and answers them in order. An answer
// is records, each ended by a NUL, whose first byte is their kind; their fields are separated by
// tabs, addresses are hexadecimal, and what is not known is empty:
// - `F`: the answer for the next file begins.
// - `E` problem: the file cannot be read; nothing else follows.
// - `H` machine, class (32 or 64), type: of the ELF header.
// - `P` path: the program interpreter.
// - `S` name, `N` name, `O` paths, `R` paths: DT_SONAME, DT_NEEDED, DT_RPATH, DT_RUNPATH.
// - `I` array (`preinit_array`, `init`, `init_array`), address, symbol, source file, line: an
//   initializer, in the order in which they are run, without those of the C runtime.
// - `T` name, phase, address, source file, line: a start-up task of `launch_marks.h`.
// - `L` kind, count: dynamic relocations of a kind, of which there are any.
// - `X` exported, imported: counts of dynamic symbols.
// - `M` bytes: what is mapped, in pages of 4 KiB.
// - `Z` bytes: the size of the file.
// - `D` words: how the file is hardened, separated by spaces.
#ifndef OBJECTS_H
#define OBJECTS_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// MARK: - The file as it is mapped

enum relocation_kind {
  RELOCATION_RELATIVE,
  RELOCATION_SYMBOLIC,
  RELOCATION_JUMP_SLOT,
  RELOCATION_TLS,
  RELOCATION_IRELATIVE,
  RELOCATION_OTHER,
  RELOCATION_KINDS,
};

struct relocation {
  uint64_t address;
  uint64_t addend;
  uint64_t symbol;
  enum relocation_kind kind;
  int has_addend;
};

struct image {
  Elf *elf;
  GElf_Ehdr header;
  const unsigned char *bytes;
  size_t size;
  size_t segment_count;
  Elf_Data *dynamic;
  struct relocation *relocations;  // in the order of their addresses, without packed ones
  size_t relocation_count;
  uint64_t relocations_of_kind[RELOCATION_KINDS];
  uint64_t symbol_count;
  Elf_Data *symbols;  // the dynamic ones
  char problem[256];  // why the file cannot be read, or empty
};

// Reads what the loader does. Sets the problem of the image where that cannot be done.
void image_open(struct image *image, int file);

// The first value of a tag in the dynamic section. Returns -1 when there is none.
int image_tag(const struct image *image, int64_t tag, uint64_t *value);

// The first segment of a type. Returns -1 when there is none.
int image_segment(const struct image *image, uint32_t type, GElf_Phdr *segment);

// What the file has for some addresses, or NULL.
const unsigned char *image_bytes(const struct image *image, uint64_t address, uint64_t size);

// The text at an address, or NULL; there is none at 0.
const char *image_text(const struct image *image, uint64_t address);

// The size of a pointer.
uint64_t image_word(const struct image *image);

// What is at an address once the loader has relocated it, in a file that is loaded at 0.
uint64_t image_pointer(const struct image *image, uint64_t address);

// Notes the first problem.
void image_damaged(struct image *image, const char *what);

// MARK: - Names and sources

struct function {
  uint64_t address;
  const char *symbol;
  uint64_t size;
  int rank;
  const char *source;
  int line;
};

// Finds the symbols and sources of functions, by the file and its separate debug file.
void functions_describe(
  struct function *functions, size_t count, const struct image *image, const char *path,
  const char *debug_directories);

// MARK: - Records

// Writes all records of a file but the first.
void write_facts(
  FILE *output, struct image *image, const char *path, const char *debug_directories);

// Writes a text with control bytes replaced, cut at a length that no reader would want to pass.
void write_text(FILE *output, const char *text);

#endif
