// What a launch used besides time.
#define _GNU_SOURCE
#include "figures.h"

#include "chosen.h"
#include "processes.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What a living process used before it became the target, and so does not count.
static const struct rusage *usage_before(const struct launch *launch, pid_t pid) {
  static const struct rusage none;
  return pid == launch->pid ? &launch->before_exec : &none;
}

static int64_t nanoseconds(struct timeval time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

static void raise_to(int64_t *figure, int64_t value) {
  if (value > *figure) *figure = value;
}

static void add_rusage(int64_t *figures, const struct rusage *usage) {
  raise_to(&figures[FIGURE_PEAK_RSS_TREE], usage->ru_maxrss * 1024);
  figures[FIGURE_MINOR_FAULTS] += usage->ru_minflt;
  figures[FIGURE_MAJOR_FAULTS] += usage->ru_majflt;
  figures[FIGURE_VOLUNTARY] += usage->ru_nvcsw;
  figures[FIGURE_INVOLUNTARY] += usage->ru_nivcsw;
  figures[FIGURE_USER_TIME] += nanoseconds(usage->ru_utime);
  figures[FIGURE_SYSTEM_TIME] += nanoseconds(usage->ru_stime);
  figures[FIGURE_BYTES_READ] += usage->ru_inblock * 512LL;
}

// Takes the peak of the chosen program in place of that of the launched process: the largest of its
// processes that live, and of those that have ended.
static void take_chosen_peak(struct launch *launch, int64_t living) {
  if (!has_chosen(launch)) return;
  int error = 0;
  int64_t peak = chosen_exit_peak(launch, &error);
  if (living > peak) peak = living;
  launch->result.figures[FIGURE_PEAK_RSS] = peak;
  launch->result.figure_errors[FIGURE_PEAK_RSS] = peak > 0 ? 0 : error;
}

// The usage that wait4(2) gives contains that of the children which the process has waited for.
void take_exit_figures(struct launch *launch) {
  int64_t *figures = launch->result.figures;
  add_rusage(figures, &launch->main_usage);
  add_rusage(figures, &launch->orphan_usage);
  figures[FIGURE_PEAK_RSS] = launch->main_usage.ru_maxrss * 1024;
  take_chosen_peak(launch, 0);
  launch->result.flags |= RESULT_WAITED_CHILDREN;
}

static int64_t field_after(const char *text, const char *name) {
  const char *line = strstr(text, name);
  return line ? atoll(line + strlen(name)) : 0;
}

static int read_of(pid_t pid, const char *name, char *buffer, unsigned size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return read_file(path, buffer, size);
}

static void miss(struct launch *launch, int first, int last, int code) {
  for (int figure = first; figure <= last; figure++)
    launch->result.figure_errors[figure] = code ? code : EIO;
}

// The CPU time of a process is exact, its two parts are counted in ticks: split as the kernel
// splits it for getrusage, kernel/sched/cputime.c, cputime_adjust().
static void add_times(struct launch *launch, pid_t pid, int64_t user, int64_t system) {
  int64_t *figures = launch->result.figures;
  clockid_t clock;
  struct timespec exact;
  int64_t ticks = user + system;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &exact) != 0)
    return miss(launch, FIGURE_USER_TIME, FIGURE_SYSTEM_TIME, errno);
  const struct rusage *before = usage_before(launch, pid);
  int64_t total = exact.tv_sec * 1000000000LL + exact.tv_nsec - nanoseconds(before->ru_utime) -
                  nanoseconds(before->ru_stime);
  int64_t system_part = ticks > 0 ? (int64_t)((double)total * (double)system / (double)ticks) : 0;
  figures[FIGURE_SYSTEM_TIME] += system_part;
  figures[FIGURE_USER_TIME] += total - system_part;
}

static void add_stat(struct launch *launch, pid_t pid) {
  char buffer[1024];
  const char *fields = stat_fields(pid, buffer, sizeof buffer);
  long long minor, waited_minor, major, waited_major, user, system, waited_user, waited_system;
  if (!fields ||
      sscanf(fields, "%*c %*d %*d %*d %*d %*d %*u %lld %lld %lld %lld %lld %lld %lld %lld", &minor,
             &waited_minor, &major, &waited_major, &user, &system, &waited_user,
             &waited_system) != 8) {
    miss(launch, FIGURE_MINOR_FAULTS, FIGURE_MAJOR_FAULTS, errno);
    return miss(launch, FIGURE_USER_TIME, FIGURE_SYSTEM_TIME, errno);
  }
  int64_t *figures = launch->result.figures;
  int64_t tick = 1000000000LL / sysconf(_SC_CLK_TCK);
  const struct rusage *before = usage_before(launch, pid);
  figures[FIGURE_MINOR_FAULTS] += minor + waited_minor - before->ru_minflt;
  figures[FIGURE_MAJOR_FAULTS] += major + waited_major - before->ru_majflt;
  figures[FIGURE_USER_TIME] += waited_user * tick;
  figures[FIGURE_SYSTEM_TIME] += waited_system * tick;
  if (waited_minor > 0) launch->result.flags |= RESULT_WAITED_CHILDREN;
  add_times(launch, pid, user, system);
}

struct switches {
  int64_t voluntary, involuntary;
};

static struct switches switches_in(const char *status) {
  return (struct switches){field_after(status, "\nvoluntary_ctxt_switches:"),
                           field_after(status, "\nnonvoluntary_ctxt_switches:")};
}

