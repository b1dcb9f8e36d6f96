#!/usr/bin/env python3
"""Plants known reasons into programs, and scores what `launchlab explain` says of them.

usage: planted_reasons.py [--launchlab FILE] [--seed N] [--kinds K,K] [--repeat N] [--twins N]
                          [--pairs N] [--keep] [--time DURATION] [--collector NAME] [--user ID]

Each case is a pair of C, C++, Rust or Swift programs that differ by one planted reason, whose kind, size,
names, language, place, threads and way of linking are drawn from the seed. A case counts as right when
the first reason names what was planted; where its time is planted as well, it is exact when what is
attributed to it is within 15 % or 0.1 ms of that. `--pairs N` plants two reasons at once, 60 to 40;
`--twins N` compares programs with themselves and with rebuilt twins, of which nothing may be said.
`--user ID` explains as that user, who has no rights; `--collector NAME` is passed on. Kinds that a
timeline by ptrace does not show are left out then, and 85 % of the others suffice.

Prints a line per case, and the score. Exits with 1 when a bar is missed.
"""
import argparse
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

WORDS = (
    "cache index catalog plugin theme font schema profile session token channel widget locale "
    "registry journal palette cursor layout policy bundle manifest device codec keyring"
).split()
VERBS = "load scan build warm check open fetch init merge verify parse resolve prepare restore".split()

PRELUDE = r"""
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static volatile uint64_t sink;
static inline __attribute__((always_inline)) void spin(uint64_t n) {
  uint64_t x = sink | 1;
  for (uint64_t i = 0; i < n; i++) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
  sink = x;
}
static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
#define STEP __attribute__((noinline, used)) static void
"""


class Case:
    """One pair of programs, with what the first reason must name."""

    def __init__(self, kind, generator, directory, spin_rate):
        self.kind = kind
        self.draw = generator
        self.directory = directory
        self.rate = spin_rate
        self.taken = set()
        self.expected = []
        self.helpers = []
        self.options = []
        self.declarations = ""
        self.wanted = None
        self.planted_time = None

    def name(self):
        while True:
            name = f"{self.draw.choice(VERBS)}_{self.draw.choice(WORDS)}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def size(self, low, high):
        """A time in milliseconds, drawn unless one is wanted."""
        self.planted_time = round(self.wanted or self.draw.uniform(low, high), 3)
        return self.planted_time

    def loops(self, milliseconds):
        return int(milliseconds * 1e6 * self.rate)

    def path(self, name):
        return os.path.join(self.directory, name)


# Each planter gives the body of the planted function, and says what may be named besides it.


def own_code(case):
    return f"spin({case.loops(case.size(0.4, 5))});"


def existing_function(case):
    case.planted = case.steps[0]
    return f"{case.steps[0]}();"


def many_files(case):
    place = case.path(case.name())
    os.makedirs(place)
    count = case.draw.randint(60, 200)
    for number in range(count):
        with open(f"{place}/{number}.conf", "w") as file:
            file.write("x" * 200)
    case.expected.append(os.path.basename(place))
    return f"""char path[300], text[256];
  for (int i = 0; i < {count}; i++) {{
    snprintf(path, sizeof path, "{place}/%d.conf", i);
    int f = open(path, O_RDONLY);
    if (f >= 0) {{ sink += read(f, text, sizeof text); close(f); }}
  }}"""


def sleeping(case):
    case.expected.append("clock_nanosleep")
    return f"struct timespec t = {{0, {int(case.size(1, 8) * 1e6)}}}; nanosleep(&t, 0);"


def polling(case):
    case.expected.append("clock_nanosleep")
    return f"for (int i = 0; i < {case.draw.randint(5, 12)}; i++) usleep(250);"


def touched_memory(case):
    size = case.draw.randint(4, 24) << 20
    case.expected.append("page faults")
    return f"""char *p = (char *)mmap(0, {size}, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (long i = 0; i < {size}; i += 4096) p[i] = 1;
  sink += p[{size} - 1];"""


def child_process(case):
    case.expected += ["process true", "posix_spawn"]
    return """pid_t pid; int status; char *arguments[] = {(char *)"/bin/true", 0};
  if (posix_spawn(&pid, "/bin/true", 0, 0, arguments, environ) == 0) waitpid(pid, &status, 0);"""


