"""What the launch of the atlas costs on this machine, and what a unit of each kind of work adds."""

import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import atlas

ADDED = {"loop": 1000, "relocations": 6000, "file": 600_000}
ROUNDS = 400


def load(path):
    """The costs in milliseconds, measured once and kept in the file, where there is one."""
    if path and path.exists():
        return json.loads(path.read_text())
    costs = measured()
    if path:
        path.write_text(json.dumps(costs, indent=2) + "\n")
    return costs


def measured():
    """Processor times are compared, as other work on the machine changes them least."""
    with tempfile.TemporaryDirectory() as place:
        programs = {"base": build(pathlib.Path(place, "base"), atlas.State())}
        for kind, units in ADDED.items():
            state = atlas.State().costing(kind, units)
            programs[kind] = build(pathlib.Path(place, kind), state)
        launches = interleaved(programs)
    base = [busy for _, busy in launches["base"]]
    # What a launch waits for besides, where nothing is in its way.
    waiting = statistics.quantiles((wall - busy for wall, busy in launches["base"]), n=4)[0]
    costs = {"launch": milliseconds(statistics.median(base) + waiting)}
    for kind, units in ADDED.items():
        added = [busy - other for (_, busy), other in zip(launches[kind], base)]
        costs[kind] = milliseconds(statistics.median(added)) / units
    return costs


def milliseconds(seconds):
    return seconds * 1000


def build(directory, state):
    for path, content in atlas.files(state).items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    subprocess.run(["make", "-s", "-C", directory, "build"], check=True)
    return str(directory / "atlas")


def interleaved(programs):
    """The seconds and processor seconds of each program, launched in rounds of random order."""
    generator = random.Random(1)
    launches = {name: [] for name in programs}
    with open(os.devnull, "w") as null:
        actions = [(os.POSIX_SPAWN_DUP2, null.fileno(), 1)]
        for _ in range(ROUNDS):
            for name in generator.sample(sorted(programs), len(programs)):
                command = [programs[name]]
                begin = time.monotonic()
                child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
                _, _, usage = os.wait4(child, 0)
                wall = time.monotonic() - begin
                launches[name].append((wall, usage.ru_utime + usage.ru_stime))
    return launches
