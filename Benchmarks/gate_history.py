#!/usr/bin/env python3
"""Walks the commits of a public program, and checks what `launchlab gate` says of each by counts of its own.

usage: gate_history.py --project lua|lz4|ninja --repository DIR [--launchlab FILE] [--pairs N] [--skip N]
                       [--step N] [--max-time DURATION] [--keep]

DIR is a clone, which may be bare. Each of the newest commits that touch what is launched is compared with its
parent, or with `--step N` each N-th one with the next of them, since most commits change little. What is true
is counted on builds of its own, with other programs than those of launchlab: `ldd` and `readelf` for files,
`strace` for calls and processes, `time` for memory, and a count by valgrind. A figure that grows by more than
its limit and its floor must have failed, and no other; a new library or initializer must have been named. A
verdict is near where the growth is within a tenth of the limit. A launch that failed is explained by more
instructions, by other relocations, files or mapped memory, or by an interleaved comparison here; one that
passed is not checked. A commit that does not build, or cannot be launched, is left out, and another one taken.

Prints a line per pair, what is not right, and the score, in which those that are right and no `passed` are
`found`, too. Exits with 1 when something is wrong or unexplained.
"""
import argparse
import json
import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter

# How each project is built and launched, and the paths whose commits count.
PROJECTS = {
    "lua": {
        "build": "cc -O2 -g -std=gnu99 -DLUA_USE_POSIX -DLUA_USE_DLOPEN -Wl,-E -o lua "
        "$(ls *.c | grep -vE '^(ltests|onelua|luac)\\.c$') -lm -ldl",
        "command": ["./lua", "-e", "print(1)"],
        "paths": ["*.c", "*.h", ":!ltests.*", ":!onelua.c", ":!testes"],
    },
    "lz4": {
        "build": "cc -O2 -g -DXXH_NAMESPACE=LZ4_ -fPIC -shared -Wl,-soname,liblz4.so -o liblz4.so lib/*.c && "
        "cc -O2 -g -DXXH_NAMESPACE=LZ4_ -DLZ4IO_MULTITHREAD=1 -Ilib -o lz4 programs/*.c "
        "-L. -llz4 -lpthread -Wl,-rpath,'$ORIGIN'",
        "command": ["./lz4", "-c", "LICENSE"],
        "paths": ["lib/*.c", "lib/*.h", "programs/*.c", "programs/*.h"],
    },
    "ninja": {
        "build": "ls src/*.cc | grep -vE '(_test|test|_bench|win32|browse|in)\\.cc$' | "
        "xargs -P2 -n1 g++ -O1 -g1 -std=c++17 -iquote src -c && g++ -o ninja *.o -lpthread && "
        "{ echo 'rule copy'; echo '  command = cp $in $out'; "
        "for i in $(seq 200); do echo \"build out/$i: copy README.md\"; done; } > small.ninja",
        "command": ["./ninja", "-n", "-f", "small.ninja"],
        "paths": ["src/*.cc", "src/*.h", ":!src/*test*", ":!src/*win32*", ":!src/browse*", ":!src/*.in.cc"],
    },
}

# The limits and floors of docs/gate.md.
FIGURES = {
    "relocations": (0.05, 50),
    "symbols": (0.1, 50),
    "mapped": (0.05, 256 << 10),
    "size": (0.1, 1 << 20),
    "processes": (0, 1),
    "files": (0.1, 3),
    "lookups": (0.1, 5),
    "system_calls": (0.1, 20),
    "page_faults": (0.1, 100),
    "instructions": (0.01, 50_000),
    "peak_rss": (0.05, 512 << 10),
}
SYSTEM = re.compile(r"/(usr/)?lib(32|64|x32)?/")
ENVIRONMENT = {**os.environ, "LC_ALL": "C"}


def said(*command):
    return subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


def launch_below(tool, command, tree):
    """Gives what a tool wrote into the log that `{}` in its command stands for."""
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with tempfile.NamedTemporaryFile("w+", errors="replace") as log:
        words = [word.format(log.name) for word in tool] + command
        subprocess.run(words, cwd=tree, env=ENVIRONMENT, check=True, stdin=null, stdout=pipe, stderr=null)
        return log.read()