def shell(case):
    case.expected += ["process sh", "system"]
    return 'sink += system("true && true");'


def library(case, count):
    """Makes shared libraries with many relocations and an initializer."""
    names = []
    for number in range(count):
        name = case.name()
        symbols = 3000
        source = "".join(f"int {name}_{i};" for i in range(symbols))
        source += f"int *{name}_table[] = {{" + ",".join(f"&{name}_{i}" for i in range(symbols)) + "};"
        file = case.path(f"lib{name}.so")
        with open(f"{file}.c", "w") as out:
            out.write(source)
        subprocess.run(["cc", "-shared", "-fPIC", "-O0", "-o", file, f"{file}.c"], check=True)
        names.append(name)
    case.expected += [f"lib{name}" for name in names] + ["_dl_", "dlopen", "ld-linux", "librar"]
    return names


def opened_libraries(case):
    names = library(case, case.draw.randint(3, 6))
    return "".join(f'sink += !dlopen("{case.path(f"lib{name}.so")}", RTLD_NOW);' for name in names)


def linked_libraries(case):
    names = library(case, case.draw.randint(4, 8))
    case.options = ["-Wl,--no-as-needed", f"-L{case.directory}", f"-Wl,-rpath,{case.directory}"]
    case.options += [f"-l{name}" for name in names]
    return ";"


def waited_thread(case):
    worker = case.name()
    case.expected.append(worker)
    case.declarations = f"static void *{worker}(void *x) {{ spin({case.loops(case.size(1, 5))}); return x; }}"
    return f"pthread_t t; pthread_create(&t, 0, {worker}, 0); pthread_join(t, 0);"


def held_lock(case):
    holder = case.name()
    case.expected += [holder, "thread", "futex"]
    case.declarations = f"""static pthread_mutex_t planted_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_held;
static void *{holder}(void *x) {{
  pthread_mutex_lock(&planted_lock); is_held = 1; usleep({int(case.size(2, 6) * 1000)});
  pthread_mutex_unlock(&planted_lock); return x; }}"""
    return f"""pthread_t t; pthread_create(&t, 0, {holder}, 0);
  while (!is_held) sched_yield();
  pthread_mutex_lock(&planted_lock); pthread_mutex_unlock(&planted_lock); pthread_join(t, 0);"""


def daemon_answer(case):
    place = case.path("daemon.sock")
    delay = case.size(2, 6) / 1000
    server = socket.socket(socket.AF_UNIX)
    server.bind(place)
    server.listen(8)

    def serve():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(16)
                time.sleep(delay)
                connection.sendall(b"ok")

    threading.Thread(target=serve, daemon=True).start()
    case.helpers.append(server.close)
    case.expected += ["daemon.sock"]
    return f"""struct sockaddr_un a; memset(&a, 0, sizeof a); a.sun_family = AF_UNIX; strcpy(a.sun_path, "{place}");
  char text[16]; int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(s, (struct sockaddr *)&a, sizeof a) == 0) {{ sink += write(s, "ask", 3); sink += read(s, text, 16); }}
  close(s);"""


def file_lock(case):
    place = case.path("profile.lock")
    open(place, "w").close()
    script = (
        "import fcntl,sys,time\nf=open(sys.argv[1],'w')\n"
        "while True:\n fcntl.flock(f,2); time.sleep(0.006); fcntl.flock(f,8); time.sleep(0.0003)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", script, place])
    case.helpers.append(holder.kill)
    case.expected += ["profile.lock", "flock"]
    return f'int f = open("{place}", O_RDWR); flock(f, LOCK_EX); close(f);'


def synced_write(case):
    place = case.path("state.tmp")
    size = case.draw.randint(64, 512) << 10
    case.expected += ["state.tmp", "fsync"]
    return f"""static char text[{size}]; int f = open("{place}", O_RDWR | O_CREAT | O_TRUNC, 0600);
  sink += write(f, text, sizeof text); fsync(f); close(f);"""


def big_file(case):
    place = case.path("catalog.bin")
    size = case.draw.randint(8, 24) << 20
    with open(place, "wb") as file:
        file.write(os.urandom(1 << 20) * (size >> 20))
    case.expected.append("catalog.bin")
    return f"""static char text[1 << 20]; int f = open("{place}", O_RDONLY);
  while (read(f, text, sizeof text) > 0) sink += text[0]; close(f);"""


