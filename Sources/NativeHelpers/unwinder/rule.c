#include "rule.h"

#include "profile_wire.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Where the value of a register of the caller is.
struct value {
  enum {
    UNDEFINED,
    SAME,
    AT_FRAME,        // in memory at the frame's address plus the offset
    FRAME_PLUS,      // the frame's address plus the offset itself
    REGISTER_PLUS,   // a register plus the offset
    AT_EXPRESSION,   // in memory where an expression says
    IS_EXPRESSION,
  } kind;
  unsigned number;  // of the register
  int64_t offset;
  const Dwarf_Op *operations;
  size_t operation_count;
};

struct rule {
  struct value frame;  // the canonical frame address: the stack pointer before the call
  struct value registers[REGISTER_COUNT];
  int return_address;
  int is_signal;
};

// MARK: - Making

static struct value expression(const Dwarf_Op *operations, size_t count) {
  int is_value = count > 0 && operations[count - 1].atom == DW_OP_stack_value;
  return (struct value){
    .kind = is_value ? IS_EXPRESSION : AT_EXPRESSION,
    .operations = operations,
    .operation_count = count - (size_t)is_value,
  };
}

// The usual kinds are told from expressions, which are slow, and whose operations must be kept.
static struct value register_value(const Dwarf_Op *operations, size_t count, const Dwarf_Op *own) {
  if (count == 0) {
    return (struct value){.kind = operations == NULL ? SAME : UNDEFINED};
  }
  if (operations != own) {
    return expression(operations, count);
  }
  if (operations[0].atom == DW_OP_regx || operations[0].atom < DW_OP_breg0) {
    unsigned number = operations[0].atom == DW_OP_regx ? (unsigned)operations[0].number
                                                       : operations[0].atom - (unsigned)DW_OP_reg0;
    return (struct value){.kind = REGISTER_PLUS, .number = number};
  }
  int64_t offset = 0;
  if (count > 1 && operations[1].atom == DW_OP_plus_uconst) {
    offset = (int64_t)operations[1].number;
  }
  int is_value = operations[count - 1].atom == DW_OP_stack_value;
  return (struct value){.kind = is_value ? FRAME_PLUS : AT_FRAME, .offset = offset};
}

static int make_frame_value(struct rule *rule, Dwarf_Frame *frame, int *keeps_frame) {
  Dwarf_Op *operations = NULL;
  size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0) {
    return -1;
  }
  if (count == 1 && operations[0].atom == DW_OP_bregx) {
    rule->frame = (struct value){
      .kind = REGISTER_PLUS,
      .number = (unsigned)operations[0].number,
      .offset = (int64_t)operations[0].number2,
    };
    return 0;
  }
  rule->frame = expression(operations, count);
  rule->frame.kind = IS_EXPRESSION;
  *keeps_frame = 1;
  return 0;
}

struct rule *rule_make(Dwarf_Frame *frame) {
  struct rule *rule = calloc(1, sizeof *rule);
  int keeps_frame = 0;
  bool is_signal = false;
  if (rule == NULL || make_frame_value(rule, frame, &keeps_frame) != 0) {
    free(rule);
    free(frame);
    return NULL;
  }
  rule->return_address = dwarf_frame_info(frame, NULL, NULL, &is_signal);
  rule->is_signal = is_signal;
  for (int number = 0; number < REGISTER_COUNT; number++) {
    Dwarf_Op own[3], *operations = NULL;
    size_t count = 0;
    if (dwarf_frame_register(frame, number, own, &operations, &count) == 0) {
      rule->registers[number] = register_value(operations, count, own);
    }
  }
  if (!keeps_frame) {
    free(frame);
  }
  return rule;
}

int rule_is_signal(const struct rule *rule) {
  return rule->is_signal;
}

// MARK: - Applying

int read_stack(const struct thread_state *state, uint64_t address, uint64_t *word) {
  uint64_t offset = address - state->stack_start;
  if (address < state->stack_start || state->stack_size < sizeof *word
    || offset > state->stack_size - sizeof *word) {
    return -1;
  }
  memcpy(word, state->stack + offset, sizeof *word);
  return 0;
}

enum { EXPRESSION_DEPTH = 32 };

struct evaluation {
  uint64_t values[EXPRESSION_DEPTH];
  size_t depth;
};

static int push(struct evaluation *evaluation, uint64_t value) {
  if (evaluation->depth == EXPRESSION_DEPTH) {
    return -1;
  }
  evaluation->values[evaluation->depth++] = value;
  return 0;
}

// Operations that replace the two topmost values.
static int combine(struct evaluation *evaluation, int operation) {
  if (evaluation->depth < 2) {
    return -1;
  }
  uint64_t right = evaluation->values[--evaluation->depth];
  uint64_t *left = &evaluation->values[evaluation->depth - 1];
  switch (operation) {
    case DW_OP_plus: *left += right; return 0;
    case DW_OP_minus: *left -= right; return 0;
    case DW_OP_mul: *left *= right; return 0;
    case DW_OP_and: *left &= right; return 0;
    case DW_OP_or: *left |= right; return 0;
    case DW_OP_xor: *left ^= right; return 0;
    case DW_OP_shl: *left = right < 64 ? *left << right : 0; return 0;
    case DW_OP_shr: *left = right < 64 ? *left >> right : 0; return 0;
    case DW_OP_eq: *left = *left == right; return 0;
    case DW_OP_ne: *left = *left != right; return 0;
    case DW_OP_ge: *left = (int64_t)*left >= (int64_t)right; return 0;
    case DW_OP_gt: *left = (int64_t)*left > (int64_t)right; return 0;
    case DW_OP_le: *left = (int64_t)*left <= (int64_t)right; return 0;
    case DW_OP_lt: *left = (int64_t)*left < (int64_t)right; return 0;
    default: return -1;
  }
}

