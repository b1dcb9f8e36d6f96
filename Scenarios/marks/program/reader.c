// Reads a file of lines, lays them out, is ready, and leaves the rest for later.
#include "launch_marks.h"

#include <stdio.h>

#include "text.h"

enum { LINE_LIMIT = 4096, LINE_LENGTH = 256, COLUMN = 600 };

static const char *path;
static char lines[LINE_LIMIT][LINE_LENGTH];
static unsigned order[LINE_LIMIT];
static unsigned count, rows;
static unsigned words[256];

static int compare(const void *left, const void *right) {
  const unsigned char *one = (const unsigned char *)lines[*(const unsigned *)left];
  const unsigned char *other = (const unsigned char *)lines[*(const unsigned *)right];
  for (; *one && text_fold(*one) == text_fold(*other); one++) other++;
  return text_fold(*one) - text_fold(*other);
}

LAUNCH_TASK("first screen", read_glossary) {
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  while (count < LINE_LIMIT && fgets(lines[count], LINE_LENGTH, file)) {
    order[count] = count;
    count++;
  }
  fclose(file);
}

LAUNCH_TASK("first screen", sort_entries) { qsort(order, count, sizeof *order, compare); }

LAUNCH_TASK("first screen", lay_out) {
  for (unsigned index = 0; index < count; index++) {
    unsigned width = text_width(lines[order[index]]);
    rows += (width + COLUMN - 1) / COLUMN;
  }
  printf("%u entries in %u rows, the first is: %s", count, rows, count ? lines[order[0]] : "\n");
}

LAUNCH_TASK("deferred", index_words) {
  for (unsigned index = 0; index < count; index++) {
    unsigned hash = 5381;
    for (const char *letter = lines[index]; *letter; letter++) {
      if (*letter == ' ') words[hash % 256]++, hash = 5381;
      else hash = hash * 33 + text_fold((unsigned char)*letter);
    }
  }
}

LAUNCH_TASK("deferred", write_report) {
  unsigned most = 0;
  for (unsigned index = 0; index < 256; index++)
    if (words[index] > most) most = words[index];
  printf("the fullest of 256 shelves has %u words\n", most);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fprintf(stderr, "usage: reader FILE\n");
    return 64;
  }
  path = arguments[1];
  launch_run_phase("first screen");
  fflush(stdout);
  launch_ready();
  launch_run_phase("deferred");
  return 0;
}
