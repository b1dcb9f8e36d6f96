// What holds for a target from before its first instruction. All of it is set in the child, before
// the clock, and passes on to what the target starts.
#define _GNU_SOURCE
#include "conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The processors of targets that ask for none, where the spawner itself is kept on others.
static uint64_t target_cpus[CPU_WORDS];
static int is_pinned;

static char nice_text[16];

static int set_affinity(const uint64_t *cpus) {
  return (int)syscall(SYS_sched_setaffinity, 0, sizeof target_cpus, cpus);
}

// The kernel leaves out what is not there or not allowed, and refuses only what then is empty.
static int run_only_on(const uint64_t *cpus) {
  uint64_t allowed[CPU_WORDS] = {0};
  if (set_affinity(cpus) != 0) return -1;
  if (syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed) < 0) return -1;
  for (int word = 0; word < CPU_WORDS; word++) {
    if (allowed[word] == cpus[word]) continue;
    errno = EINVAL;
    return -1;
  }
  return 0;
}

static void read_cpus(const char *list, uint64_t *cpus) {
  while (*list) {
    unsigned cpu = 0;
    while (*list >= '0' && *list <= '9') cpu = cpu * 10 + (unsigned)(*list++ - '0');
    if (cpu < CPU_WORDS * 64) cpus[cpu / 64] |= 1ULL << cpu % 64;
    if (*list) list++;
  }
}

void keep_off_targets(const char *own, const char *targets) {
  uint64_t own_cpus[CPU_WORDS] = {0};
  read_cpus(own, own_cpus);
  read_cpus(targets, target_cpus);
  is_pinned = set_affinity(own_cpus) == 0;
}

static int fix_addresses(void) {
  int present = personality(0xffffffff);
  return personality((unsigned long)present | ADDR_NO_RANDOMIZE) < 0 ? -1 : 0;
}

void prepare_conditions(const struct launch *launch) {
  int nice = launch->request->nice;
  nice_text[0] = '-';
  put_number(nice_text + (nice < 0), (unsigned)(nice < 0 ? -(int64_t)nice : nice));
}

// A session of its own is a group of its own to the scheduler, and a nice value counts inside of
// it only; so the group gets that value, too. Users other than root may set one every 0.1 s, all
// of them together. Source: sched(7), The autogroup feature.
static int set_group_nice(void) {
  enum { ATTEMPTS = 100 };
  int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? 0 : -1;
  ssize_t written;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    written = write(file, nice_text, strlen(nice_text));
    if (written >= 0 || errno != EAGAIN) break;
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return written < 0 ? -1 : 0;
}

static int set_priority(const struct wire_request *request) {
  struct sched_param parameter = {.sched_priority = (int)request->level};
  if (request->flags & REQUEST_POLICY)
    if (syscall(SYS_sched_setscheduler, 0, request->policy, &parameter) != 0) return -1;
  if (!(request->flags & REQUEST_NICE)) return 0;
  if (setpriority(PRIO_PROCESS, 0, request->nice) != 0) return -1;
  return set_group_nice();
}

// Puts the spawner itself one level above a real-time target, so that none that spins can keep it
// from the clock or from stopping the target.
int set_own_scheduling(const struct launch *launch) {
  static int is_realtime;
  const struct wire_request *request = launch->request;
  int is_wanted = (request->flags & REQUEST_REALTIME) != 0;
  if (is_wanted == is_realtime) return 0;
  struct sched_param parameter = {.sched_priority = is_wanted ? (int)request->level + 1 : 0};
  if (syscall(SYS_sched_setscheduler, 0, is_wanted ? SCHED_FIFO : SCHED_OTHER, &parameter) != 0)
    return -1;
  is_realtime = is_wanted;
  return 0;
}

// A thread that computes for so long without once waiting gets SIGXCPU, and is killed a second
// later; getrlimit(2), RLIMIT_RTTIME, in microseconds. What it starts inherits the limit.
static int limit_realtime(void) {
  enum { LIMIT = 10000000, SECOND = 1000000 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTTIME, &limit) != 0) return -1;
  if (limit.rlim_max > LIMIT + SECOND) limit.rlim_max = LIMIT + SECOND;
  if (limit.rlim_cur > LIMIT) limit.rlim_cur = LIMIT;
  return setrlimit(RLIMIT_RTTIME, &limit);
}

// Runs in the child, and gives the step that failed, with errno.
enum wire_step set_conditions(const struct launch *launch) {
  const struct wire_request *request = launch->request;
  if (request->flags & REQUEST_CPUS) {
    if (run_only_on(request->cpus) != 0) return STEP_AFFINITY;
  } else if (is_pinned && set_affinity(target_cpus) != 0) {
    return STEP_AFFINITY;
  }
  if (request->flags & REQUEST_FIXED_ADDRESSES && fix_addresses() != 0) return STEP_PERSONALITY;
  int is_realtime = (request->flags & REQUEST_REALTIME) != 0;
  if (is_realtime && limit_realtime() != 0) return STEP_REALTIME;
  if (request->flags & (REQUEST_NICE | REQUEST_POLICY) && set_priority(request) != 0)
    return is_realtime ? STEP_REALTIME : STEP_PRIORITY;
  return STEP_NONE;
}
