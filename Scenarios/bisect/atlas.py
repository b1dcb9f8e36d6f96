"""The sources of the atlas at one commit: a program whose launch costs what it is told to."""

import dataclasses
import functools
import pathlib
import random

KINDS = ("loop", "relocations", "file")
PROGRAM = pathlib.Path(__file__).with_name("program")
COLOURS = [f"{ten}{one}" for ten in range(1, 7) for one in range(10)]


@dataclasses.dataclass(frozen=True)
class State:
    """What differs between commits; `loop`, `relocations` and `file` are what a launch costs."""

    loop: int = 2000
    relocations: int = 3000
    file: int = 150_000
    commands: tuple = ("open", "find", "zoom", "print")
    chapters: tuple = ("Maps", "Places")
    broken: bool = False

    def costing(self, kind, units):
        return dataclasses.replace(self, **{kind: getattr(self, kind) + units})

    def commanding(self, name):
        return dataclasses.replace(self, commands=(*self.commands, name))


def files(state):
    """The paths and bytes of the checkout."""
    found = dict(program())
    found["rounds.h"] = f"#define INDEX_ROUNDS {state.loop}\n"
    found["colours.h"] = "".join(f"extern const int colour_{name};\n" for name in COLOURS)
    found["palette.inc"] = "".join(
        f"&colour_{COLOURS[row * 7 % len(COLOURS)]},\n" for row in range(state.relocations)
    )
    found["commands.c"] = commands(state)
    found["README.md"] = "# atlas\n\n" + "".join(f"* {name}\n" for name in state.chapters)
    found["data/atlas.conf"] = "".join(f"layer{number} = on\n" for number in range(40))
    found["data/places.txt"] = places(state.file)
    return {path: text.encode() for path, text in found.items()}


@functools.cache
def program():
    return {path.name: path.read_text() for path in sorted(PROGRAM.iterdir())}


def commands(state):
    lines = ["// The commands of the atlas.", '#include "atlas.h"', ""]
    for number, name in enumerate(state.commands):
        lines.append(f"static int {name}_{number}(int scale) {{ return scale * {number + 2}; }}")
    lines += ["", "static int (*const commands[])(int) = {"]
    lines += [f"    {name}_{number}," for number, name in enumerate(state.commands)]
    lines += ["};", "", "size_t count_commands(void) {"]
    # A call of something that does not exist yet, as when a change is committed half done.
    if state.broken:
        lines.append("  prepare_commands(map);")
    lines += ["  return sizeof commands / sizeof *commands;", "}", ""]
    return "\n".join(lines)


@functools.cache
def places(size):
    """So many bytes of names; a longer file begins like a shorter one."""
    generator = random.Random(7)
    syllables = ["ber", "lin", "os", "lo", "ro", "ma", "kyo", "to", "del", "hi", "quit", "li"]
    lines = []
    length = 0
    while length < size:
        line = "".join(generator.choices(syllables, k=3)).capitalize()
        lines.append(line)
        length += len(line) + 1
    return ("\n".join(lines) + "\n")[:size]
