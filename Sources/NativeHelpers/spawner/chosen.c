// The peak memory of one program of the launch, which is not the one that was launched.
//
// While it lives its executable is a link in /proc. What has ended is known by the statistics that the
// kernel sends of every thread that exits, Documentation/accounting/taskstats.rst: they take
// CAP_NET_ADMIN and the first process and user namespaces.
#define _GNU_SOURCE
#include "chosen.h"

#include "processes.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { EXIT_LIMIT = 1 << 12, BUFFER_SIZE = 8 << 20 };

static struct exit {
  pid_t process, parent;
  int64_t peak;  // of the chosen program; 0 of others
} exits[EXIT_LIMIT];

static int exit_socket = -1;
static int exit_error;
static struct stat chosen_file;

int has_chosen(const struct launch *launch) { return *launch->chosen_name != 0; }

static const char *last_component(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int is_chosen(const struct launch *launch, pid_t pid) {
  if (!has_chosen(launch)) return 0;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/%d/exe", pid);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strcmp(path, launch->chosen_path) == 0 ||
         strcmp(last_component(path), launch->chosen_name) == 0;
}

// A message of one attribute for a generic family; genetlink(7) is not written, see linux/genetlink.h.
static int ask(uint16_t family, uint8_t command, uint16_t attribute, const char *value, size_t size) {
  struct {
    struct nlmsghdr header;
    struct genlmsghdr generic;
    struct nlattr attribute;
    char value[1024];
  } message = {.header = {.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
               .generic = {.cmd = command, .version = 1},
               .attribute = {.nla_type = attribute}};
  if (size > sizeof message.value) return errno = E2BIG, -1;
  memcpy(message.value, value, size);
  message.attribute.nla_len = (uint16_t)(sizeof message.attribute + size);
  message.header.nlmsg_len =
      (uint32_t)(offsetof(typeof(message), value) + NLA_ALIGN(size));
  return send(exit_socket, &message, message.header.nlmsg_len, 0) < 0 ? -1 : 0;
}

static const struct nlattr *next_attribute(const struct nlattr *attribute, const char *end) {
  const char *next = (const char *)attribute + NLA_ALIGN(attribute->nla_len);
  int has_room = attribute->nla_len >= sizeof *attribute && next + sizeof *attribute <= end;
  return has_room ? (const struct nlattr *)next : NULL;
}

// The first attribute of a kind in a region, if all of it is there.
static const struct nlattr *find(const char *begin, const char *end, uint16_t kind) {
  const struct nlattr *at = begin + sizeof *at <= end ? (const struct nlattr *)begin : NULL;
  for (; at; at = next_attribute(at, end))
    if (at->nla_type == kind && (const char *)at + at->nla_len <= end) return at;
  return NULL;
}

// The number of the family of statistics; -1 where the kernel has none.
static int find_family(void) {
  if (ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME,
          sizeof TASKSTATS_GENL_NAME) != 0)
    return -1;
  _Alignas(8) static char answer[4096];
  ssize_t size = recv(exit_socket, answer, sizeof answer, 0);
  const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
  if (size < (ssize_t)NLMSG_LENGTH(GENL_HDRLEN) || header->nlmsg_type == NLMSG_ERROR)
    return errno = ENOENT, -1;
  const struct nlattr *number =
      find((const char *)NLMSG_DATA(header) + GENL_HDRLEN, answer + size, CTRL_ATTR_FAMILY_ID);
  // Its acknowledgement comes last.
  char rest[1024];
  recv(exit_socket, rest, sizeof rest, MSG_DONTWAIT);
  if (!number) return errno = ENOENT, -1;
  return *(const uint16_t *)(number + 1);
}

static int listen_to_exits(void) {
  char cpus[512];
  int family = find_family();
  int length = read_file("/sys/devices/system/cpu/possible", cpus, sizeof cpus);
  if (family < 0 || length <= 0) return -1;
  cpus[strcspn(cpus, "\n")] = 0;
  if (ask((uint16_t)family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus,
          strlen(cpus) + 1) != 0)
    return -1;
  _Alignas(8) char answer[1024];
  if (recv(exit_socket, answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)))
    return -1;
  const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
  if (header->nlmsg_type != NLMSG_ERROR) return 0;
  errno = -((const struct nlmsgerr *)NLMSG_DATA(header))->error;
  return errno ? -1 : 0;
}

