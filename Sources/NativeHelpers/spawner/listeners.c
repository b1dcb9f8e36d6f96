// Who listens on a TCP port, asked of the kernel without touching the server; sock_diag(7).
#define _GNU_SOURCE
#include "listeners.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static _Alignas(16) char buffer[16 << 10];

// Belongs to the network namespace that it was made in; -1 until it is needed.
static int file = -1;

void forget_listeners(void) {
  if (file >= 0) close(file);
  file = -1;
}

static int diagnose(int family, uint16_t port) {
  if (file < 0) file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (file < 0) return -1;
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } message = {
      .header = {.nlmsg_len = sizeof message,
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
      .request = {.sdiag_family = (uint8_t)family,
                  .sdiag_protocol = IPPROTO_TCP,
                  .idiag_states = 1 << TCP_LISTEN,
                  .id = {.idiag_sport = htons(port)}},
  };
  return send(file, &message, sizeof message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

// Whether a listener at an address takes connections to the requested one: the same address, or
// the wildcard of its family, or of IPv6 for both.
static int takes(const struct wire_condition *ready, const struct inet_diag_msg *listener) {
  static const uint8_t wildcard[16];
  const uint8_t *source = (const uint8_t *)listener->id.idiag_src;
  if (ntohs(listener->id.idiag_sport) != ready->port) return 0;
  if (listener->idiag_family == ready->family) {
    size_t size = ready->family == AF_INET6 ? 16 : 4;
    return memcmp(source, wildcard, size) == 0 || memcmp(source, ready->address, size) == 0;
  }
  if (listener->idiag_family != AF_INET6) return 0;
  if (memcmp(source, wildcard, 16) == 0) return 1;
  static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return memcmp(source, mapped, 12) == 0 && memcmp(source + 12, ready->address, 4) == 0;
}

// 1 found, 0 not, -1 unknown. Reads to the end of the dump, so that the next one starts clean.
static int read_dump(const struct wire_condition *ready, uint64_t *inode) {
  int found = 0;
  for (;;) {
    ssize_t count = recv(file, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -1;
    unsigned left = (unsigned)count;
    for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_type == NLMSG_DONE) return found;
      if (header->nlmsg_type == NLMSG_ERROR) return -1;
      const struct inet_diag_msg *listener = NLMSG_DATA(header);
      if (header->nlmsg_len < NLMSG_LENGTH(sizeof *listener) || !takes(ready, listener)) continue;
      *inode = listener->idiag_inode;
      found = 1;
    }
  }
}

// 1 when somebody listens where the request says, 0 when nobody does, -1 when it cannot be told.
int find_listener(const struct wire_condition *ready, uint64_t *inode) {
  static const int families[] = {AF_INET, AF_INET6};
  int unknown = 0;
  for (int index = ready->family == AF_INET6 ? 1 : 0; index < 2; index++) {
    int is_asked = diagnose(families[index], (uint16_t)ready->port) == 0;
    int found = is_asked ? read_dump(ready, inode) : -1;
    if (found > 0) return 1;
    // A kernel without IPv6 has no such listeners.
    if (found < 0 && families[index] == (int)ready->family) unknown = 1;
  }
  return unknown ? -1 : 0;
}
