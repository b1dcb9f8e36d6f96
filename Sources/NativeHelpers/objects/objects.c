// Reads the paths, and answers each file in a child process: a damaged file that breaks the child,
// or keeps it busy, costs its own answer only.
#define _GNU_SOURCE
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_OF_ONE_FILE 10
#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

static void answer_problem(FILE *output, const char *problem) {
  fputc('E', output);
  write_text(output, problem);
  fputc(0, output);
}

// Opens a regular file; a pipe or a device is not worth an attempt.
static int open_file(const char *path, struct image *image) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0) {
    int error = errno;
    snprintf(image->problem, sizeof image->problem,
      error == ENOENT ? "no such file" : "it cannot be opened: %s", strerror(error));
    return -1;
  }
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    snprintf(image->problem, sizeof image->problem, "it is no ELF file");
    close(file);
    return -1;
  }
  return file;
}

// Answers a file; a child may die at any point of it. Facts are passed on when all of them are
// sound.
static void answer_file(FILE *output, const char *path, const char *debug_directories) {
  struct image image = {.problem = ""};
  char *facts = NULL;
  size_t length = 0;
  int file = open_file(path, &image);
  FILE *stream = open_memstream(&facts, &length);
  if (stream == NULL) {
    _exit(1);
  }
  if (file >= 0) {
    image_open(&image, file);
  }
  if (*image.problem == 0) {
    write_facts(stream, &image, path, debug_directories);
  }
  if (fclose(stream) != 0) {
    _exit(1);
  }
  if (*image.problem != 0) {
    answer_problem(output, image.problem);
  } else {
    fwrite(facts, 1, length, output);
  }
}

static void limit_itself(void) {
  const struct rlimit space = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &none);
  alarm(SECONDS_OF_ONE_FILE);
}

// Passes what a child answers on, once the child has answered everything. Returns its status.
static int answer_in_child(const char *path, const char *debug_directories) {
  int memory = memfd_create("answers", MFD_CLOEXEC);
  FILE *answers = memory >= 0 ? fdopen(memory, "w+") : NULL;
  if (answers == NULL) {
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    limit_itself();
    answer_file(answers, path, debug_directories);
    _exit(fflush(answers) == 0 ? 0 : 1);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    status = -1;
  }
  if (status == 0) {
    char chunk[1 << 14];
    rewind(answers);
    for (size_t count; (count = fread(chunk, 1, sizeof chunk, answers)) > 0;) {
      fwrite(chunk, 1, count, stdout);
    }
  }
  fclose(answers);
  return status;
}

int main(int count, char **arguments) {
  const char *debug_directories = count > 1 ? arguments[1] : NULL;
  char *path = NULL;
  size_t capacity = 0;
  for (ssize_t length; (length = getdelim(&path, &capacity, 0, stdin)) > 0;) {
    if (path[length - 1] != 0) {
      return 2;
    }
    fwrite("F", 1, 2, stdout);
    int status = answer_in_child(path, debug_directories);
    if (status != 0) {
      int is_late = status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
      answer_problem(stdout, is_late
        ? "reading took longer than " TEXT(SECONDS_OF_ONE_FILE) " s" : "it breaks the reader");
    }
  }
  return !ferror(stdin) && fflush(stdout) == 0 ? 0 : 1;
}