def mapped_file(case):
    place = case.path("catalog.bin")
    size = case.draw.randint(24, 48) << 20
    with open(place, "wb") as file:
        file.write(os.urandom(1 << 20) * (size >> 20))
    case.expected += ["catalog.bin"]
    return f"""int f = open("{place}", O_RDONLY); char *p = (char *)mmap(0, {size}, PROT_READ, MAP_PRIVATE, f, 0);
  for (long i = 0; i < {size}; i += 4096) sink += p[i]; close(f);"""


def regular_expression(case):
    case.expected += ["regcomp", "re_compile"]
    return f"""for (int i = 0; i < {case.draw.randint(25, 80)}; i++) {{ regex_t r;
    if (regcomp(&r, "(a|b)*c{{2,9}}[[:alpha:]]+(foo|bar|baz)*$", REG_EXTENDED) == 0) regfree(&r); }}"""


def missing_files(case):
    place = case.path(case.name())
    case.expected.append(os.path.basename(place))
    return f"""struct stat s; char path[300];
  for (int i = 0; i < {case.draw.randint(800, 3000)}; i++) {{
    snprintf(path, sizeof path, "{place}/%d", i); sink += stat(path, &s); }}"""


def random_bytes(case):
    case.expected += ["/dev/urandom", "urandom"]
    return f"""static char text[4096]; int f = open("/dev/urandom", O_RDONLY);
  for (int i = 0; i < {case.draw.randint(60, 200)}; i++) sink += read(f, text, sizeof text); close(f);"""


def tiny_writes(case):
    case.expected += ["/dev/null"]
    return f"""int f = open("/dev/null", O_WRONLY);
  for (int i = 0; i < {case.draw.randint(2000, 6000)}; i++) sink += write(f, "x", 1); close(f);"""


def competing_threads(case):
    case.wanted = None
    worker = case.name()
    case.expected.append(worker)
    case.declarations = f"static void *{worker}(void *x) {{ spin({case.loops(case.size(0.5, 2))}); return x; }}"
    return f"""pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, {worker}, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);"""


def initializer(case):
    return own_code(case)


def other_language(case):
    """The body of the planted function in Rust or Swift; nil where it is not written there."""
    rust = case.language == "rust"
    kind = case.kind[0]
    if kind == "own_code":
        return f"spin({case.loops(case.size(0.4, 5))})" + (";" if rust else "")
    if kind == "sleeping":
        case.expected.append("clock_nanosleep")
        time = int(case.size(1, 8) * 1000)
        return f"std::thread::sleep(std::time::Duration::from_micros({time}));" if rust else f"usleep({time})"
    place = case.path(case.name())
    os.makedirs(place)
    count = case.draw.randint(60, 200)
    for number in range(count):
        with open(f"{place}/{number}.conf", "w") as file:
            file.write("x" * 200)
    case.expected.append(os.path.basename(place))
    if rust:
        return (
            f'for i in 0..{count} {{ std::hint::black_box(std::fs::read(format!("{place}/{{}}.conf", i)).unwrap()); }}'
        )
    return (
        f'for i in 0..<{count} {{ let f = open("{place}/\\(i).conf", O_RDONLY); var b = [UInt8](repeating: 0, count: 256);'
        f" sink &+= UInt64(bitPattern: Int64(read(f, &b, 256))); close(f) }}"
    )


# What is planted in Rust and Swift, too.
PORTABLE = ("own_code", "sleeping", "many_files")

# What takes as long as is wanted.
SIZED = ("own_code", "sleeping", "waited_thread", "held_lock", "daemon_answer", "initializer")

KINDS = {
    planter.__name__: planter
    for planter in (
        own_code, existing_function, many_files, sleeping, polling, touched_memory, child_process,
        shell, opened_libraries, linked_libraries, waited_thread, held_lock, daemon_answer,
        file_lock, synced_write, big_file, mapped_file, regular_expression, missing_files,
        random_bytes, tiny_writes, competing_threads, initializer,
    )
}


# Page faults and what touches pages for the first time take samples of the kernel.
NOT_BY_PTRACE = {"touched_memory", "mapped_file"}


