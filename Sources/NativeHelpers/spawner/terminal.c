// The terminal of a target answers as xterm does, since many programs wait for that when they start.
//
// Sources: "XTerm Control Sequences" of xterm; the states are those of "A parser for DEC's
// ANSI-compatible video terminals" by Paul Williams. The position of the cursor is that of narrow
// characters and of the sequences that move it.
#define _GNU_SOURCE
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 80, TAB = 8, TEXT_LIMIT = 128 };

static enum { GROUND, ESCAPE, SEQUENCE, STRING, STRING_ESCAPE } state;
static char introducer;         // what follows ESC
static char text[TEXT_LIMIT];   // what follows that, as far as there is room, and a NUL byte
static unsigned length;
static unsigned row, column;

static char answer[2 * TEXT_LIMIT];
static unsigned answer_length;

void begin_terminal(void) {
  state = GROUND;
  row = column = 1;
}

static unsigned limited(unsigned number, unsigned limit) {
  return number < 1 ? 1 : number > limit ? limit : number;
}

static void add(const char *piece) {
  for (; *piece && answer_length < sizeof answer; piece++) answer[answer_length++] = *piece;
}

static void add_number(unsigned number) {
  char digits[11];
  put_number(digits, number);
  add(digits);
}

// The terminal does not wait: a target that reads nothing gets no more than there is room for.
static void reply(const struct launch *launch) {
  ssize_t written = write(launch->streams[0], answer, answer_length);
  (void)written;
  answer_length = 0;
}

static void say(const struct launch *launch, const char *piece) {
  add(piece);
  reply(launch);
}

static void leave_unanswered(struct launch *launch) {
  char *note = (char *)launch->result.unanswered, *end = note + QUERY_LIMIT - 1;
  if (*note) return;
  const char *pieces[] = {"ESC", (char[]){introducer, 0}, text};
  for (int index = 0; index < 3; index++)
    for (const char *piece = pieces[index]; *piece && note < end; piece++)
      *note++ = *piece >= ' ' && *piece <= '~' ? *piece : '.';
}

static void tell_position(const struct launch *launch, const char *prefix) {
  add(prefix);
  add_number(row);
  add(";");
  add_number(column);
  say(launch, "R");
}

// Modes that xterm knows are said to be off but for those of its start, and others to be unknown.
static void tell_mode(const struct launch *launch, const char *prefix, unsigned mode) {
  int is_known = mode < 2005, is_on = mode == 7 || mode == 25;
  add(prefix);
  add_number(mode);
  say(launch, !is_known ? ";0$y" : is_on ? ";1$y" : ";2$y");
}

static void tell_size(struct launch *launch, unsigned kind) {
  switch (kind) {
    case 14: return say(launch, "\033[4;312;480t");
    case 16: return say(launch, "\033[6;13;6t");
    case 18: return say(launch, "\033[8;24;80t");
    case 19: return say(launch, "\033[9;24;80t");
    case 11: case 13: case 15: case 20: case 21: return leave_unanswered(launch);
  }
}

static void move_cursor(char final, unsigned first, unsigned second) {
  unsigned by = first ? first : 1;
  switch (final) {
    case 'H': case 'f':
      row = limited(first, ROWS);
      column = limited(second, COLUMNS);
      break;
    case 'A': row = row > by ? row - by : 1; break;
    case 'B': row = limited(row + by, ROWS); break;
    case 'C': column = limited(column + by, COLUMNS); break;
    case 'D': column = column > by ? column - by : 1; break;
    case 'G': column = limited(first, COLUMNS); break;
    case 'd': row = limited(first, ROWS); break;
  }
}