// The status of a process counts the switches of its first thread only, so that each thread has
// to be read. Those of threads that have ended are not to be had.
static struct switches switches_of_threads(pid_t pid) {
  struct switches sum = {0};
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *threads = opendir(path);
  if (!threads) return sum;
  struct dirent *entry;
  while ((entry = readdir(threads))) {
    char name[32], buffer[4096];
    int thread = atoi(entry->d_name);
    snprintf(name, sizeof name, "task/%d/status", thread);
    if (thread <= 0 || read_of(pid, name, buffer, sizeof buffer) < 0) continue;
    struct switches more = switches_in(buffer);
    sum.voluntary += more.voluntary;
    sum.involuntary += more.involuntary;
  }
  closedir(threads);
  return sum;
}

static void add_status(struct launch *launch, pid_t pid, int64_t *chosen) {
  char buffer[4096];
  int64_t *figures = launch->result.figures;
  // A process that is ending has no memory any more, and so no line for it.
  errno = ESRCH;
  if (read_of(pid, "status", buffer, sizeof buffer) < 0 || !strstr(buffer, "VmHWM:")) {
    if (pid == launch->pid) miss(launch, FIGURE_PEAK_RSS, FIGURE_PEAK_RSS, errno);
    miss(launch, FIGURE_PEAK_RSS_TREE, FIGURE_PEAK_RSS_TREE, errno);
    return miss(launch, FIGURE_VOLUNTARY, FIGURE_INVOLUNTARY, errno);
  }
  int64_t peak = field_after(buffer, "VmHWM:") * 1024;
  if (pid == launch->pid) figures[FIGURE_PEAK_RSS] = peak;
  raise_to(&figures[FIGURE_PEAK_RSS_TREE], peak);
  if (is_chosen(launch, pid)) raise_to(chosen, peak);
  int is_single = field_after(buffer, "\nThreads:") == 1;
  struct switches switches = is_single ? switches_in(buffer) : switches_of_threads(pid);
  const struct rusage *before = usage_before(launch, pid);
  figures[FIGURE_VOLUNTARY] += switches.voluntary - before->ru_nvcsw;
  figures[FIGURE_INVOLUNTARY] += switches.involuntary - before->ru_nivcsw;
}

static void add_io(struct launch *launch, pid_t pid) {
  char buffer[512];
  if (read_of(pid, "io", buffer, sizeof buffer) < 0)
    return miss(launch, FIGURE_BYTES_READ, FIGURE_BYTES_READ, errno);
  launch->result.figures[FIGURE_BYTES_READ] +=
      field_after(buffer, "\nread_bytes:") - usage_before(launch, pid)->ru_inblock * 512LL;
}

// The threads of a process that run or wait for a processor.
static int runnable_threads(pid_t pid) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *threads = opendir(path);
  if (!threads) return 0;
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(threads))) {
    char name[32], buffer[1024];
    int thread = atoi(entry->d_name);
    snprintf(name, sizeof name, "task/%d/stat", thread);
    if (thread <= 0 || read_of(pid, name, buffer, sizeof buffer) < 0) continue;
    const char *end = strrchr(buffer, ')');
    count += end && end[1] == ' ' && end[2] == 'R';
  }
  closedir(threads);
  return count;
}

// Threads of one real-time level do not give way to each other.
static void note_crowd(struct launch *launch, int runnable) {
  cpu_set_t cpus;
  if (sched_getaffinity(launch->pid, sizeof cpus, &cpus) != 0) return;
  if (runnable > CPU_COUNT(&cpus)) launch->result.flags |= RESULT_CROWDED;
}

static int is_realtime(const struct launch *launch) {
  return (launch->request->flags & REQUEST_REALTIME) != 0;
}

// What is looked for in each living process besides its own figures.
struct living {
  int runnable;         // threads
  int64_t chosen_peak;  // of the chosen program
};

static void add_process(struct launch *launch, pid_t pid, struct living *living) {
  add_status(launch, pid, &living->chosen_peak);
  add_stat(launch, pid);
  add_io(launch, pid);
  if (is_realtime(launch)) living->runnable += runnable_threads(pid);
}

// With a cgroup its members are the tree, and nothing has to be searched.
static int add_members(struct launch *launch, struct living *living) {
  static char text[64 << 10];
  ssize_t count = members < 0 ? -1 : pread(members, text, sizeof text - 1, 0);
  // A list that does not fit is left to the search.
  if (count <= 0 || count == sizeof text - 1) return 0;
  text[count] = 0;
  pid_t self = getpid();
  for (char *cursor = text; *cursor;) {
    pid_t pid = (pid_t)strtol(cursor, &cursor, 10);
    if (pid > 0 && pid != self) add_process(launch, pid, living);
    if (*cursor == '\n') cursor++;
  }
  return 1;
}

// Reads the living tree, and adds what was reaped of it.
void take_live_figures(struct launch *launch) {
  int64_t *figures = launch->result.figures;
  reap(launch);
  if (!launch->main_alive) {
    figures[FIGURE_PEAK_RSS] = launch->main_usage.ru_maxrss * 1024;
    add_rusage(figures, &launch->main_usage);
    launch->result.flags |= RESULT_WAITED_CHILDREN;
  }
  add_rusage(figures, &launch->orphan_usage);
  struct living living = {0};
  if (!add_members(launch, &living)) {
    const struct process *found;
    unsigned count = find_descendants(&found);
    for (unsigned index = 0; index < count; index++)
      add_process(launch, found[index].pid, &living);
  }
  take_chosen_peak(launch, living.chosen_peak);
  if (is_realtime(launch)) note_crowd(launch, living.runnable);
}