def program(case, plants, is_planted):
    """The source of one program: a chain of steps, with the planted ones or without."""
    text = [PRELUDE]
    for index, step in enumerate(case.steps):
        text.append(f"STEP {step}(void) {{ spin({case.step_loops[index]}); }}\n")
    if is_planted:
        for function, body, declarations, kind in plants:
            text.append(declarations + "\n")
            attribute = "__attribute__((constructor)) " if kind == "initializer" else ""
            text.append(f"{attribute}STEP {function}(void) {{ {body} }}\n")
    calls = [f"{step}();" for step in case.steps]
    if is_planted:
        for (function, _, _, kind), place in zip(plants, case.places):
            if kind not in ("initializer", "linked_libraries"):
                calls.insert(place, f"{function}();")
    if case.has_thread:
        text.append(f"static void *{case.background}(void *x) {{ spin(20000); return x; }}\n")
        calls.insert(0, f"pthread_t b; pthread_create(&b, 0, {case.background}, 0);")
        calls.append("pthread_join(b, 0);")
    text.append("STEP start_up(void) { " + " ".join(calls) + " }\n")
    text.append("int main(void) { start_up(); return 0; }\n")
    return "".join(text)


def other_program(case, function, body, is_planted):
    """The source of one program in Rust or Swift."""
    rust = case.language == "rust"
    steps = list(zip(case.steps, [f"spin({loops})" for loops in case.step_loops]))
    if is_planted:
        steps.insert(case.places[0], (function, body))
    if rust:
        head = (
            "#[inline(always)] fn spin(n: u64) { let mut x: u64 = 1; for _ in 0..n {"
            " x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1)); } }\n"
        )
        text = "".join(f"#[inline(never)] fn {name}() {{ {step}; std::hint::black_box(0); }}\n" for name, step in steps)
        return head + text + "fn main() { " + " ".join(f"{name}();" for name, _ in steps) + " }\n"
    head = (
        "import Glibc\nnonisolated(unsafe) var sink: UInt64 = 1\n@inline(__always) func spin(_ n: Int) { var x = sink | 1;"
        " for _ in 0..<n { x = x &* 6364136223846793005 &+ 1442695040888963407 }; sink = x }\n"
    )
    text = "".join(f"@inline(never) func {name}() {{ {step} }}\n" for name, step in steps)
    return head + text + "".join(f"{name}()\n" for name, _ in steps)


def other_build(case, source, name):
    suffix = {"rust": "rs", "swift": "swift"}[case.language]
    file = case.path(f"{name}.{suffix}")
    with open(file, "w") as out:
        out.write(source)
    # Else the name of the program would be a part of that of each function.
    rust = ["rustc", "-Copt-level=1", "--crate-name=app"]
    swift = ["swiftc", "-O", "-static-stdlib", "-module-name", "app"]
    compiler = rust if case.language == "rust" else swift
    subprocess.run(compiler + [file, "-o", case.path(name)], check=True, capture_output=True, cwd=case.directory)
    return case.path(name)


def build(case, source, name, options):
    suffix, compiler = ("cc", "c++") if case.is_cpp else ("c", "cc")
    file = case.path(f"{name}.{suffix}")
    with open(file, "w") as out:
        out.write(source)
    command = [compiler, "-O1", "-w", "-fpermissive" if case.is_cpp else "-w", "-o", case.path(name), file]
    subprocess.run(command + case.style + ["-pthread"] + options, check=True)
    return case.path(name)