def files_of(program):
    """The names of all libraries, and the own files by name."""
    libraries, own = Counter(), {"program": program}
    for name, path in re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(", said("ldd", program), re.M):
        name = os.path.basename(name or path)
        libraries[name] += 1
        if not SYSTEM.match(path):
            own[name] = path
    return libraries, own


def count_file(path, figures):
    """Adds the figures of a file, and gives its initializers, those of global objects by their source file."""
    facts, in_file = said("readelf", "-lrSW", "--dyn-syms", path), {}
    figures["relocations"] += len(re.findall(r"^[0-9a-f]{8,16}\s+[0-9a-f]+ R_", facts, re.M))
    figures["relocations"] += sum(map(int, re.findall(r"which relocate (\d+) locations", facts)))
    figures["symbols"] += len(re.findall(r"^\s*[1-9]\d*: \w+\s+\d+ \w+\s+(?!LOCAL)\w+\s+\w+\s+UND ", facts, re.M))
    for address, size in re.findall(r"^\s*LOAD\s+\w+ (\w+) \w+ \w+ (\w+)", facts, re.M):
        figures["mapped"] += -(-(int(address, 16) % 4096 + int(size, 16)) // 4096) * 4096
    figures["size"] += os.path.getsize(path)
    sections = re.findall(r"INIT_ARRAY\s+([0-9a-f]{16}) \w+ (\w+)", facts)
    places = {int(start, 16) + at for start, size in sections for at in range(0, int(size, 16), 8)}
    symbols = {int(address, 16): name for address, name in re.findall(r"^(\w+) [tTwW] (.+)$", said("nm", path), re.M)}
    names = []
    for place, value in re.findall(r"^(\w+)\s+\w+ R_\w+_RELATIVE\s+(\w+)$", facts, re.M):
        name = symbols.get(int(value, 16), value)
        if int(place, 16) not in places or name in ("frame_dummy", "register_tm_clones"):
            continue
        if name.startswith("_GLOBAL__sub_I_"):
            source = os.path.basename(said("addr2line", "-e", path, value).split(":")[0])
            name = name if source == "??" else "_GLOBAL__sub_I_" + source
        names.append(name)
    return names


def launched(command, tree):
    """The seconds and the resources of a launch."""
    os.chdir(tree)
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    began = time.perf_counter()
    child = os.posix_spawn(os.path.join(tree, command[0]), command, ENVIRONMENT, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - began
    os.chdir("/")
    assert status == 0, command
    return seconds, usage


def count_launches(command, tree, figures):
    """Adds the medians of a few launches."""
    launches, counting = [], ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    for _ in range(3):
        text = launch_below(["strace", "-f", "-o", "{}"], command, tree)
        calls = Counter(re.findall(r"^\d+ +(\w+)\(", text, re.M))
        count = launch_below(["valgrind", *counting, "--log-file={}"], command, tree)
        usage = launched(command, tree)[1]
        launches.append({
            "processes": sum(calls[name] for name in ("clone", "clone3", "fork", "vfork")),
            "files": sum(calls[name] for name in ("open", "openat", "openat2", "creat")),
            "lookups": text.count("= -1 ENOENT"),
            "system_calls": sum(calls.values()),
            "instructions": sum(int(refs.replace(",", "")) for refs in re.findall(r"I\s+refs:\s+([\d,]+)", count)),
            "page_faults": usage.ru_minflt + usage.ru_majflt,
            # Peak memory begins with that of the process which started it, and `time` is small.
            "peak_rss": int(launch_below(["/usr/bin/time", "-f", "%M", "-o", "{}"], command, tree)) * 1024,
        })
    for rule in launches[0]:
        figures[rule] = statistics.median(launch[rule] for launch in launches)


def truth(tree, command):
    """What is in a build, and what its launches do."""
    figures = dict.fromkeys(FIGURES, 0)
    libraries, own = files_of(os.path.join(tree, command[0]))
    starts = Counter(f"{start} in {name}" for name, path in own.items() for start in count_file(path, figures))
    count_launches(command, tree, figures)
    return {"figures": figures, "libraries": libraries, "initializers": starts}


def is_slower(command, trees, pairs=40):
    """Whether head is slower in launches that alternate, and by how much."""
    ratios = []
    for number in range(pairs):
        order = trees if number % 2 else trees[::-1]
        seconds = {tree: launched(command, tree)[0] for tree in order}
        ratios.append(seconds[trees[1]] / seconds[trees[0]])
    more, ratio = sum(ratio > 1 for ratio in ratios), statistics.median(ratios)
    chance = sum(math.comb(pairs, count) for count in range(more, pairs + 1)) / 2**pairs
    return ratio > 1 and chance < 0.01, f"{ratio - 1:+.1%}, p {chance:.2g}"


class Score:
    def __init__(self):
        self.verdicts, self.values, self.remarks = Counter(), {}, []

    def add(self, verdict, remark, is_difference=False):
        """Counts a verdict, and whether there was something to find."""
        self.verdicts[verdict] += 1
        self.verdicts["found"] += is_difference and verdict == "right"
        if verdict not in ("right", "undecided"):
            self.remarks.append(f"{verdict}: {remark}")

    def judge(self, document, base, head, command, trees):
        findings = document["findings"]
        for rule in FIGURES:
            found = next((finding for finding in findings if finding["rule"] == rule), None)
            self.judge_figure(rule, found, base["figures"][rule], head["figures"][rule])
        for rule in ("libraries", "initializers"):
            for change, names in ("new", head[rule] - base[rule]), ("gone", base[rule] - head[rule]):
                # What is in a new library is told with it.
                names = {name for name in names if change == "gone" or is_known(name, base)}
                items = {each["item"] for each in findings if each["rule"] == rule and each["change"] == change}
                self.add("right" if items == names else "wrong", f"{rule} {change}: {items}, here {names}", bool(names))
        self.judge_launch([each for each in findings if each["rule"] == "launch"], base, head, command, trees)

    def judge_figure(self, rule, found, before, after):
        if not found or found["base_value"] is None:
            return self.add("missing", f"{rule}: the gate has no figure")
        (limit, least), growth = FIGURES[rule], after - before
        allowed = max(limit * before, least)
        is_over = growth >= least and growth > limit * before
        for ours, theirs in (before, found["base_value"]), (after, found["head_value"]):
            self.values.setdefault(rule, []).append(abs(theirs - ours) / max(ours, 1))
        is_right, is_near = (found["verdict"] == "failed") == is_over, abs(growth - allowed) <= 0.1 * allowed
        verdict = "right" if is_right else "near" if is_near else "wrong"
        verdict = "undecided" if found["verdict"] == "undecided" else verdict
        values = f'{found["base_value"]} → {found["head_value"]}, here {before} → {after}'
        self.add(verdict, f'{rule} {found["verdict"]}: {values}', is_over)

    def judge_launch(self, findings, base, head, command, trees):
        verdicts = {finding["verdict"] for finding in findings} or {"missing"}
        for verdict in verdicts & {"undecided", "missing"}:
            self.add(verdict, "launch")
        if "failed" not in verdicts:
            return
        before, after = base["figures"], head["figures"]
        reasons = [rule for rule in ("relocations", "mapped", "files") if before[rule] != after[rule]]
        reasons += ["instructions"] if after["instructions"] >= 1.01 * before["instructions"] else []
        is_seen, text = is_slower(command, trees)
        reasons += ["times"] if is_seen else []
        details = "; ".join([findings[0]["change"], *findings[0]["details"]])
        self.add("right" if reasons else "unexplained", "launch", True)
        self.remarks.append(f'launch failed: {details}; here {text}; {", ".join(reasons) or "no reason"}')


def is_known(name, base):
    """Whether a library is new, or an initializer in a file that was there before."""
    file = name.rpartition(" in ")[2]
    return file == name or file == "program" or file in base["libraries"]


class History:
    def __init__(self, options, work):
        self.options, self.work, self.truths = options, work, {}
        self.build, self.command, self.paths = (PROJECTS[options.project][key] for key in ("build", "command", "paths"))
        self.repository, self.times, self.json = (os.path.join(work, name) for name in ("repository", "times", "json"))
        subprocess.run(["git", "clone", "-q", "--shared", options.repository, self.repository], check=True)
        with open(os.path.join(work, "build.sh"), "w") as file:
            file.write(f"began=$(date +%s%N)\n{{ {self.build}; }} || exit 1\n")
            file.write(f"echo $(($(date +%s%N) - began)) >> {self.times}\n")
        scenario = {
            "scenario": options.project,
            "source": {"repository": self.repository, "build": f"sh {work}/build.sh"},
            "targets": {options.project: {"command": self.command, "directory": "."}},
            "states": ["warm"],
        }
        with open(os.path.join(work, "scenario.yml"), "w") as file:
            json.dump(scenario, file)  # which is YAML, too

    def git(self, *words):
        return said("git", "-C", self.repository, *words)

    def commits(self):
        words = ["log", "--no-merges", "--format=%P %H %s", f"--skip={self.options.skip}", "HEAD", "--"]
        commits = [line.split(" ", 2) for line in self.git(*words, *self.paths).splitlines()]
        steps = commits[:: self.options.step]
        older = [base for base, _, _ in steps] if self.options.step == 1 else [head for _, head, _ in steps[1:]]
        return [(base, head, subject) for base, (_, head, subject) in zip(older, steps)]

    def built(self, commit):
        """The tree of a commit and its truth; None if it cannot be built or launched."""
        if commit not in self.truths:
            tree = os.path.join(self.work, "truth", commit)
            self.git("worktree", "add", "-q", "--detach", tree, commit)
            script = f"{{ {self.build}; }} && {shlex.join(self.command)}"
            done = subprocess.run(["sh", "-c", script], cwd=tree, stdin=subprocess.DEVNULL, capture_output=True)
            self.truths[commit] = None if done.returncode else (tree, truth(tree, self.command))
        return self.truths[commit]

    def gate(self, pair):
        """The exit code, what it said, and its seconds without and with the builds."""
        for path in (self.json, self.times):
            with open(path, "w"):
                pass
        command = [self.options.launchlab, "gate", pair, "scenario.yml", "--json", self.json, "--wait", "10m"]
        command += ["--max-time", self.options.max_time]
        began = time.monotonic()
        done = subprocess.run(command, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        seconds = time.monotonic() - began
        with open(self.json) as output, open(self.times) as times:
            text, built = output.read(), sum(map(int, times.read().split())) / 1e9
        document = json.loads(text) if text else None
        return done.returncode, document, (seconds - built, seconds), done.stderr.strip()[-500:]

    def run(self, base, head, subject, score):
        """Prints what the gate says of a commit, and gives its seconds; None if it was not built."""
        sides, told = [self.built(commit) for commit in (base, head)], len(score.remarks)
        code, document, seconds, errors = self.gate(f"{base}..{head}")
        title = f"{head[:9]} {subject[:46]:<46}"
        if None in sides and code == 128:
            return print(f"{title} not built", flush=True)
        texts = []
        if not document or None in sides:
            score.add("wrong", f"exit {code}, built here {[side is not None for side in sides]}: {errors}")
        else:
            score.judge(document, sides[0][1], sides[1][1], self.command, [side[0] for side in sides])
            verdicts = {finding["verdict"] for finding in document["findings"]}
            expected = 1 if verdicts & {"failed", "needs_approval"} else 125 if "undecided" in verdicts else 0
            if document["failures"] or code != expected:
                score.add("wrong", f'exit {code} instead of {expected}, failures {document["failures"]}')
            score.remarks += [f"not looked at: {problem}" for problem in document["problems"]]
            for each in document["findings"]:
                if each["verdict"] != "passed":
                    texts.append(f'{each["rule"]} {each["verdict"]} {each["item"]} {each["change"]}')
        time_texts = f"{seconds[0]:3.0f} s, {seconds[1]:3.0f} s with builds"
        print(f"{title} exit {code:<3} {time_texts}  {'; '.join(texts) or 'passed'}")
        print("".join(f"    {remark}\n" for remark in score.remarks[told:]), end="", flush=True)
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--project", choices=PROJECTS, required=True)
    parser.add_argument("--repository", required=True)
    parser.add_argument("--launchlab", default=".build/release/launchlab")
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--max-time", default="10s")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.launchlab, options.repository = map(os.path.abspath, (options.launchlab, options.repository))
    work, score, gates, unbuilt = tempfile.mkdtemp(prefix="gate-history-"), Score(), [], 0
    try:
        history = History(options, work)
        for base, head, subject in history.commits():
            seconds = history.run(base, head, subject, score)
            gates += [seconds] if seconds else []
            unbuilt += not seconds
            if len(gates) == options.pairs:
                break
    finally:
        if options.keep:
            print(f"kept: {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    print(f"pairs: {len(gates)}, not built: {unbuilt}")
    kinds = ("right", "found", "near", "wrong", "unexplained", "undecided", "missing")
    print("verdicts: " + ", ".join(f"{score.verdicts[kind]} {kind}" for kind in kinds))
    for name, seconds in zip(("without", "with"), zip(*gates)):
        print(f"seconds {name} builds: median {statistics.median(seconds):.0f}, at most {max(seconds):.0f}")
    for rule, apart in score.values.items():
        print(f"  {rule:<13} the same count in {apart.count(0)} of {len(apart)}, at most {max(apart):.2%} apart")
    return 1 if score.verdicts["wrong"] + score.verdicts["unexplained"] else 0


if __name__ == "__main__":
    sys.exit(main())
