// The pattern of an output condition, matched against the lines of a stream.
//
// launchlab compiles a POSIX extended regular expression to steps; all paths through them are
// followed at once, so that each byte costs as much as the pattern is long at most, and none is
// looked at again, however long its line is.
#include "match.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_LIMIT = 1000, SET_SIZE = 32 };

// What follows the place between two bytes, when that is no byte.
enum { UNKNOWN = -1, LINE_END = -2 };

struct move {
  char kind;  // '/' goes on at both targets, 's' passes a byte of its set, 'm' is the match;
              // the others are assertions
  uint16_t targets[2];
};

static struct move steps[STEP_LIMIT];
static uint8_t sets[STEP_LIMIT][SET_SIZE];
static int step_count;

static uint16_t behind[STEP_LIMIT];  // the steps that follow the bytes so far
static int behind_count;
static uint16_t waiting[STEP_LIMIT];  // those of kind 's' that are reached from these
static int waiting_count;
static uint32_t reached[STEP_LIMIT];  // the last round in which each was reached
static uint32_t round_number;

static int last_byte;  // of the line; -1 at its beginning
static int has_return;  // a carriage return came that may belong to the line end

static int digit(char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; }

static const char *read_step(const char *text, struct move *step, uint8_t *set) {
  *step = (struct move){.kind = *text++};
  if (step->kind == 's') {
    if (strlen(text) < 2 * SET_SIZE) return NULL;
    for (int index = 0; index < SET_SIZE; index++, text += 2)
      set[index] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
  }
  if (step->kind == '/') {
    for (int index = 0; index < 2; index++) {
      char *end;
      unsigned long target = strtoul(text, &end, 10);
      if (target >= STEP_LIMIT || !*end) return NULL;
      step->targets[index] = (uint16_t)target;
      text = end + 1;
    }
  }
  return text;
}

static void begin_line(void) {
  behind_count = 0;
  last_byte = -1;
  has_return = 0;
}

int open_pattern(const char *text) {
  begin_line();
  step_count = 0;
  while (text && *text && step_count < STEP_LIMIT) {
    text = read_step(text, &steps[step_count], sets[step_count]);
    step_count++;
  }
  int is_whole = text && !*text && step_count > 0 && steps[step_count - 1].kind == 'm';
  for (int index = 0; index < step_count; index++)
    if (steps[index].targets[0] >= step_count || steps[index].targets[1] >= step_count) is_whole = 0;
  return is_whole ? 0 : -1;
}

static int is_word(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (byte >= 'a' && byte <= 'z');
}

static int holds(char assertion, int next) {
  int after = is_word(last_byte), before = is_word(next);
  switch (assertion) {
  case '^': return last_byte < 0;
  case '$': return next == LINE_END;
  case 'b': return after != before;
  case 'B': return after == before;
  case '<': return !after && before;
  case '>': return after && !before;
  default: return 0;
  }
}

// Follows the steps that pass no byte; true when one of them is the match.
static int reach(int next) {
  static uint16_t pending[2 * STEP_LIMIT + 2];
  int count = 0;
  // A match may begin at every byte.
  pending[count++] = 0;
  if (++round_number == 0) memset(reached, 0, sizeof reached);
  waiting_count = 0;
  for (int index = -1; index < behind_count; index++) {
    if (index >= 0) pending[count++] = behind[index];
    while (count > 0) {
      uint16_t number = pending[--count];
      if (reached[number] == round_number) continue;
      reached[number] = round_number;
      const struct move *step = &steps[number];
      if (step->kind == 'm') return 1;
      if (step->kind == 's') {
        waiting[waiting_count++] = number;
      } else if (step->kind == '/') {
        pending[count++] = step->targets[0];
        pending[count++] = step->targets[1];
      } else if (holds(step->kind, next)) {
        pending[count++] = (uint16_t)(number + 1);
      }
    }
  }
  return 0;
}

static int pass(uint8_t byte) {
  if (reach(byte)) return 1;
  behind_count = 0;
  for (int index = 0; index < waiting_count; index++)
    if (sets[waiting[index]][byte >> 3] >> (byte & 7) & 1)
      behind[behind_count++] = (uint16_t)(waiting[index] + 1);
  last_byte = byte;
  return 0;
}

// Whether the line matches as far as it came. A `$` holds at the end of a line only once the line
// has ended: "ready" may yet become "ready to fail".
static int matches_so_far(void) {
  if (!has_return) return last_byte >= 0 && reach(UNKNOWN);
  if (reach(UNKNOWN)) return 1;
  // What comes next says whether the carriage return belongs to the line.
  static uint16_t kept[STEP_LIMIT];
  int kept_count = behind_count, kept_byte = last_byte;
  memcpy(kept, behind, sizeof kept);
  int is_match = pass('\r') || reach(UNKNOWN);
  memcpy(behind, kept, sizeof kept);
  behind_count = kept_count;
  last_byte = kept_byte;
  return is_match;
}

int match(const uint8_t *bytes, uint32_t count) {
  for (uint32_t index = 0; index < count; index++) {
    uint8_t byte = bytes[index];
    if (byte == '\n') {
      if (reach(LINE_END)) return 1;
      begin_line();
      continue;
    }
    if (has_return && pass('\r')) return 1;
    has_return = byte == '\r';
    if (!has_return && pass(byte)) return 1;
  }
  return matches_so_far();
}

int match_end(void) { return (last_byte >= 0 || has_return) && reach(LINE_END); }
