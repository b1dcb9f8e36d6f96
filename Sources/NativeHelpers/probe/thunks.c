// A thunk passes its number to run_initializer as the fourth argument, and its own three on.
#include "probe.h"

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

#if defined(__x86_64__)
#define THUNK_SIZE 10
#define THUNK "mov $probe_number, %ecx\n jmp run_initializer\n"
#elif defined(__aarch64__)
#define THUNK_SIZE 8
#define THUNK "mov w3, #probe_number\n b run_initializer\n"
#endif

// In a section of its own no assembler can shorten the jump, so that all thunks have one size;
// `.org` fails if they have a larger one.
__asm__(".pushsection .text.probe_thunks, \"ax\", %progbits\n"
        ".p2align 6\n"
        ".globl probe_thunks\n"
        ".hidden probe_thunks\n"
        "probe_thunks:\n"
        ".set probe_number, 0\n"
        ".rept " TEXT(PROBE_THUNKS) "\n" THUNK ".set probe_number, probe_number + 1\n"
        ".endr\n"
        ".org probe_thunks + " TEXT(PROBE_THUNKS) " * " TEXT(THUNK_SIZE) "\n"
        ".popsection\n");

extern const char probe_thunks[];

uintptr_t thunk(uint32_t number) { return (uintptr_t)probe_thunks + number * THUNK_SIZE; }
