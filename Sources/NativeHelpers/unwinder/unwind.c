// Each frame is undone by the rules that compilers write for every instruction, .eh_frame. libdw
// reads them, which takes some microseconds, so that rules are kept by instruction: launches of one
// program are at the same ones again and again, and where a file is mapped does not matter for it.
//
// Where there are no rules, such as for code that is compiled while the program runs, the chain of
// frame pointers is followed, as long as it leads to code.
#include "unwind.h"

#include "rule.h"

#include <stdlib.h>
#include <string.h>

// What is known of an instruction.
struct place {
  struct code code;
  uint32_t function;   // its number plus 1; 0 as long as nobody asked
  int has_rule;
  struct rule *rule;  // NULL where there is none
};

struct unwinder {
  struct answer *answer;
  struct modules *modules;
  uint32_t in_no_file;
  struct place *places;  // by hash; as many as a power of two
  size_t place_count;
  size_t used_places;
};

// MARK: - Places

static size_t hash_of(struct code code) {
  uint64_t hash = ((uint64_t)(uintptr_t)code.module >> 4) + code.address * 0x9e3779b97f4a7c15;
  return (size_t)(hash ^ hash >> 29);
}

static struct place *slot_of(const struct unwinder *unwinder, struct code code) {
  size_t at = hash_of(code) & (unwinder->place_count - 1);
  for (;; at = (at + 1) & (unwinder->place_count - 1)) {
    struct place *place = &unwinder->places[at];
    int is_same = place->code.module == code.module && place->code.address == code.address;
    if (place->code.module == NULL || is_same) {
      return place;
    }
  }
}

static void make_places(struct unwinder *unwinder) {
  struct unwinder old = *unwinder;
  unwinder->place_count = old.place_count > 0 ? old.place_count * 2 : 1 << 14;
  unwinder->places = calloc(unwinder->place_count, sizeof *unwinder->places);
  if (unwinder->places == NULL) {
    _Exit(3);
  }
  for (size_t index = 0; index < old.place_count; index++) {
    if (old.places[index].code.module != NULL) {
      *slot_of(unwinder, old.places[index].code) = old.places[index];
    }
  }
  free(old.places);
}

// It is valid until the next one is asked for.
static struct place *place_of(struct unwinder *unwinder, struct code code) {
  if (unwinder->used_places * 2 >= unwinder->place_count) {
    make_places(unwinder);
  }
  struct place *place = slot_of(unwinder, code);
  if (place->code.module == NULL) {
    place->code = code;
    unwinder->used_places++;
  }
  return place;
}

static uint32_t function_at(struct unwinder *unwinder, struct place *place) {
  if (place->function == 0) {
    place->function = module_function(unwinder->modules, place->code) + 1;
  }
  return place->function - 1;
}

static const struct rule *rule_at(struct unwinder *unwinder, struct place *place) {
  if (!place->has_rule) {
    Dwarf_Frame *frame = module_frame(unwinder->modules, place->code);
    place->has_rule = 1;
    place->rule = frame != NULL ? rule_make(frame) : NULL;
  }
  return place->rule;
}

// MARK: - Steps

// The chain of frame pointers: the one before, and above it where its function goes on.
static int follow_frame_pointer(struct thread_state *state) {
  uint64_t frame = state->registers[FRAME_POINTER], before, instruction;
  if (frame < state->registers[STACK_POINTER] || frame % 8 != 0
    || read_stack(state, frame, &before) != 0 || read_stack(state, frame + 8, &instruction) != 0
    || process_mapping(state->process, instruction - 1) == NULL) {
    return -1;
  }
  state->registers[FRAME_POINTER] = before;
  state->registers[STACK_POINTER] = frame + 16;
  state->instruction = instruction;
  return 0;
}

