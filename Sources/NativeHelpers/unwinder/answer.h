// What the unwinder answers, as it is built up: texts and functions once each, and the profiles.
#ifndef ANSWER_H
#define ANSWER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Memory that grows. Where there is none left, the process ends.
struct bytes {
  char *start;
  size_t used;
  size_t capacity;
};

void add_bytes(struct bytes *bytes, const void *start, size_t length);

// Adds zeros up to a multiple of 8.
void pad_bytes(struct bytes *bytes);

struct answer;

struct answer *answer_open(void);

// The number of a text.
uint32_t text_number(struct answer *answer, const char *text);

// The number of a function, by the numbers of its file and its name.
uint32_t function_number(struct answer *answer, uint32_t file, uint32_t name);

// The number of the name of a function.
uint32_t function_name(const struct answer *answer, uint32_t function);

const char *text_of(const struct answer *answer, uint32_t number);

// Says what could not be read.
void add_note(struct answer *answer, const char *note);

// Adds what struct stacks_profile begins.
void add_profile(struct answer *answer, const struct bytes *profile);

// Returns 0 when all was written.
int answer_write(const struct answer *answer, FILE *output);

#endif
