#define _GNU_SOURCE
#include "threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUCKETS = 1024 };

static struct thread *buckets[BUCKETS];

static struct thread **place_of(pid_t id) {
  struct thread **place = &buckets[(unsigned)id % BUCKETS];
  while (*place != NULL && (*place)->id != id) place = &(*place)->next;
  return place;
}

static int open_statistics(pid_t id) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/schedstat", id);
  return open(path, O_RDONLY | O_CLOEXEC);
}

struct thread *thread_of(pid_t id) {
  struct thread **place = place_of(id);
  if (*place != NULL) return *place;
  struct thread *thread = calloc(1, sizeof *thread);
  if (thread == NULL) return NULL;
  thread->id = id;
  thread->statistics = open_statistics(id);
  struct usage none;
  used_since(thread, &none);
  *place = thread;
  return thread;
}

struct thread *known_thread(pid_t id) { return *place_of(id); }

void forget_thread(pid_t id) {
  struct thread **place = place_of(id), *thread = *place;
  if (thread == NULL) return;
  *place = thread->next;
  if (thread->statistics >= 0) close(thread->statistics);
  free(thread);
}

void forget_threads(void) {
  for (int bucket = 0; bucket < BUCKETS; bucket++)
    while (buckets[bucket] != NULL) forget_thread(buckets[bucket]->id);
}

void each_thread(void (*call)(struct thread *thread, void *context), void *context) {
  for (int bucket = 0; bucket < BUCKETS; bucket++)
    for (struct thread *thread = buckets[bucket]; thread != NULL; thread = thread->next)
      call(thread, context);
}

struct thread *take_over(pid_t former, pid_t id) {
  if (former == id) return thread_of(id);
  struct thread **place = place_of(former), *thread = *place;
  if (thread == NULL) return thread_of(id);
  *place = thread->next;
  struct thread **first = place_of(id);
  if (*first != NULL) {
    thread->parent = (*first)->parent;
    forget_thread(id);
  }
  thread->id = id;
  // The one of its former id has ended.
  if (thread->statistics >= 0) close(thread->statistics);
  thread->statistics = open_statistics(id);
  thread->next = NULL;
  *place_of(id) = thread;
  return thread;
}

int used_since(struct thread *thread, struct usage *usage) {
  char text[96], *at = text;
  ssize_t length = thread->statistics >= 0 ? pread(thread->statistics, text, sizeof text - 1, 0) : -1;
  if (length <= 0) return -1;
  text[length] = 0;
  struct usage now = {0};
  now.ran = strtoull(at, &at, 10);
  now.queued = strtoull(at, &at, 10);
  now.turns = strtoull(at, &at, 10);
  *usage = (struct usage){
      .ran = now.ran - thread->before.ran,
      .queued = now.queued - thread->before.queued,
      .turns = now.turns - thread->before.turns,
  };
  thread->before = now;
  // A kernel without these counts says 0.
  return now.turns != 0 ? 0 : -1;
}