// Small functions in assembler, such as `_init`, have little or nothing on the stack above where
// their callers go on.
static int return_from_top(struct thread_state *state) {
  for (uint64_t words = 0; words < 2; words++) {
    uint64_t instruction, address = state->registers[STACK_POINTER] + 8 * words;
    if (read_stack(state, address, &instruction) != 0) {
      return -1;
    }
    const struct mapping *mapping = process_mapping(state->process, instruction - 1);
    if (mapping != NULL && mapping->module != NULL) {
      state->registers[STACK_POINTER] = address + 8;
      state->instruction = instruction;
      return 0;
    }
  }
  return -1;
}

// Functions that start programs and threads, and that some C libraries have no rules for.
static int is_start(const char *name) {
  static const char *const starts[] = {
    "_start", "_start_c", "_dlstart", "_dlstart_c", "_dl_start_user", "__libc_start_main",
    "libc_start_main_stage2", "clone", "__clone", "clone3", "__clone3", "start_thread", "start",
  };
  for (size_t index = 0; index < sizeof starts / sizeof *starts; index++) {
    if (strcmp(name, starts[index]) == 0) {
      return 1;
    }
  }
  return 0;
}

// Whether nobody has called the function that was found last. The caller of `main` is the C
// library, whatever is called so there.
static int is_outermost(const struct unwinder *unwinder, const struct stack *stack) {
  for (size_t back = 1; back <= 2 && back <= stack->count; back++) {
    uint32_t function = stack->functions[stack->count - back];
    const char *name = text_of(unwinder->answer, function_name(unwinder->answer, function));
    if (back == 1 ? is_start(name) : strcmp(name, "main") == 0) {
      return 1;
    }
  }
  return 0;
}

enum step { CALLER, ROOT, NO_CALLER };

// Goes to the caller of the function that was found last, which is in a file.
static enum step step_by_place(
  struct unwinder *unwinder, struct thread_state *state, struct place *place,
  const struct stack *stack, int *is_exact) {
  const struct rule *rule = rule_at(unwinder, place);
  if (rule != NULL) {
    enum applied applied = rule_apply(rule, state);
    *is_exact = rule_is_signal(rule);
    return applied == APPLIED ? CALLER : applied == OUTERMOST ? ROOT : NO_CALLER;
  }
  *is_exact = 0;
  if (is_entry(place->code) || is_outermost(unwinder, stack)) {
    return ROOT;
  }
  return follow_frame_pointer(state) == 0 || return_from_top(state) == 0 ? CALLER : NO_CALLER;
}

struct unwinder *unwinder_open(struct answer *answer, struct modules *modules) {
  struct unwinder *unwinder = calloc(1, sizeof *unwinder);
  if (unwinder != NULL) {
    unwinder->answer = answer;
    unwinder->modules = modules;
    uint32_t nowhere = text_number(answer, "");
    unwinder->in_no_file = function_number(answer, nowhere, text_number(answer, "[code in no file]"));
  }
  return unwinder;
}

void unwind(
  struct unwinder *unwinder, const struct thread_state *initial, int is_whole,
  struct stack *stack) {
  struct thread_state state = *initial;
  // Whether the instruction is where a function is, rather than where it goes on after a call.
  int is_exact = 1;
  stack->count = 0;
  stack->is_cut = 1;
  while (stack->count < FUNCTION_LIMIT) {
    uint64_t address = state.instruction - !is_exact;
    const struct mapping *mapping = process_mapping(state.process, address);
    // Outside of all code: a jump to nowhere, or a wrong turn.
    if (mapping == NULL) {
      return;
    }
    enum step step;
    if (mapping->module == NULL) {
      stack->functions[stack->count++] = unwinder->in_no_file;
      is_exact = 0;
      step = is_whole && follow_frame_pointer(&state) == 0 ? CALLER : NO_CALLER;
    } else {
      const struct code code = {mapping->module, address - mapping->bias};
      struct place *place = place_of(unwinder, code);
      stack->functions[stack->count++] = function_at(unwinder, place);
      step = is_whole ? step_by_place(unwinder, &state, place, stack, &is_exact) : NO_CALLER;
    }
    if (step != CALLER || state.instruction == 0) {
      stack->is_cut = step == NO_CALLER;
      return;
    }
  }
}