static void take_sequence(struct launch *launch) {
  char final = text[length - 1], *rest = text;
  char prefix = strchr("<=>?", *rest) ? *rest++ : 0;
  unsigned first = (unsigned)strtoul(rest, &rest, 10), second = 0;
  if (*rest == ';') second = (unsigned)strtoul(rest + 1, &rest, 10);
  int has_dollar = *rest == '$';
  if (!prefix) move_cursor(final, first, second);
  if (final == 'c' && first == 0) {
    if (!prefix) say(launch, "\033[?64;1;2;6;9;15;16;17;18;21;22;28c");
    if (prefix == '>') say(launch, "\033[>41;379;0c");
    if (prefix == '=') say(launch, "\033P!|00000000\033\\");
  } else if (final == 'n' && !prefix && first == 5) {
    say(launch, "\033[0n");
  } else if (final == 'n' && first == 6 && (!prefix || prefix == '?')) {
    tell_position(launch, prefix ? "\033[?" : "\033[");
  } else if (final == 'n' && prefix != '>') {
    leave_unanswered(launch);
  } else if (final == 'q' && prefix == '>' && first == 0) {
    say(launch, "\033P>|XTerm(379)\033\\");
  } else if (final == 'p' && has_dollar) {
    tell_mode(launch, prefix ? "\033[?" : "\033[", first);
  } else if (final == 't' && !prefix) {
    tell_size(launch, first);
  } else if (final == 'u' && prefix == '?') {
    leave_unanswered(launch);
  }
}

static void take_color_query(struct launch *launch, const char *end) {
  int is_background = text[1] == '1';
  if (strlen(text) != 4 || text[0] != '1' || text[1] > '2') return leave_unanswered(launch);
  add("\033]1");
  add((char[]){text[1], 0});
  add(is_background ? ";rgb:ffff/ffff/ffff" : ";rgb:0000/0000/0000");
  say(launch, end);
}

static void take_setting_query(const struct launch *launch) {
  const char *setting = text + 2;
  if (strcmp(setting, "m") == 0) return say(launch, "\033P1$r0m\033\\");
  if (strcmp(setting, " q") == 0) return say(launch, "\033P1$r2 q\033\\");
  if (strcmp(setting, "r") == 0) return say(launch, "\033P1$r1;24r\033\\");
  if (strcmp(setting, "\"p") == 0) return say(launch, "\033P1$r64;1\"p\033\\");
  say(launch, "\033P0$r\033\\");
}

static void take_string(struct launch *launch, const char *end) {
  const char *question = strstr(text, ";?");
  if (introducer == ']' && question && !question[2]) return take_color_query(launch, end);
  if (introducer == 'P' && strncmp(text, "$q", 2) == 0) return take_setting_query(launch);
  if (introducer == 'P' && strncmp(text, "+q", 2) == 0) {
    add("\033P0+r");
    add(text + 2);
    return say(launch, "\033\\");
  }
  if (introducer == '_' && *text == 'G' && strstr(text, "a=q")) leave_unanswered(launch);
}

static void put(uint8_t byte) {
  switch (byte) {
    case '\r': column = 1; return;
    case '\n': row = limited(row + 1, ROWS); return;
    case '\b': column = limited(column - 1, COLUMNS); return;
    case '\t': column = limited((column + TAB - 1) / TAB * TAB + 1, COLUMNS); return;
  }
  if (byte < ' ' || (byte & 0xc0) == 0x80 || column++ < COLUMNS) return;
  column = 2;
  row = limited(row + 1, ROWS);
}

static void keep(uint8_t byte) {
  if (length + 1 < sizeof text) text[length++] = (char)byte;
  text[length] = 0;
}

static void begin_text(uint8_t byte) {
  introducer = (char)byte;
  length = 0;
  text[0] = 0;
  if (byte == '[') {
    state = SEQUENCE;
  } else if (byte && strchr("]P_^X", byte)) {
    state = STRING;
  } else if (byte < ' ' || byte > '/') {
    state = GROUND;
  }
}

static void take(struct launch *launch, uint8_t byte) {
  if (state == STRING_ESCAPE) {
    state = ESCAPE;
    if (byte == '\\') {
      state = GROUND;
      return take_string(launch, "\033\\");
    }
  }
  if (byte == 033) {
    state = state == STRING ? STRING_ESCAPE : ESCAPE;
    return;
  }
  switch (state) {
    case GROUND: return put(byte);
    case ESCAPE: return begin_text(byte);
    case SEQUENCE:
      if (byte < ' ') return put(byte);
      keep(byte);
      if (byte < '@') return;
      state = GROUND;
      return take_sequence(launch);
    case STRING:
      if (byte != '\a') return keep(byte);
      state = GROUND;
      return take_string(launch, "\a");
    case STRING_ESCAPE: return;
  }
}

// Answers what was asked in the output that was just read.
void hear_terminal(struct launch *launch, const uint8_t *bytes, uint32_t count) {
  for (uint32_t index = 0; index < count; index++) take(launch, bytes[index]);
}
