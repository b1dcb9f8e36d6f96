#include "answer.h"

#include "profile_wire.h"

#include <stdlib.h>
#include <string.h>

struct answer {
  struct bytes texts;
  struct bytes text_starts;  // of size_t, one for each text
  struct bytes functions;    // of struct stacks_function
  struct bytes notes;        // of uint32_t
  struct bytes profiles;
  uint32_t profile_count;
  // Numbers plus 1 by hash, 0 where there is none; as many slots as a power of two.
  struct slots {
    uint32_t *numbers;
    size_t count;
    size_t used;
  } text_slots, function_slots;
};

static void *must_have(void *memory) {
  if (memory == NULL) {
    _Exit(3);
  }
  return memory;
}

void add_bytes(struct bytes *bytes, const void *start, size_t length) {
  if (bytes->used + length > bytes->capacity) {
    size_t capacity = bytes->capacity > 0 ? bytes->capacity : 1 << 10;
    while (capacity < bytes->used + length) {
      capacity *= 2;
    }
    bytes->start = must_have(realloc(bytes->start, capacity));
    bytes->capacity = capacity;
  }
  if (length > 0) {
    memcpy(bytes->start + bytes->used, start, length);
  }
  bytes->used += length;
}

void pad_bytes(struct bytes *bytes) {
  static const char zeros[8];
  add_bytes(bytes, zeros, -bytes->used & 7);
}

// MARK: - Texts and functions

static uint64_t hash_of(const void *start, size_t length) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t index = 0; index < length; index++) {
    hash = (hash ^ ((const unsigned char *)start)[index]) * 0x100000001b3;
  }
  return hash ^ hash >> 32;
}

static uint32_t text_count(const struct answer *answer) {
  return (uint32_t)(answer->text_starts.used / sizeof(size_t));
}

static uint32_t function_count(const struct answer *answer) {
  return (uint32_t)(answer->functions.used / sizeof(struct stacks_function));
}

const char *text_of(const struct answer *answer, uint32_t number) {
  return answer->texts.start + ((const size_t *)answer->text_starts.start)[number];
}

static const struct stacks_function *function_of(const struct answer *answer, uint32_t number) {
  return (const struct stacks_function *)answer->functions.start + number;
}

uint32_t function_name(const struct answer *answer, uint32_t function) {
  return function_of(answer, function)->name;
}

static uint64_t text_hash(const struct answer *answer, uint32_t number) {
  const char *text = text_of(answer, number);
  return hash_of(text, strlen(text));
}

static uint64_t function_hash(const struct answer *answer, uint32_t number) {
  return hash_of(function_of(answer, number), sizeof(struct stacks_function));
}

// Doubles the slots once half of them are used.
static void make_slots(
  const struct answer *answer, struct slots *slots,
  uint64_t (*hash)(const struct answer *, uint32_t)) {
  if (slots->used * 2 < slots->count) {
    return;
  }
  struct slots larger = {.count = slots->count > 0 ? slots->count * 2 : 1 << 10};
  larger.numbers = must_have(calloc(larger.count, sizeof *larger.numbers));
  for (size_t index = 0; index < slots->count; index++) {
    uint32_t number = slots->numbers[index];
    if (number == 0) {
      continue;
    }
    size_t at = hash(answer, number - 1) & (larger.count - 1);
    while (larger.numbers[at] != 0) {
      at = (at + 1) & (larger.count - 1);
    }
    larger.numbers[at] = number;
    larger.used++;
  }
  free(slots->numbers);
  *slots = larger;
}

uint32_t text_number(struct answer *answer, const char *text) {
  struct slots *slots = &answer->text_slots;
  make_slots(answer, slots, text_hash);
  size_t at = hash_of(text, strlen(text)) & (slots->count - 1);
  for (; slots->numbers[at] != 0; at = (at + 1) & (slots->count - 1)) {
    if (strcmp(text_of(answer, slots->numbers[at] - 1), text) == 0) {
      return slots->numbers[at] - 1;
    }
  }
  uint32_t number = text_count(answer);
  add_bytes(&answer->text_starts, &answer->texts.used, sizeof(size_t));
  add_bytes(&answer->texts, text, strlen(text) + 1);
  slots->numbers[at] = number + 1;
  slots->used++;
  return number;
}

uint32_t function_number(struct answer *answer, uint32_t file, uint32_t name) {
  const struct stacks_function function = {file, name};
  struct slots *slots = &answer->function_slots;
  make_slots(answer, slots, function_hash);
  size_t at = hash_of(&function, sizeof function) & (slots->count - 1);
  for (; slots->numbers[at] != 0; at = (at + 1) & (slots->count - 1)) {
    const struct stacks_function *known = function_of(answer, slots->numbers[at] - 1);
    if (known->file == file && known->name == name) {
      return slots->numbers[at] - 1;
    }
  }
  uint32_t number = function_count(answer);
  add_bytes(&answer->functions, &function, sizeof function);
  slots->numbers[at] = number + 1;
  slots->used++;
  return number;
}

// MARK: - The answer

struct answer *answer_open(void) {
  struct answer *answer = must_have(calloc(1, sizeof *answer));
  text_number(answer, "");
  return answer;
}

void add_note(struct answer *answer, const char *note) {
  uint32_t number = text_number(answer, note);
  add_bytes(&answer->notes, &number, sizeof number);
}

void add_profile(struct answer *answer, const struct bytes *profile) {
  add_bytes(&answer->profiles, profile->start, profile->used);
  answer->profile_count++;
}

static int write_padded(FILE *output, const struct bytes *bytes) {
  static const char zeros[8];
  if (bytes->used > 0) {
    fwrite(bytes->start, 1, bytes->used, output);
  }
  fwrite(zeros, 1, -bytes->used & 7, output);
  return ferror(output);
}

static size_t padded(size_t length) {
  return (length + 7) & ~(size_t)7;
}

int answer_write(const struct answer *answer, FILE *output) {
  const struct stacks_header header = {
    .magic = STACKS_MAGIC,
    .bytes = sizeof header + padded(answer->texts.used) + answer->functions.used
      + padded(answer->notes.used) + answer->profiles.used,
    .text_bytes = padded(answer->texts.used),
    .texts = text_count(answer),
    .functions = function_count(answer),
    .profiles = answer->profile_count,
    .notes = (uint32_t)(answer->notes.used / sizeof(uint32_t)),
  };
  fwrite(&header, sizeof header, 1, output);
  write_padded(output, &answer->texts);
  write_padded(output, &answer->functions);
  write_padded(output, &answer->notes);
  write_padded(output, &answer->profiles);
  return fflush(output) == 0 && !ferror(output) ? 0 : -1;
}
