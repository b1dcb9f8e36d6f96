// Reads the requests, and answers each file in a child process: a damaged file that breaks the
// child, or keeps it busy, costs its own names only.
#define _GNU_SOURCE
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch_wire.h"

enum {
  MAXIMUM_REQUEST = 64 << 20,
  MAXIMUM_NAME = 16 << 10,
  SECONDS_OF_ONE_FILE = 10,
};

// The records of a file, from its path on, in the request.
struct file_request {
  const char *path;
  const char *offsets;
  const char *end;
};

static char *read_all(size_t *length) {
  size_t capacity = 1 << 16;
  char *bytes = malloc(capacity);
  for (*length = 0; bytes != NULL && *length < MAXIMUM_REQUEST;) {
    size_t count = fread(bytes + *length, 1, capacity - *length, stdin);
    *length += count;
    if (count == 0) {
      return bytes;
    }
    if (*length == capacity) {
      capacity *= 2;
      char *larger = realloc(bytes, capacity);
      if (larger == NULL) {
        free(bytes);
      }
      bytes = larger;
    }
  }
  return NULL;
}

// Writes a record, cut at a length that no reader would want to pass.
static void answer(FILE *output, const char *text) {
  fwrite(text, 1, strnlen(text, MAXIMUM_NAME), output);
  fputc(0, output);
}

static void answer_offset(FILE *output, const struct symbol_table *table, const char *record) {
  uint64_t address = strtoull(record + 1, NULL, 16);
  const char *name = table != NULL ? symbol_table_name(table, address) : NULL;
  char *readable = name != NULL ? symbol_readable_name(name) : NULL;
  answer(output, readable != NULL ? readable : "");
  free(readable);
}

// Answers a file; a child may die at any point of it.
static void answer_file(
  FILE *output, const struct file_request *request, const char *debug_directories) {
  const char *problem = "";
  struct symbol_table *table = symbol_table_open(request->path, debug_directories, &problem);
  answer(output, problem);
  for (const char *at = request->offsets; at < request->end; at += strlen(at) + 1) {
    answer_offset(output, table, at);
  }
}

static void limit_itself(void) {
  const struct rlimit space = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &none);
  alarm(SECONDS_OF_ONE_FILE);
}

// Passes what a child answers on, once the child has answered everything.
static int answer_in_child(const struct file_request *request, const char *debug_directories) {
  int memory = memfd_create("answers", MFD_CLOEXEC);
  FILE *answers = memory >= 0 ? fdopen(memory, "w+") : NULL;
  if (answers == NULL) {
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    limit_itself();
    answer_file(answers, request, debug_directories);
    _exit(fflush(answers) == 0 ? 0 : 1);
  }
  int status = -1;
  int is_whole = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  if (is_whole) {
    char chunk[1 << 14];
    rewind(answers);
    for (size_t count; (count = fread(chunk, 1, sizeof chunk, answers)) > 0;) {
      fwrite(chunk, 1, count, stdout);
    }
  }
  fclose(answers);
  return is_whole ? 0 : -1;
}

static void answer_nothing(const struct file_request *request) {
  answer(stdout, "its symbols cannot be read: the file is damaged, or too large");
  for (const char *at = request->offsets; at < request->end; at += strlen(at) + 1) {
    answer(stdout, "");
  }
}

int main(int count, char **arguments) {
  const char *debug_directories = count > 1 ? arguments[1] : NULL;
  size_t length = 0;
  char *bytes = read_all(&length);
  if (bytes == NULL || length == 0 || bytes[length - 1] != 0) {
    return 2;
  }
  const char *end = bytes + length;
  for (const char *at = bytes; at < end;) {
    if (*at != SYMBOLS_FILE) {
      return 2;
    }
    struct file_request request = {at + 1, at + strlen(at) + 1, NULL};
    for (at = request.offsets; at < end && *at == SYMBOLS_OFFSET;) {
      at += strlen(at) + 1;
    }
    request.end = at;
    if (answer_in_child(&request, debug_directories) != 0) {
      answer_nothing(&request);
    }
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