def make(kinds, seed, directory, rate):
    """Makes the two programs of a case."""
    generator = random.Random(seed)
    case = Case(kinds, generator, directory, rate)
    case.steps = [case.name() for _ in range(generator.randint(3, 6))]
    base = generator.choice([1.0, 2.0, 4.0, 8.0])
    weights = [generator.uniform(0.5, 1.5) for _ in case.steps]
    case.step_loops = [case.loops(base * weight / sum(weights)) for weight in weights]
    if kinds[0] == "existing_function":
        case.step_loops[0] = case.loops(max(0.5, base / 3))
    case.language = "c"
    case.has_thread = generator.random() < 0.3
    case.background = case.name()
    case.is_cpp = generator.random() < 0.3
    styles = [[], ["-g"], ["-no-pie"], ["-fomit-frame-pointer"]]
    if not any("librar" in kind for kind in kinds):
        styles.append(["-static"])
    case.style = generator.choice(styles)
    case.places = [generator.randint(0, len(case.steps)) for _ in kinds]
    languages = [language for language, tool in (("rust", "rustc"), ("swift", "swiftc")) if shutil.which(tool)]
    if len(kinds) == 1 and kinds[0] in PORTABLE and languages and generator.random() < 0.5:
        case.language = generator.choice(languages)
        case.planted = function = case.name()
        body = other_language(case)
        before, after = (
            other_build(case, other_program(case, function, body, is_planted), name)
            for name, is_planted in (("before", False), ("after", True))
        )
        return case, before, after, [([function] + case.expected, case.planted_time)]
    whole = generator.uniform(2, 8) if len(kinds) == 2 else None
    plants, expectations, options = [], [], []
    for kind, share in zip(kinds, (0.6, 0.4)):
        case.expected, case.declarations, case.options = [], "", []
        case.wanted, case.planted_time = whole and share * whole, None
        function = case.name()
        case.planted = function
        body = KINDS[kind](case)
        plants.append((function, body, case.declarations, kind))
        expectations.append(([case.planted, function] + case.expected, case.planted_time))
        options += case.options
    before = build(case, program(case, plants, False), "before", [])
    after = build(case, program(case, plants, True), "after", options)
    return case, before, after, expectations


def explain(options, before, after, *more):
    command = [options.launchlab, "explain", before, after, "--json", "-", "--time", options.time, "--wait", "10m", *more]
    command += ["--collector", options.collector]
    if options.user:
        ids = [f"--reuid={options.user}", f"--regid={options.user}", "--clear-groups", "--inh-caps=-all"]
        command = ["setpriv", *ids, "env", f"HOME={options.home}", *command]
        give(os.path.dirname(before), options.user)
    done = subprocess.run(command, cwd=options.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 125):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[:400]}")
    return json.loads(done.stdout)


def give(directory, user):
    """Gives a directory and all that is in it to a user."""
    for place, folders, files in os.walk(directory):
        for path in [place] + [os.path.join(place, name) for name in folders + files]:
            os.chown(path, user, user)


def names(reason, expected):
    """Whether a reason names one of these, as a whole word, in what it says of itself."""
    frames = [frame["function"] + " " + frame["file"] for frame in reason["path"]]
    said = [reason.get("actor"), reason.get("object"), reason.get("call"), reason.get("text")]
    text = " ".join(part for part in said + frames if part)
    return any(re.search(rf"(?<![a-zA-Z0-9]){re.escape(word)}", text) for word in expected)


def summary(result):
    difference = result["difference"]
    whole = (difference.get("plain_ns") or 0) / 1e6
    first = [
        f"{reason['text']} {reason['difference_ns'] / 1e6:+.2f} ms {100 * (reason['share'] or 0):.0f} %"
        for reason in result["reasons"][:3]
    ]
    return f"{whole:+.2f} ms: " + ("; ".join(first) or "nothing")


def spin_rate():
    """How many rounds of `spin` take a nanosecond here."""
    with tempfile.TemporaryDirectory() as directory:
        source = PRELUDE + (
            "int main(void) { int64_t best = 1LL << 60; for (int i = 0; i < 20; i++) {"
            " int64_t t = now(); spin(1000000); t = now() - t; if (t < best) best = t; }"
            ' printf("%f", 1000000.0 / best); }'
        )
        with open(f"{directory}/rate.c", "w") as file:
            file.write(source)
        subprocess.run(["cc", "-O1", "-w", "-o", f"{directory}/rate", f"{directory}/rate.c"], check=True)
        return float(subprocess.run([f"{directory}/rate"], capture_output=True, check=True).stdout)


