// A POSIX extended regular expression, matched against the lines of a stream.
#include "spawner.h"

#include <regex.h>
#include <string.h>

enum { LINE_LIMIT = 64 << 10 };

static regex_t expression;
static int is_open;
static char line[LINE_LIMIT + 1];  // always ends with a NUL byte, for tools that look for one
static uint32_t length;
static int is_cut;  // the line began before `line` does

int open_pattern(const char *pattern) {
  length = 0;
  is_cut = 0;
  is_open = regcomp(&expression, pattern, REG_EXTENDED) == 0;
  return is_open ? 0 : -1;
}

void close_pattern(void) {
  if (is_open) regfree(&expression);
  is_open = 0;
}

// A `$` matches at the end of a line only once the line has ended: "ready" may yet become
// "ready to fail".
static int matches(int has_ended) {
  uint32_t count = length;
  if (has_ended && count > 0 && line[count - 1] == '\r') count--;
  regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)count};
  int flags = REG_STARTEND | (is_cut ? REG_NOTBOL : 0) | (has_ended ? 0 : REG_NOTEOL);
  return regexec(&expression, line, 1, &range, flags) == 0;
}

// Makes room in a full line by forgetting its older half.
static void cut(void) {
  memmove(line, line + LINE_LIMIT / 2, LINE_LIMIT / 2);
  length = LINE_LIMIT / 2;
  is_cut = 1;
}

static void end_line(void) {
  length = 0;
  is_cut = 0;
}

int match(const uint8_t *bytes, uint32_t count) {
  while (count > 0) {
    const uint8_t *newline = memchr(bytes, '\n', count);
    uint32_t piece = newline ? (uint32_t)(newline - bytes) : count;
    uint32_t room = LINE_LIMIT - length;
    uint32_t taken = piece < room ? piece : room;
    memcpy(line + length, bytes, taken);
    length += taken;
    int has_ended = newline && taken == piece;
    if (matches(has_ended)) return 1;
    if (has_ended) end_line();
    if (length == LINE_LIMIT) cut();
    uint32_t used = taken + (has_ended ? 1 : 0);
    bytes += used;
    count -= used;
  }
  return 0;
}

int match_end(void) { return length > 0 && matches(1); }