static void discard_exits(void) {
  _Alignas(8) char message[1024];
  while (recv(exit_socket, message, sizeof message, MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
    continue;
}

// Listens from the first launch with a chosen program on.
void open_exits(const struct launch *launch) {
  if (stat(launch->chosen_path, &chosen_file) != 0) memset(&chosen_file, 0, sizeof chosen_file);
  if (exit_socket >= 0) return discard_exits();
  if (exit_error) return;
  exit_socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
  int size = BUFFER_SIZE;
  if (exit_socket >= 0) setsockopt(exit_socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  if (exit_socket >= 0 && listen_to_exits() == 0) return;
  exit_error = errno;
  if (exit_socket >= 0) close(exit_socket);
  exit_socket = -1;
}

static int is_chosen_exit(const struct launch *launch, const struct taskstats *ended) {
  dev_t device = makedev((unsigned)(ended->ac_exe_dev >> 8 & 0xfff),
                         (unsigned)(ended->ac_exe_dev & 0xff) |
                             (unsigned)(ended->ac_exe_dev >> 12 & 0xfff00));
  if (ended->ac_exe_inode && ended->ac_exe_inode == chosen_file.st_ino &&
      device == chosen_file.st_dev)
    return 1;
  // The name of a task is the beginning of that of its executable, unless it takes another.
  return strncmp(ended->ac_comm, launch->chosen_name, 15) == 0;
}

static unsigned read_exits(const struct launch *launch, int *error) {
  unsigned count = 0;
  _Alignas(8) static char message[4096];
  for (;;) {
    ssize_t size = recv(exit_socket, message, sizeof message, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == ENOBUFS) {
      *error = ENOBUFS;
      continue;
    }
    if (size < (ssize_t)NLMSG_LENGTH(GENL_HDRLEN)) return count;
    const char *begin = (const char *)NLMSG_DATA((const struct nlmsghdr *)message) + GENL_HDRLEN;
    const struct nlattr *both = find(begin, message + size, TASKSTATS_TYPE_AGGR_PID);
    const struct nlattr *found =
        both ? find((const char *)(both + 1), (const char *)both + both->nla_len,
                    TASKSTATS_TYPE_STATS)
             : NULL;
    // Kernels before 5.18 do not tell the process of a thread, nor its executable.
    if (!found || found->nla_len < sizeof *found + sizeof(struct taskstats)) continue;
    struct taskstats ended;
    memcpy(&ended, found + 1, sizeof ended);
    if (count == EXIT_LIMIT) {
      *error = ENOBUFS;
      continue;
    }
    exits[count++] = (struct exit){
        .process = (pid_t)ended.ac_tgid,
        .parent = (pid_t)ended.ac_ppid,
        .peak = is_chosen_exit(launch, &ended) ? (int64_t)ended.hiwater_rss * 1024 : 0,
    };
  }
}

// The largest peak of the processes of the launch that ran the chosen program and have ended, or 0
// with the reason that there is none.
int64_t chosen_exit_peak(const struct launch *launch, int *error) {
  *error = exit_error ? exit_error : ESRCH;
  if (exit_socket < 0) return 0;
  unsigned count = read_exits(launch, error);
  const struct process *living;
  unsigned living_count = find_descendants(&living);
  // A process belongs to the launch when its parent does; parents may end before their children.
  unsigned known = 0;
  int64_t peak = 0;
  for (unsigned before = ~0U; before != known;) {
    before = known;
    for (unsigned index = known; index < count; index++) {
      struct exit ended = exits[index];
      int belongs = ended.process == launch->pid || ended.parent == getpid() ||
                    ended.parent == launch->pid;
      for (unsigned other = 0; !belongs && other < known; other++)
        belongs = exits[other].process == ended.parent || exits[other].process == ended.process;
      for (unsigned other = 0; !belongs && other < living_count; other++)
        belongs = living[other].pid == ended.parent || living[other].pid == ended.process;
      if (!belongs) continue;
      if (ended.peak > peak) peak = ended.peak;
      exits[index] = exits[known];
      exits[known++] = ended;
    }
  }
  return peak;
}
