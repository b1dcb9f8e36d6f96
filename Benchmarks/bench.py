"""Speed and size of launchlab, as ratios against peers measured in the same minutes.

usage: bench.py LAUNCHLAB BARELOOP NOOP PROBE.swift [--quick]

Every comparison interleaves its sides, round by round, and takes the median of the rounds. Ends with 1
when a value is above its limit.
"""

import base64
import json
import os
import random
import re
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time


def output(*command, cwd=None):
    return subprocess.run(
        command, cwd=cwd, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout


def wall(*command, cwd):
    begin = time.monotonic()
    subprocess.run(
        command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.monotonic() - begin


def processor_time(*command, cwd):
    """The user and system time of a command with its children, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall(*command, cwd=cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def peak_rss(*command, cwd):
    """The peak resident set of a command, in megabytes."""
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_maxrss / 1000


def arm(launchlab, *options, cwd):
    result = json.loads(output(launchlab, "measure", "--json", "-", *options, cwd=cwd))
    return result["arms"][0]


def hyperfine_median(program, runs, cwd):
    output("hyperfine", "-N", "-r", str(runs), "--export-json", "h.json", program, cwd=cwd)
    with open(os.path.join(cwd, "h.json")) as file:
        return json.load(file)["results"][0]["median"] * 1e9


above = []


def show(name, value, limit, unit=""):
    verdict = "ok" if value <= limit else "ABOVE"
    if value > limit:
        above.append(name)
    print(f"{name:<62} {value:8.2f}{unit:<3} at most {limit:g}{unit}  {verdict}")


def interleaved(rounds, *sides):
    return [statistics.median(values) for values in zip(*([s() for s in sides] for _ in range(rounds)))]


def warm_noop(launchlab, bareloop, noop, rounds, cwd):
    """Small rounds, many of them: on a virtual machine launches have a fast and a slow mode."""
    runs = 250
    store = ["--store", os.path.join(cwd, "noop.sqlite")]

    def ours(*prefix):
        command = [*prefix, launchlab, "measure", "--json", "-", *store, "--launches", str(runs)]
        found = json.loads(output(*command, "--", noop, cwd=cwd))
        return found["arms"][0]["metrics"]["launch"]["median"]

    def bare(*prefix):
        return json.loads(output(*prefix, bareloop, str(runs), noop))["median_ns"]

    pin = ["taskset", "-c", "0"]
    free, loop, hyperfine, pinned, pinned_loop = interleaved(
        rounds * 4,
        ours,
        bare,
        lambda: hyperfine_median(noop, runs, cwd),
        lambda: ours(*pin),
        lambda: bare(*pin),
    )
    print(f"medians of a warm no-op: {free / 1e3:.1f} us here, {loop / 1e3:.1f} us in a bare loop, "
          f"{hyperfine / 1e3:.1f} us in hyperfine -N")
    print(f"  all on one cpu, the harness too: {pinned / 1e3:.1f} us here, "
          f"{pinned_loop / 1e3:.1f} us in a bare loop, ratio {pinned / pinned_loop:.2f}")
    show("warm no-op, ratio to a bare vfork/exec/wait loop", free / loop, 1.05)
    show("warm no-op, ratio to hyperfine -N", free / hyperfine, 1)


def whole_command(launchlab, noop, rounds, cwd):
    ours, theirs = interleaved(
        rounds,
        lambda: wall(launchlab, "measure", "--launches", "2000", "--", noop, cwd=cwd),
        lambda: wall("hyperfine", "-N", "-r", "2000", noop, cwd=cwd),
    )
    show("2,000 launches, all stored, ratio to hyperfine -N", ours / theirs, 1.5)


def start(launchlab, noop, rounds, cwd):
    """What a whole command takes besides its launches, by the processor time of pairs."""
    launch = [launchlab, "measure", "--launches"]
    rounds = [
        [
            processor_time(*command, cwd=cwd)
            for command in [
                [launchlab, "schema"],
                [*launch, "1", "--", noop],
                [*launch, "600", "--", noop],
                ["hyperfine", "-N", "-r", "600", noop],
                [*launch, "3000", "--", noop],
                ["hyperfine", "-N", "-r", "3000", noop],
            ]
        ]
        for _ in range(rounds)
    ]

    def median(of):
        return statistics.median(of(*times) for times in rounds)

    show("measure of one launch, processor time beyond `schema`",
         median(lambda schema, one, *_: one - schema), 45, " ms")
    show("600 launches, processor time, ratio to hyperfine -N",
         median(lambda _, __, ours, theirs, *___: ours / theirs), 1.2)
    show("each further launch, processor time, ratio to hyperfine -N",
         median(lambda _, __, a, b, more, theirs: (more - a) / (theirs - b)), 1.15)


def version(launchlab, rounds, cwd):
    ours, theirs = interleaved(
        rounds,
        lambda: hyperfine_median(f"{launchlab} --version", 50, cwd),
        lambda: hyperfine_median("/bin/true", 50, cwd),
    )
    show("launchlab --version, ratio to /bin/true", ours / theirs, 10)


def sizes(launchlab, noop, launches, cwd):
    rss = peak_rss(launchlab, "measure", "--launches", str(launches), "--", noop, cwd=cwd)
    show(f"peak RSS of the controller, {launches:,} launches", rss, 60, " MB")
    reported = arm(launchlab, "--launches", "20", "--", noop, cwd=cwd)["metrics"]["peak_rss"]["max"]
    show("peak RSS reported of a no-op", reported / 1e6, 2, " MB")


def eviction(launchlab, cwd):
    program = os.path.join(cwd, "large")
    shutil.copy("/usr/bin/perl", program)
    with open(program, "ab") as file:
        file.write(os.urandom(100_000_000 - os.path.getsize(program)))
    os.sync()
    found = arm(
        launchlab, "--state", "reinstall-cold", "--launches", "20", "--", program, "-e", "0", cwd=cwd)
    show("evicting and verifying a 100 MB executable", found["preparation_ns"] / 1e6, 50, " ms")


def unpack_probe(literal, directory):
    """Writes the embedded probe, with an events file as in launch_events.h beside it."""
    with open(literal) as file:
        program = base64.b64decode(re.search(r'base64: "([^"]*)"', file.read())[1])
    path = os.path.join(directory, "probe.so")
    with open(path, "wb") as file:
        file.write(program)
    capacity, text_capacity = 16384, 1 << 20
    header = struct.pack("<8sII", b"LLEVENT1", capacity, text_capacity).ljust(256, b"\0")
    with open(os.path.join(directory, "events"), "wb") as file:
        file.write(header + bytes(capacity * 40 + text_capacity))
    return path


def probe(literal, rounds):
    """Pairs of launches with and without the probe, in a random order."""
    command = ["/usr/bin/perl", "-e", "0"]
    plain = {"PATH": "/usr/bin:/bin"}

    def launch(environment):
        begin = time.monotonic_ns()
        process = os.posix_spawn(command[0], command, environment)
        _, status = os.waitpid(process, 0)
        assert status == 0, environment
        return time.monotonic_ns() - begin

    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="launchlab-bench-") as directory:
        probed = {**plain, "LD_AUDIT": unpack_probe(literal, directory)}
        events = os.open(os.path.join(directory, "events"), os.O_RDWR)
        times, differences = [], []
        for _ in range(rounds):
            pair = [plain, probed]
            random.shuffle(pair)
            found = {"LD_AUDIT" in environment: launch(environment) for environment in pair}
            times.append(found[False])
            differences.append(found[True] - found[False])
            assert struct.unpack("<I", os.pread(events, 4, 16))[0] > 0, "the probe was not loaded"
            os.pwrite(events, bytes(8), 16)
        os.close(events)
    print(f"median of perl -e 0: {statistics.median(times) / 1e3:.0f} us")
    show("probe, added to perl -e 0", statistics.median(differences) / 1e3, 80, " us")


def explain(launchlab, launches, cwd):
    """What launches take of the processors when they are traced or sampled, by plain ones beside them."""
    commands = [["perl", "-e", "0"], ["perl", "-MPOSIX", "-e", "0"], ["node", "-e", "0"]]
    for command in commands:
        if not shutil.which(command[0]):
            print(f"{command[0]} is not installed, so it is not traced")
            continue
        options = ["--launches", str(launches), "--json", "-"]
        result = json.loads(output(launchlab, "explain", *options, "--", *command, cwd=cwd))
        print(f"mean of {' '.join(command)}: {result['difference']['plain']['after_ns'] / 1e6:.1f} ms")
        for collector in result["collectors"]:
            limit = {"timeline": 1.10, "profile": 1.35}.get(collector["name"])
            if limit and collector["cost_ratio"]:
                name = f"{collector['name']}, CPU time of {' '.join(command)}"
                show(name, collector["cost_ratio"], limit, "x")


def main():
    launchlab, bareloop, noop, literal = sys.argv[1:5]
    quick = "--quick" in sys.argv
    rounds = 3 if quick else 9
    with tempfile.TemporaryDirectory(dir=os.getcwd(), prefix=".bench-") as cwd:
        warm_noop(launchlab, bareloop, noop, rounds, cwd)
        whole_command(launchlab, noop, rounds, cwd)
        start(launchlab, noop, rounds, cwd)
        version(launchlab, rounds, cwd)
        sizes(launchlab, noop, 10_000 if quick else 100_000, cwd)
        eviction(launchlab, cwd)
        probe(literal, 500 if quick else 3000)
        explain(launchlab, 10 if quick else 60, cwd)
    sys.exit(1 if above else 0)


main()
