"""Trials of ways to find a change: the repositories, the load beside them, and who was right."""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Case:
    """What is planted, and what is looked for."""

    title: str
    repository: tuple
    sought: tuple = ("main",)
    options: tuple = ()


ALONE = ("--without-second", "--without-improvement")
CASES = {
    "five": Case("+5 %", ("--effect", "5%", *ALONE)),
    "twenty": Case("+20 %", ("--effect", "20%", *ALONE)),
    "mixed": Case(
        "+5 %, beside +2.5 % and -2.5 %",
        ("--effect", "5%", "--second", "2.5%", "--improvement", "2.5%"),
    ),
    "two": Case(
        "+20 % and +5 %",
        ("--effect", "20%", "--second", "5%", "--without-improvement"),
        ("main", "second"),
        ("--all",),
    ),
    "improvement": Case(
        "-5 %",
        ("--without-effect", "--without-second", "--improvement", "5%"),
        ("improvement",),
        ("--find", "improvement"),
    ),
    "none": Case(
        "no change", ("--without-effect", "--without-second", "--without-improvement"), ()
    ),
}


@dataclasses.dataclass
class Result:
    """What one trial came to; a claim is a set of commits of which one is said to be a change."""

    claims: list
    interval: list
    builds: int
    launches: int
    seconds: float = 0
    busy: float = 0
    note: str = ""


def parser(name, summary):
    parser = argparse.ArgumentParser(prog=name, description=summary)
    parser.add_argument("directory", type=pathlib.Path, help="where the repositories are made")
    parser.add_argument("--runs", type=int, default=10, help="repositories of each case")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first repository")
    parser.add_argument("--commits", type=int, default=220)
    parser.add_argument(
        "--cases", default="five,twenty", help="some of " + ", ".join(CASES) + ", with commas"
    )
    parser.add_argument(
        "--load", type=int, default=max(1, (os.cpu_count() or 1) // 2),
        help="jobs that burn a processor in bursts meanwhile; 0 for none",
    )
    return parser


def run(arguments, ways):
    """Makes every trial, one after the other, and prints a table; a way is a name and a function."""
    rows = []
    for name in arguments.cases.split(","):
        case = CASES[name]
        judged = {way: [] for way in ways}
        for seed in range(arguments.seed, arguments.seed + arguments.runs):
            directory = made(arguments, name, seed)
            truth = json.loads((directory / "truth.json").read_text())
            for way, function in ways.items():
                with load(arguments.load, seed):
                    begin = time.monotonic()
                    result = function(directory, truth, case)
                    result.seconds = time.monotonic() - begin
                    result.busy = os.getloadavg()[0]
                verdict = judge(truth, case, result)
                judged[way].append((verdict, result))
                print(f"{way}, {name}, seed {seed}: {verdict} {result.note}", file=sys.stderr)
        rows += [row(way, case, results) for way, results in judged.items()]
    show(rows)


def made(arguments, name, seed):
    """The directory of a repository, which is made where there is none."""
    directory = arguments.directory / f"{name}-{seed}"
    if not (directory / "truth.json").exists():
        command = [HERE / "generated-repository", directory, *CASES[name].repository]
        command += ["--seed", str(seed), "--commits", str(arguments.commits)]
        command += ["--calibration", arguments.directory / "calibration.json"]
        arguments.directory.mkdir(parents=True, exist_ok=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return directory


@contextlib.contextmanager
def load(jobs, seed):
    """Other jobs, which end with the block."""
    command = [sys.executable, str(HERE / "noise.py")]
    others = [subprocess.Popen([*command, f"{seed}{number}"]) for number in range(jobs)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def judge(truth, case, result):
    """One of right, partly, wrong, within (no claim, but an interval that is right), undecided.

    A claim is true when it has a planted change; where commits between cannot be built, any of them
    is as good. It is right when everything sought is claimed, and partly right when some is.
    """
    planted = {change["role"]: set(change["candidates"]) for change in truth["changes"]}
    hits = [{role for role, where in planted.items() if where & claim} for claim in result.claims]
    if not all(hits):
        return "wrong"
    found = set().union(*hits)
    if not case.sought:
        return "wrong" if result.claims else "right"
    if found.issuperset(case.sought):
        return "right"
    if found:
        return "partly"
    if set(result.interval) & planted[case.sought[0]]:
        return "within"
    return "undecided"


def row(way, case, results):
    verdicts = [verdict for verdict, _ in results]
    counts = [verdicts.count(verdict) for verdict in VERDICTS]
    means = [
        statistics.mean(getattr(result, name) for _, result in results)
        for name in ("builds", "launches", "seconds", "busy")
    ]
    return [way, case.title, len(results), *counts, *(f"{mean:.1f}" for mean in means)]


VERDICTS = ("right", "partly", "within", "undecided", "wrong")
HEADER = ["way", "case", "runs", *VERDICTS, "builds", "launches", "seconds", "load"]


def show(rows):
    """Prints the table in Markdown; numbers behind the verdicts are means of the runs."""
    cells = [HEADER] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    cells.insert(1, ["-" * width for width in widths])
    for line in cells:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