static int push_register(
  struct evaluation *evaluation, const struct thread_state *state, uint64_t number,
  uint64_t offset) {
  return number < REGISTER_COUNT ? push(evaluation, state->registers[number] + offset) : -1;
}

// What compilers, linkers and C libraries use; anything else is not understood.
static int evaluate_one(
  struct evaluation *evaluation, const Dwarf_Op *operation, const struct thread_state *state,
  uint64_t frame) {
  unsigned atom = operation->atom;
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
    return push(evaluation, atom - DW_OP_lit0);
  }
  if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
    return push_register(evaluation, state, atom - DW_OP_breg0, operation->number);
  }
  switch (atom) {
    case DW_OP_nop: return 0;
    case DW_OP_call_frame_cfa: return push(evaluation, frame);
    case DW_OP_bregx:
      return push_register(evaluation, state, operation->number, operation->number2);
    case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
    case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
    case DW_OP_constu: case DW_OP_consts:
      return push(evaluation, operation->number);
    default: break;
  }
  if (evaluation->depth == 0) {
    return -1;
  }
  uint64_t *top = &evaluation->values[evaluation->depth - 1];
  switch (atom) {
    case DW_OP_dup: return push(evaluation, *top);
    case DW_OP_deref: return read_stack(state, *top, top);
    case DW_OP_plus_uconst: *top += operation->number; return 0;
    case DW_OP_neg: *top = -*top; return 0;
    case DW_OP_not: *top = ~*top; return 0;
    default: return combine(evaluation, (int)atom);
  }
}

static int evaluate(
  const struct value *value, const struct thread_state *state, uint64_t frame, uint64_t *result) {
  struct evaluation evaluation = {.depth = 0};
  for (size_t index = 0; index < value->operation_count; index++) {
    if (evaluate_one(&evaluation, &value->operations[index], state, frame) != 0) {
      return -1;
    }
  }
  if (evaluation.depth == 0) {
    return -1;
  }
  *result = evaluation.values[evaluation.depth - 1];
  return 0;
}

// The value of a register; `frame` is the canonical frame address.
static int find(
  const struct value *value, const struct thread_state *state, uint64_t frame, uint64_t *result) {
  switch (value->kind) {
    case UNDEFINED: case SAME: return -1;
    case AT_FRAME: return read_stack(state, frame + (uint64_t)value->offset, result);
    case FRAME_PLUS: *result = frame + (uint64_t)value->offset; return 0;
    case REGISTER_PLUS:
      if (value->number >= REGISTER_COUNT) {
        return -1;
      }
      *result = state->registers[value->number] + (uint64_t)value->offset;
      return 0;
    case AT_EXPRESSION:
      return evaluate(value, state, frame, result) == 0 ? read_stack(state, *result, result) : -1;
    case IS_EXPRESSION: return evaluate(value, state, frame, result);
  }
  return -1;
}

// Pointers may be signed in their upper bits.
static uint64_t without_signature(uint64_t address) {
#if defined(__aarch64__)
  return address & 0xffffffffffff;
#else
  return address;
#endif
}

enum applied rule_apply(const struct rule *rule, struct thread_state *state) {
  int number = rule->return_address;
  if (number < 0 || number >= REGISTER_COUNT) {
    return NOT_APPLIED;
  }
  if (rule->registers[number].kind == UNDEFINED) {
    return OUTERMOST;
  }
  uint64_t frame = 0;
  if (find(&rule->frame, state, 0, &frame) != 0) {
    return NOT_APPLIED;
  }
  struct thread_state caller = *state;
  caller.registers[STACK_POINTER] = frame;
  for (int index = 0; index < REGISTER_COUNT; index++) {
    const struct value *value = &rule->registers[index];
    uint64_t found = 0;
    if (value->kind == UNDEFINED || value->kind == SAME) {
      continue;
    }
    if (find(value, state, frame, &found) == 0) {
      caller.registers[index] = found;
    } else if (index == number) {
      return NOT_APPLIED;
    }
  }
  uint64_t instruction = without_signature(caller.registers[number]);
  // A frame that neither takes stack nor leads elsewhere would go on for ever.
  if (frame <= state->registers[STACK_POINTER] && instruction == state->instruction) {
    return NOT_APPLIED;
  }
  caller.instruction = instruction;
  *state = caller;
  return APPLIED;
}

// MARK: - Registers of a sample

void state_set_registers(struct thread_state *state, const uint64_t *values) {
#if defined(__aarch64__)
  memcpy(state->registers, values, sizeof state->registers);
  state->instruction = values[32];
#else
  // The kernel's order: ax bx cx dx si di bp sp ip r8 to r15; that of DWARF is another.
  static const int numbers[PROFILE_REGISTER_COUNT] = {
    0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15,
  };
  for (int index = 0; index < PROFILE_REGISTER_COUNT; index++) {
    state->registers[numbers[index]] = values[index];
  }
  state->instruction = values[8];
#endif
}
