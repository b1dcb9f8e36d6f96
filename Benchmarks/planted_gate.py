#!/usr/bin/env python3
"""Plants known changes into a program in a git repository, and scores what `launchlab gate` says of them.

usage: planted_gate.py [--launchlab FILE] [--seed N] [--kinds K,K] [--repeat N] [--neutral N]
                       [--load] [--max-time DURATION] [--keep]

Each case is a repository with a C++ program, two libraries of its own and a plug-in, and a commit on top
that plants one change, whose names, size and place are drawn from the seed. A case counts as right when
the first finding that is not `passed` has the rule of what was planted and names it, and the exit code is
1, or 0 for a library that is gone. `--neutral N` makes N changes that change nothing of a launch: the gate
must pass them. `--load` keeps two processes busy meanwhile; `--keep` keeps the repositories, with what
the gate said in .git/gate.json.

Prints a line per case, and the score. Exits with 1 when one case is not right.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from planted_reasons import VERBS, WORDS, spin_rate

MARKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/LaunchMarks/include/launch_marks.h")

COMMON = r"""#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <string>
#include "launch_marks.h"

__attribute__((noinline, unused)) static uint64_t spin(uint64_t n) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < n; i++) {
    x = x * 6364136223846793005ULL + 1;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}
"""
INCLUDE = '#include "common.h"\n'

MAIN = r"""#include "common.h"
#include <dlfcn.h>
#include <stdio.h>

%s
int main() {
  void *plug = dlopen("./libplug.so", RTLD_NOW);
  if (!plug) return 1;
  uint64_t sum = ((uint64_t (*)())dlsym(plug, "%s"))();
%s  launch_run_phase("first screen");
  printf("%%d\n", sum == 0);
  return 0;
}
"""

SCENARIO = """scenario: demo
source: {repository: ., build: make}
targets:
  app:
    command: [./app]
    files: [libplug.so]
