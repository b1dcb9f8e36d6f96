// The streams of the target: made, drained, and kept in part.
#define _GNU_SOURCE
#include "output.h"

#include "match.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

enum {
  PIPE_SIZE = 1 << 20,
  CHUNK = 64 << 10,
  // A target that writes without end must not keep the spawner from its timeouts.
  CHUNKS_AT_ONCE = 16,
};

static _Alignas(4096) uint8_t chunk[CHUNK];
static _Alignas(4096) uint8_t heads[2][STREAM_LIMIT];
static _Alignas(4096) uint8_t tails[2][STREAM_LIMIT];
static uint32_t head_lengths[2];
static uint64_t tail_totals[2];

static int open_pipe(struct launch *launch, int stream) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  launch->streams[stream] = ends[0];
  launch->ends[stream] = ends[1];
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
  return 0;
}

// Output processing is off, so that the bytes arrive as they were written.
static int open_terminal(struct launch *launch) {
  int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) return -1;
  launch->streams[0] = master;
  begin_terminal();
  int unlocked = 0;
  if (ioctl(master, TIOCSPTLCK, &unlocked) != 0) return -1;
  int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return -1;
  launch->ends[0] = slave;
  launch->ends[1] = fcntl(slave, F_DUPFD_CLOEXEC, 0);
  struct termios settings;
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  if (launch->ends[1] < 0 || tcgetattr(slave, &settings) != 0) return -1;
  settings.c_oflag &= ~(tcflag_t)OPOST;
  ioctl(slave, TIOCSWINSZ, &size);
  return tcsetattr(slave, TCSANOW, &settings);
}

int open_streams(struct launch *launch) {
  for (int stream = 0; stream < 2; stream++) {
    head_lengths[stream] = 0;
    tail_totals[stream] = 0;
  }
  if (launch->request->flags & REQUEST_TTY) return open_terminal(launch);
  return open_pipe(launch, 0) == 0 ? open_pipe(launch, 1) : -1;
}

static void close_file(int *file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

// The target's ends stay open until here: a hang-up would wake the spawner just before the target
// has ended, and take time from its last moments.
void close_streams(struct launch *launch) {
  close_file(&launch->ends[0]);
  close_file(&launch->ends[1]);
  close_file(&launch->streams[0]);
  close_file(&launch->streams[1]);
}

// Closes the terminal, as a window is closed: the kernel sends SIGHUP, and reading finds the end.
void hang_up(struct launch *launch) {
  drain(launch, NULL);
  close_file(&launch->streams[0]);
}

static void keep(struct launch *launch, int stream, const uint8_t *bytes, uint32_t count) {
  launch->result.totals[stream] += count;
  uint32_t room = STREAM_LIMIT - head_lengths[stream];
  uint32_t first = count < room ? count : room;
  memcpy(heads[stream] + head_lengths[stream], bytes, first);
  head_lengths[stream] += first;
  launch->result.heads[stream] = head_lengths[stream];
  bytes += first;
  count -= first;
  uint32_t at = (uint32_t)(tail_totals[stream] % STREAM_LIMIT);
  tail_totals[stream] += count;
  if (tail_totals[stream] > STREAM_LIMIT) launch->result.flags |= RESULT_TRUNCATED;
  while (count > 0) {
    uint32_t piece = count < STREAM_LIMIT - at ? count : STREAM_LIMIT - at;
    memcpy(tails[stream] + at, bytes, piece);
    bytes += piece;
    count -= piece;
    at = 0;
  }
}

// A pipe that is nearly full was probably full, since writes need not fill its pages.
static void note_blocking(struct launch *launch, int stream) {
  int waiting = 0;
  if (ioctl(launch->streams[stream], FIONREAD, &waiting) != 0) return;
  if (waiting + CHUNK >= PIPE_SIZE / 4 * 3) launch->result.flags |= RESULT_BLOCKED;
}

static int is_matched(const struct launch *launch, int stream) {
  if (launch->request->ready.kind != READY_OUTPUT) return 0;
  int is_terminal = launch->request->flags & REQUEST_TTY;
  return stream == (is_terminal ? 0 : (int)launch->request->ready.stream);
}

static int drain_stream(struct launch *launch, int stream, int64_t *matched_at) {
  int matched = 0;
  for (int index = 0; index < CHUNKS_AT_ONCE && launch->streams[stream] >= 0; index++) {
    ssize_t count = read(launch->streams[stream], chunk, CHUNK);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    int matching = matched_at && !matched && is_matched(launch, stream);
    int64_t now = matching ? monotonic() : 0;
    if (count <= 0) {
      close_file(&launch->streams[stream]);
      break;
    }
    if (matching && match(chunk, (uint32_t)count)) {
      matched = 1;
      *matched_at = now;
    }
    if (launch->request->flags & REQUEST_TTY) hear_terminal(launch, chunk, (uint32_t)count);
    keep(launch, stream, chunk, (uint32_t)count);
    if (count < CHUNK) break;
    note_blocking(launch, stream);
  }
  return matched;
}

// Reads what is there; true when the pattern matched, with the instant when its bytes were read.
int drain(struct launch *launch, int64_t *matched_at) {
  int in_stdout = drain_stream(launch, 0, matched_at);
  int in_stderr = drain_stream(launch, 1, matched_at);
  return in_stdout || in_stderr;
}

// Whether the pattern matches what was kept of its stream.
int match_kept(const struct launch *launch) {
  int stream = launch->request->flags & REQUEST_TTY ? 0 : (int)launch->request->ready.stream;
  if (match(heads[stream], head_lengths[stream])) return 1;
  const uint8_t *pieces[2];
  uint32_t lengths[2];
  stream_tail(stream, pieces, lengths);
  return match(pieces[0], lengths[0]) || match(pieces[1], lengths[1]);
}

const uint8_t *stream_head(int stream) { return heads[stream]; }

// Gives the memory back, once the result is sent.
void forget_streams(void) {
  madvise(chunk, sizeof chunk, MADV_DONTNEED);
  madvise(heads, sizeof heads, MADV_DONTNEED);
  madvise(tails, sizeof tails, MADV_DONTNEED);
}

// The tail is a ring: its two pieces, the older first. Returns their length.
uint32_t stream_tail(int stream, const uint8_t *pieces[2], uint32_t lengths[2]) {
  pieces[0] = pieces[1] = tails[stream];
  lengths[0] = lengths[1] = 0;
  if (tail_totals[stream] <= STREAM_LIMIT) {
    lengths[0] = (uint32_t)tail_totals[stream];
    return lengths[0];
  }
  uint32_t at = (uint32_t)(tail_totals[stream] % STREAM_LIMIT);
  pieces[0] = tails[stream] + at;
  lengths[0] = STREAM_LIMIT - at;
  lengths[1] = at;
  return STREAM_LIMIT;
}
