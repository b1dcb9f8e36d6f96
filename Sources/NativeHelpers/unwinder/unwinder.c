// The unwinder names the functions that launches were in when they were sampled.
//
// usage: unwinder DEBUG_DIRECTORIES PROFILE...
//
// DEBUG_DIRECTORIES has the form of libdwfl's `debuginfo_path`, and may be empty. `profile_wire.h`
// describes the profiles, and what is written to standard output.
//
// All is done in a child process, which has all files open at once. A damaged file that breaks it,
// or keeps it busy, is left alone by the next child, and costs the names of its own functions only.
#define _GNU_SOURCE
#include "stacks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DAMAGED_LIMIT = 8, PATH_SIZE = PATH_MAX };

struct task {
  const char *debug_directories;
  char **profiles;
  int profile_count;
  char *damaged[DAMAGED_LIMIT + 1];  // paths; NULL at the end
  char *suspect;                     // shared with the child: the path of what it is reading
};

static void limit_itself(void) {
  const struct rlimit space = {(rlim_t)8 << 30, (rlim_t)8 << 30};
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_AS, &space);
  setrlimit(RLIMIT_CORE, &none);
}

static int answer_all(const struct task *task, FILE *output) {
  const char *directories = *task->debug_directories ? task->debug_directories : NULL;
  struct reader reader = {.answer = answer_open()};
  reader.kernel = kernel_open(reader.answer);
  reader.modules =
    modules_open(reader.answer, directories, task->damaged, task->suspect, PATH_SIZE);
  reader.unwinder = unwinder_open(reader.answer, reader.modules);
  if (reader.kernel == NULL || reader.modules == NULL || reader.unwinder == NULL) {
    return -1;
  }
  for (int index = 0; index < task->profile_count; index++) {
    add_stacks(&reader, task->profiles[index]);
  }
  return answer_write(reader.answer, output);
}

// Returns 0 when the child has written all of its answer.
static int answer_in_child(const struct task *task, FILE *output) {
  pid_t child = fork();
  if (child == 0) {
    limit_itself();
    _exit(answer_all(task, output) == 0 ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

// Passes on what a child has answered.
static int pass_on(FILE *answer) {
  char chunk[1 << 16];
  rewind(answer);
  for (size_t count; (count = fread(chunk, 1, sizeof chunk, answer)) > 0;) {
    fwrite(chunk, 1, count, stdout);
  }
  return fflush(stdout) == 0 && !ferror(stdout) && !ferror(answer) ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count < 3) {
    return 2;
  }
  struct task task = {
    .debug_directories = arguments[1],
    .profiles = arguments + 2,
    .profile_count = count - 2,
  };
  void *shared =
    mmap(NULL, PATH_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return 1;
  }
  task.suspect = shared;
  for (size_t attempt = 0; attempt <= DAMAGED_LIMIT; attempt++) {
    FILE *answer = fdopen(memfd_create("stacks", MFD_CLOEXEC), "w+");
    if (answer == NULL) {
      return 1;
    }
    if (answer_in_child(&task, answer) == 0) {
      return pass_on(answer);
    }
    fclose(answer);
    // Without a suspect, another attempt would end as this one.
    if (*task.suspect == 0 || attempt == DAMAGED_LIMIT) {
      return 1;
    }
    task.damaged[attempt] = strdup(task.suspect);
    *task.suspect = 0;
  }
  return 1;
}