states: [warm]
"""

# The first finding of a planted change must have this rule.
KINDS = {
    "new_library": "libraries",
    "new_transitive_library": "libraries",
    "library_dropped": "libraries",
    "new_initializer": "initializers",
    "moved_initializer": "initializers",
    "new_task": "tasks",
    "relocations": "relocations",
    "mapped": "mapped",
    "opened_files": "files",
    "processes": "processes",
    "instructions": "instructions",
    "time": "launch",
}


class Case:
    """A program: its files, and which of them each linked object is made of."""

    def __init__(self, seed, rate):
        self.draw, self.rate, self.used = random.Random(seed), rate, set()
        self.files = {"common.h": COMMON, "scenario.yml": SCENARIO, "notes.txt": "a note\n"}
        with open(MARKS) as file:
            self.files["launch_marks.h"] = file.read()
        counts = {"plug": 1, "own": self.draw.randint(2, 3), "helper": 2, "app": self.draw.randint(2, 3)}
        self.rounds = int(self.draw.uniform(3, 5) * 1e6 * rate)
        self.share = self.rounds // sum(counts.values())
        self.objects = {name: [] for name in counts}
        self.libs = {name: ["own", "helper"] if name == "app" else [] for name in counts}
        self.functions, self.globals = {}, {}  # by file
        for name, count in counts.items():
            for index in range(count):
                self.add_source(name, 0 if index == 1 else self.draw.randint(1, 2), self.share)
        first = {name: [self.functions[file][0] for file in files] for name, files in self.objects.items()}
        calls = first["app"] + first["own"] + first["helper"]
        self.draw.shuffle(calls)
        declared = "".join(f'extern "C" uint64_t {name}(void);\n' for name in calls)
        self.files["main.cc"] = MAIN % (declared, first["plug"][0], "".join(f"  sum += {name}();\n" for name in calls))
        self.write_makefile()

    def name(self):
        name = f"{self.draw.choice(VERBS)}_{self.draw.choice(WORDS)}"
        if name in self.used:
            return self.name()
        self.used.add(name)
        return name

    def add_source(self, target, objects, rounds):
        """Adds a file with global objects, a local function and two others, and gives its name."""
        stem, local, first, second, value = (self.name() for _ in range(5))
        file, names = f"{stem}.cc", [self.name() for _ in range(objects)]
        statics = "".join(
            f'{self.draw.choice(["", "static "])}std::string {name}("the {name} of a program");\n' for name in names
        )
        sizes = "".join(f" + {name}.size()" for name in names)
        self.files[file] = (
            f"// What {stem} is about.\n{INCLUDE}\n{statics}\n"
            f"static uint64_t {local}(uint64_t count) {{\n"
            f"  uint64_t {value} = spin(count);\n  return {value}{sizes};\n}}\n\n"
            f'extern "C" uint64_t {first}(void) {{\n  // It takes a while.\n  return {local}({rounds});\n}}\n\n'
            f'extern "C" uint64_t {second}(void) {{\n  return {local}(7) + 1;\n}}\n'
        )
        self.functions[file], self.globals[file] = [first, second], names
        self.objects[target].append(file)
        return file

    def write_makefile(self):
        text = "CXX = g++\nCXXFLAGS = -g -O1\nLIBFLAGS = -shared -fPIC\n\nall: app libplug.so\n"
        for name, sources in self.objects.items():
            target, flags, sources = f"lib{name}.so", "$(LIBFLAGS)", " ".join(sources)
            if name == "app":
                target, flags, sources = name, "", f"main.cc {sources}"
            needs = " ".join(f"lib{lib}.so" for lib in self.libs[name] if lib in self.objects)
            libs = " ".join(["-L. -Wl,--no-as-needed"] + [f"-l{lib}" for lib in self.libs[name]])
            text += f"\n{target}: {sources} common.h {needs}\n"
            text += f"\t$(CXX) $(CXXFLAGS) {flags} -o $@ {sources} {libs} -Wl,-rpath,'$$ORIGIN'\n"
        self.files["Makefile"] = text

    def place(self, kinds=(False, True)):
        """A file whose function is run at start-up; of `kinds`, by whether it has global objects."""
        files = [file for files in self.objects.values() for file in files]
        return self.draw.choice([file for file in files if bool(self.globals[file]) in kinds])

    def insert(self, file, definition, statement):
        """Adds a definition behind the includes, and a statement to the function that is called."""
        opening = f"uint64_t {self.functions[file][0]}(void) {{\n"
        text = self.files[file].replace(INCLUDE, f"{INCLUDE}\n{definition}\n", 1)
        self.files[file] = text.replace(opening, f"{opening}  {statement}\n")

    def run(self, body):
        """Adds a function that is run at start-up."""
        name = self.name()
        self.insert(self.place(), f"__attribute__((noinline)) static void {name}() {{\n  {body}\n}}", f"{name}();")

    def add_library(self, user):
        """Links a new library of the program, or now and then one of the system."""
        if self.draw.random() < 0.3:
            name = "resolv"
        else:
            name = self.name()
            self.objects = {name: [], **self.objects}
            self.libs[name] = []
            function = self.functions[self.add_source(name, self.draw.randint(0, 2), 100)][0]
            declared = f'extern "C" uint64_t {function}(void);'
            self.insert(self.draw.choice(self.objects[user]), declared, f"if ({function}() == 0) return 0;")
        self.libs[user].append(name)
        self.write_makefile()
        return [f"lib{name}.so"]

    # The planted changes. Each gives words, of which the finding must have one.

    def new_library(self):
        return self.add_library("app")

    def new_transitive_library(self):
        return self.add_library("own")

    def library_dropped(self):
        return self.add_library("app")  # base and head are exchanged

    def new_initializer(self):
        file, name = self.place([False]), self.name()
        definition = f'{self.draw.choice(["", "static "])}std::string {name}("a text that is long enough");'
        self.insert(file, definition, f"if ({name}.empty()) return 0;")
        return [file, name] + self.functions[file]

    def moved_initializer(self):
        file = self.draw.choice([file for file in self.objects["own"] if self.globals[file]])
        self.objects["own"].remove(file)
        self.objects["helper"].append(file)
        self.write_makefile()
        return [file] + self.globals[file] + self.functions[file]

    def new_task(self):
        name, phase = self.name(), self.draw.choice(["pre_main", "first screen"])
        task = f'LAUNCH_TASK("{phase}", {name}) {{\n  if (spin({self.share // 50}) == 0) _exit(1);\n}}'
        self.files[self.place()] += f"\n{task}\n"
        return [name]

    def relocations(self):
        file, name = self.place(), self.name()
        rows = [f'"{name} {number}"' for number in range(self.draw.randint(480, 560))]
        if self.draw.random() < 0.5:
            rows = [f"(const char *)&{self.draw.choice(self.functions[file])}" for _ in rows]
        self.files[file] += f"\nconst char *{name}[] = {{\n  " + ",\n  ".join(rows) + "};\n"
        return ["relocations"]

    def mapped(self):
        size = self.draw.randint(1900, 2300) << 10
        file = self.draw.choice(self.objects["app"])
        self.files[file] += f"\nextern const unsigned char {self.name()}[{size}] = {{1, 2, 3}};\n"
        return ["map"]

    def opened_files(self):
        several = '("/proc/self/fd/" + std::to_string(i)).c_str()'
        path = self.draw.choice(['"notes.txt"', 'i % 2 ? "notes.txt" : "Makefile"', several])
        self.run(f"for (int i = 0; i < 30; i++) close(open({path}, O_RDONLY | O_CLOEXEC));")
        return ["open"]

    def processes(self):
        self.run(
            'pid_t child;\n  char path[] = "/bin/true", *arguments[] = {path, nullptr};\n'
            "  if (posix_spawn(&child, path, nullptr, nullptr, arguments, environ) == 0) waitpid(child, nullptr, 0);"
        )
        return ["programs"]

    def instructions(self):
        """A round has five instructions, and launches have some four million others."""
        rounds = int(self.draw.uniform(0.03, 0.035) * (self.rounds + 800_000))
        self.run(f"if (spin({rounds}) == 0) _exit(1);")
        return ["instructions"]

    def time(self):
        wanted = int(self.draw.uniform(0.2, 0.25) * (self.rounds / self.rate + 1.5e6))
        self.run(f"struct timespec pause = {{0, {wanted}}};\n  nanosleep(&pause, nullptr);")
        return ["launch"]

    # What neutral changes are made of.

    def rename(self, old, new):
        for file in self.files:
            self.files[file] = re.sub(rf"\b{re.escape(old)}\b", new, self.files[file])

    def rename_file(self, file):
        self.files[f"other_{file}"] = self.files.pop(file)
        self.rename(file, f"other_{file}")

    def reorder(self, file):
        """Exchanges the two functions that other files can call."""
        *parts, first, second = self.files[file].rstrip().split("\n\n")
        self.files[file] = "\n\n".join(parts + [second, first]) + "\n"


def edit(pattern, replacement, count=1, file=None):
    def change(case, place):
        case.files[file or place] = re.sub(pattern, replacement, case.files[file or place], count=count, flags=re.M)

    return change


LOCAL = r"^static uint64_t (\w+)\(uint64_t count\)"
# Changes that change nothing of a launch, of a case and one of its files.
NEUTRAL = {
    "comment on top": edit(r"\A", "// Written by hand.\n//\n// And read by many.\n\n"),
    "comment in functions": edit(r"^(  return .*)$", r"  // The result is of no use.\n\1", 0),
    "comments removed": edit(r"^ *//.*\n", "", 0),
    "comment in the header": edit(r"^(  uint64_t x = 1;)", r"  // A chain.\n\1", file="common.h"),
    "comment in the Makefile": edit(r"\A", "# How it is built.\n", file="Makefile"),
    "variable of the Makefile": edit(r"^(CXXFLAGS =.*) -O1", r"LEVEL = -O1\n\1 $(LEVEL)", file="Makefile"),
    "local variable renamed": edit(r"\w+ = (spin\(count\);\n  return )\w+", r"renamed = \1renamed"),
    "parameter renamed": edit(r"\bcount\b", "number", 0),
    "functions in another order": lambda case, _: case.reorder(case.place([False])),
    "functions and objects in another order": lambda case, _: case.reorder(case.place([True])),
    "local function renamed": lambda case, file: case.rename(re.search(LOCAL, case.files[file], re.M)[1], case.name()),
    "function renamed": lambda case, file: case.rename(case.functions[file][0], case.name()),
    "object renamed": lambda case, _: case.rename(case.globals[case.place([True])][0], case.name()),
    "namespace": edit(LOCAL + r" \{\n(.*\n)+?\}", lambda found: "namespace {\n" + found[0][7:] + "\n}"),
    "tabs": edit(r"^  ", "\t", 0),
    "braces on lines of their own": edit(r"\) \{$", ")\n{", 0),
    "blank lines": edit(r"^(extern .*)$", r"\n\n\1", 0),
    "file renamed": Case.rename_file,
    "file that is not linked": lambda case, file: case.files.update({f"test_{file}": case.files[file]}),
    "readme": lambda case, _: case.files.update({"README.md": f"{case.name()}\n"}),
    "function that nobody calls": edit(r"\Z", '\nextern "C" uint64_t nobody(void) {\n  return spin(12345);\n}\n'),
    "constant with a name": edit(r"(^extern .*\n  return \w+)\(7\)", r"static constexpr int few = 7;\n\n\1(few)"),
    "typedef": edit(r"^static uint64_t", "using Sum = uint64_t;\n\nstatic Sum"),
    "order of includes": edit(r"^(#include <fcntl.h>\n)(#include <spawn.h>\n)", r"\2\1", file="common.h"),
}


def commit(directory, files, subject):
    for path in os.listdir(directory):
        if path != ".git":
            os.remove(os.path.join(directory, path))
    for path, text in files.items():
        with open(os.path.join(directory, path), "w") as file:
            file.write(text)
    git = ["git", "-C", directory, "-c", "user.email=a@example.org", "-c", "user.name=a"]
    for command in (["add", "-A"], ["commit", "-q", "-m", subject]):
        subprocess.run(git + command, check=True)


def gate(options, directory):
    command = [options.launchlab, "gate", "HEAD~1..HEAD", "scenario.yml", "--json", "-", "--wait", "10m"]
    command += ["--max-time", options.max_time]
    environment = {**os.environ, "LAUNCHLAB_STATE_DIR": options.state}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1, 125) or not done.stdout:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-400:]}")
    with open(os.path.join(directory, ".git", "gate.json"), "w") as file:
        file.write(done.stdout)
    return json.loads(done.stdout)


def is_named(document, kind, words):
    """Whether the first finding is what was planted."""
    first = next((finding for finding in document["findings"] if finding["verdict"] != "passed"), None)
    if not first or first["rule"] != KINDS[kind]:
        return False
    is_gone = kind == "library_dropped"
    if document["exit_code"] != (0 if is_gone else 1) or is_gone and first["change"] != "gone":
        return False
    return any(word in f"{first['item']} {first['name']}" for word in words)


def run_case(options, seed, kind, is_neutral=False):
    """Gives whether the gate said what it must say."""
    directory = tempfile.mkdtemp(prefix="planted-gate-")
    began = time.monotonic()
    try:
        case = Case(seed, options.rate)
        trees = [dict(case.files), case.files]
        if is_neutral:
            NEUTRAL[kind](case, case.place())
        else:
            words = getattr(case, kind)()
        assert trees[0] != trees[1], f"{kind} changed nothing"
        subprocess.run(["git", "init", "-q", "-b", "main", directory], check=True)
        for tree, subject in zip(trees[::-1] if kind == "library_dropped" else trees, ("Begin", kind)):
            commit(directory, tree, subject)
        document = gate(options, directory)
        said = [finding for finding in document["findings"] if finding["verdict"] != "passed"]
        if is_neutral:
            is_right = document["exit_code"] == 0 and all(finding["verdict"] == "remark" for finding in said)
        else:
            is_right = is_named(document, kind, words)
        texts = [f"{finding['rule']} {finding['verdict']} {finding['item']} {finding['change']}" for finding in said]
        print(
            f"{'ok ' if is_right else 'BAD'} {kind:<38} seed {seed:<6} {time.monotonic() - began:3.0f} s "
            f"exit {document['exit_code']:<3} {'; '.join(texts[:4]) or 'nothing'}",
            flush=True,
        )
        return is_right
    finally:
        if options.keep:
            print(f"    {directory}", flush=True)
        else:
            shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--launchlab", default=".build/release/launchlab")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--neutral", type=int, default=0)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--max-time", default="60s")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.launchlab = os.path.abspath(options.launchlab)
    options.state = tempfile.mkdtemp(prefix="planted-gate-state-")
    options.rate = spin_rate()
    kinds = [kind for kind in options.kinds.split(",") if kind] * options.repeat
    changes = random.Random(options.seed).sample(list(NEUTRAL), len(NEUTRAL))
    right = clean = 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * options.load)]
    try:
        for index, kind in enumerate(kinds):
            right += run_case(options, options.seed * 1000 + index, kind)
        for number in range(options.neutral):
            clean += run_case(options, options.seed * 1000 + 500 + number, changes[number % len(changes)], True)
    finally:
        for process in busy:
            process.kill()
            process.wait()
        shutil.rmtree(options.state, ignore_errors=True)
    print(f"first finding right: {right} of {len(kinds)}")
    print(f"neutral changes passed: {clean} of {options.neutral}")
    return 0 if right == len(kinds) and clean == options.neutral else 1


if __name__ == "__main__":
    sys.exit(main())