def run_case(options, kinds, seed, rate):
    """Gives whether each planted reason was named, the first one first, and whether more was."""
    directory = tempfile.mkdtemp(prefix="planted-")
    case = None
    try:
        case, before, after, expectations = make(kinds, seed, directory, rate)
        result = explain(options, before, after)
        reasons = result["reasons"]
        times = [time for _, time in expectations]
        expectations = [expected for expected, _ in expectations]
        first = bool(reasons) and any(names(reasons[0], expected) for expected in expectations)
        named = [any(names(reason, expected) for reason in reasons) for expected in expectations]
        exact = None
        if len(kinds) == 1 and first and times[0] and kinds[0] in SIZED:
            error = abs(reasons[0]["difference_ns"] / 1e6 - times[0])
            exact = error <= max(0.1, 0.15 * times[0])
        # What was touched is given back when the program ends; libraries are mapped, and threads started.
        consequences = ["exit_group", "munmap"]
        if any("libraries" in kind for kind in kinds):
            consequences.append("mmap")
        if any("thread" in kind or "lock" in kind for kind in kinds):
            consequences.append("clone")
        strangers = [
            reason
            for reason in reasons
            if abs(reason["share"] or 0) > 0.1
            and not any(names(reason, expected + consequences) for expected in expectations)
        ]
        print(
            f"{'ok ' if first and all(named) else 'BAD'} {'+'.join(kinds):<22} seed {seed:<6} "
            f"{case.language} {' '.join(case.style)} "
            + (f"planted {times[0]:.2f} ms " if times[0] else "")
            + ("NOT EXACT " if exact is False else "")
            + summary(result),
            flush=True,
        )
        return first, all(named), len(strangers), exact
    finally:
        for end in case.helpers if case else []:
            end()
        if options.keep:
            print(f"    {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


def run_twin(options, seed, rate):
    """Compares a program with itself, with a copy, or with one built elsewhere from the same source, whose
    file is larger: nothing may be named."""
    directory = tempfile.mkdtemp(prefix="planted-")
    try:
        _, before, _, _ = make(["own_code"], seed, directory, rate)
        other = before
        if seed % 3 == 1:
            other = f"{before}-twin"
            shutil.copy(before, other)
        elif seed % 3 == 2:
            elsewhere = os.path.join(directory, "elsewhere")
            os.mkdir(elsewhere)
            _, other, _, _ = make(["own_code"], seed, elsewhere, rate)
            subprocess.run(["objcopy", "--add-section", f".comment.twin={__file__}", other], check=True)
        result = explain(options, before, other)
        is_clean = not result["reasons"]
        print(f"{'ok ' if is_clean else 'BAD'} twin{'':<18} seed {seed:<6} {summary(result)}", flush=True)
        return is_clean
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--launchlab", default=".build/release/launchlab")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--twins", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--time", default="60s")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--collector", default="auto")
    parser.add_argument("--user", type=int)
    options = parser.parse_args()
    options.launchlab = os.path.abspath(options.launchlab)
    options.home = tempfile.mkdtemp(prefix="planted-home-")
    rate = spin_rate()
    by_ptrace = options.user or options.collector == "ptrace"
    kinds = options.kinds.split(",") if options.kinds else []
    if by_ptrace:
        kinds = [kind for kind in kinds if kind not in NOT_BY_PTRACE]
    if options.user:
        os.chown(options.home, options.user, options.user)
    right = total = strange = sized = precise = 0
    for number in range(options.repeat):
        for index, kind in enumerate(kinds):
            first, _, strangers, exact = run_case(options, [kind], options.seed * 1000 + number * 100 + index, rate)
            right += first
            total += 1
            sized += exact is not None
            precise += exact is True
            strange += strangers > 0
    both = 0
    generator = random.Random(options.seed)
    for number in range(options.pairs):
        two = generator.sample(SIZED, 2)
        both += run_case(options, two, options.seed * 1000 + 500 + number, rate)[1]
    clean = sum(run_twin(options, options.seed * 1000 + 700 + number, rate) for number in range(options.twins))
    if total:
        print(f"first reason right: {right} of {total}; with a stranger over 10 %: {strange}")
        print(f"attributed within 15 % or 0.1 ms of the planted time: {precise} of {sized}")
    if options.pairs:
        print(f"both reasons named: {both} of {options.pairs}")
    if options.twins:
        print(f"nothing said of twins: {clean} of {options.twins}")
    shutil.rmtree(options.home, ignore_errors=True)
    missed = right < (0.85 if by_ptrace else 0.95) * total or both < 0.9 * options.pairs or clean < 0.99 * options.twins
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
