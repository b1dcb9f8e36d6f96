"""Fills a store with years of made-up nights, to measure how fast trends are read.

usage: large_store.py STORE [--nights 3000] [--series 20] [--launches 10000000] [--seed 1]

STORE is a file that launchlab itself has made, with at least one run, so that the schema is the
real one and the first run is a pattern for the others:

    launchlab measure --launches 2 --store large.sqlite -- true
    python3 Benchmarks/large_store.py large.sqlite
    launchlab report --store large.sqlite --scenario large

It adds runs of the scenario `large`: one a night, two series per arm (launch and peak_rss), with
noise between nights and between launches, outliers, a step or two in each arm, missing and failed
nights, and one change of the host. --launches counts the launches of all nights together. The same
arguments give the same values. The default takes about half a minute, 1 GB of disk and little
memory, because each night takes the scatter of its launches from one of a few patterns.
"""

import argparse
import datetime
import hashlib
import json
import math
import random
import sqlite3
import sys

SCENARIO = "large"
NEWEST = datetime.datetime(2026, 11, 20, 2, 0, 0)
STATES = ["warm", "reinstall-cold"]
SCALE_OF_STATE = {"warm": 1.0, "reinstall-cold": 3.0}

PATTERNS = 16

SCATTER = """
    CREATE TEMP TABLE scatter (pattern, block, position, arm, factor, extra_pages,
      PRIMARY KEY (pattern, block, position)) WITHOUT ROWID;
    CREATE TEMP TABLE level (arm INTEGER PRIMARY KEY, launch_ns, pages);
    """

INSERT_LAUNCHES = """
    INSERT INTO launch (run, block, position, arm, started_ns, outcome, launch_ns, spawn_ns,
      resolution_ns, peak_rss_bytes, minor_faults, major_faults, user_ns, system_ns,
      includes_waited_children, flags, stdout_bytes, stderr_bytes, preparation_ns, warm_ups,
      state_reached)
    SELECT ?, block, position, arm, (block * 64 + position) * 4000000, 'ready',
      CAST(factor * launch_ns AS INTEGER), 120000, 0, (pages + extra_pages) * 4096, 410, 0, 900000,
      700000, 0, '', 0, 0, 3000000, 0, 'reached'
    FROM scatter JOIN level USING (arm) WHERE pattern = ? ORDER BY block, position
    """

INSERT_SUMMARY = """
    INSERT INTO summary (run, arm, metric, version, n, mean, variance, median, mad, min, max, p90,
      p95, ci_low, ci_high) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

INSERT_RUN = """
    INSERT INTO run (id, scenario, started_at, finished_at, status, purpose, seed,
      planned_launches, fingerprint, build_commit, tool, plan, host, build)
    VALUES (?, ?, ?, ?, ?, 'night', '1', ?, ?, ?, ?, ?, ?, ?)
    """


class Arm:
    """A target in a state, with its levels over the nights."""

    def __init__(self, number, nights, randomness):
        self.target = f"program-{number // len(STATES)}"
        self.state = STATES[number % len(STATES)]
        self.level = randomness.uniform(2e6, 80e6) * SCALE_OF_STATE[self.state]
        self.memory = randomness.randrange(1_000, 30_000)
        self.steps = [
            (randomness.randrange(nights), randomness.choice([0.93, 0.97, 1.03, 1.05, 1.08]))
            for _ in range(randomness.randrange(1, 3))
        ]

    def median(self, night, hosts, randomness):
        level = self.level * math.prod(f for start, f in self.steps if night >= start)
        outlier = 1.15 if randomness.random() < 0.01 else 1
        return level * hosts[night][1] * outlier * (1 + randomness.gauss(0, 0.008))

    def pages(self, night):
        return self.memory + sum(40 for start, _ in self.steps if night >= start)


def quantile(ascending, probability):
    position = probability * (len(ascending) - 1)
    index = int(position)
    if index + 1 >= len(ascending):
        return float(ascending[-1])
    rest = position - index
    return ascending[index] + rest * (ascending[index + 1] - ascending[index])


def summary(values):
    """The columns of a summary from n on; the interval is the one of order statistics."""
    ascending = sorted(values)
    n = len(ascending)
    median = quantile(ascending, 0.5)
    half = 0.98 * math.sqrt(n)
    low = ascending[max(0, math.floor(n / 2 - half))]
    high = ascending[min(n - 1, math.ceil(n / 2 + half))]
    mean = sum(ascending) / n
    variance = sum((value - mean) ** 2 for value in ascending) / (n - 1) if n > 1 else None
    deviations = sorted(abs(value - median) for value in ascending)
    return (
        n, mean, variance, median, quantile(deviations, 0.5), ascending[0], ascending[-1],
        quantile(ascending, 0.9), quantile(ascending, 0.95),
        low if n >= 5 else None, high if n >= 5 else None,
    )


def scaled(values, factor, offset=0):
    """The summary of values that were all multiplied, after something was added to each."""
    n, mean, variance, median, mad, *others = values
    moved = [None if value is None else (value + offset) * factor for value in others]
    return (
        n, (mean + offset) * factor, None if variance is None else variance * factor**2,
        (median + offset) * factor, mad * factor, *moved,
    )


def noise(randomness):
    """The factor around 1 of a single launch: skewed to the right, and 3 % outliers."""
    factor = math.exp(randomness.gauss(0, 0.04))
    return factor * 1.5 if randomness.random() < 0.03 else factor


class Generator:
    def __init__(self, database, options):
        self.database = database
        self.options = options
        self.randomness = random.Random(options.seed)
        self.arms = [
            Arm(number, options.nights, self.randomness) for number in range(options.series // 2)
        ]
        self.count = max(1, round(options.launches / options.nights / len(self.arms)))
        self.read_pattern_of_runs()
        self.scatter = [self.add_scatter(pattern) for pattern in range(PATTERNS)]
        move = options.nights * 2 // 5
        old = hashlib.sha256(b"old host").hexdigest()[: len(self.fingerprint)]
        self.hosts = [
            (old, 1.2) if night < move else (self.fingerprint, 1.0)
            for night in range(options.nights)
        ]

    def read_pattern_of_runs(self):
        row = self.database.execute(
            "SELECT plan, host, tool, fingerprint FROM run WHERE scenario <> ? LIMIT 1", (SCENARIO,)
        ).fetchone()
        if row is None:
            sys.exit("no run to take as a pattern: see the usage at the top of this file")
        plan, host, self.tool, self.fingerprint = row
        plan = json.loads(plan)
        target = plan["scenario"]["targets"][0]
        names = list(dict.fromkeys(arm.target for arm in self.arms))
        plan["scenario"].update(
            name=SCENARIO,
            targets=[dict(target, name=name) for name in names],
            states=STATES,
            launches=self.count,
            source={"repository": "/src/large", "build": "make"},
        )
        plan["arms"] = [
            {"target": arm.target, "state": arm.state, "kind": "plain"} for arm in self.arms
        ]
        plan["blockCount"] = self.count
        self.plan = json.dumps(plan, sort_keys=True)
        self.host = json.loads(host)

    def run(self):
        for night in range(self.options.nights):
            chance = self.randomness.random()
            if chance < 0.02 and night + 1 < self.options.nights:
                continue
            failed = chance > 0.99 and night + 1 < self.options.nights
            key = self.add_run(night, "failed" if failed else "complete")
            if not failed:
                self.add_launches(key, night)
            # The other nights are like the first, and checking takes longer than writing.
            self.database.execute("PRAGMA ignore_check_constraints = ON")
            if night % 100 == 99:
                self.database.commit()
                print(f"\r{night + 1} nights", end="", file=sys.stderr, flush=True)
        self.database.commit()
        print(file=sys.stderr)

    def add_run(self, night, status):
        start = NEWEST - datetime.timedelta(days=self.options.nights - 1 - night)
        end = start + datetime.timedelta(minutes=20)
        fingerprint = self.hosts[night][0]
        commit = hashlib.sha1(b"commit %d" % night).hexdigest()
        build = {
            "commit": commit, "subject": f"Change number {night}",
            "tree": hashlib.sha1(b"tree %d" % (night // 2)).hexdigest(),
            "directory": "/cache/large", "wasCached": False,
        }
        values = (
            f"{start:%Y%m%dT%H%M%S}Z-{night & 0xFFFF:04x}", SCENARIO,
            f"{start:%Y-%m-%dT%H:%M:%S}.000Z", f"{end:%Y-%m-%dT%H:%M:%S}.000Z", status,
            self.count * len(self.arms), fingerprint, commit, self.tool, self.plan,
            json.dumps(dict(self.host, fingerprint=fingerprint), sort_keys=True),
            json.dumps(build, sort_keys=True),
        )
        key = self.database.execute(INSERT_RUN, values).lastrowid
        self.database.executemany(
            "INSERT INTO arm (run, number, target, state, kind) VALUES (?, ?, ?, ?, 'plain')",
            [(key, number, arm.target, arm.state) for number, arm in enumerate(self.arms)],
        )
        return key

    def add_scatter(self, pattern):
        """Stores how launches scatter, and sums it up by arm: of factors, and of pages."""
        arms = range(len(self.arms))
        factors = [[noise(self.randomness) for _ in range(self.count)] for _ in arms]
        pages = [[self.randomness.randrange(12) for _ in range(self.count)] for _ in arms]
        for block in range(self.count):
            order = list(arms)
            self.randomness.shuffle(order)
            self.database.executemany(
                "INSERT INTO scatter VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (pattern, block, position, arm, factors[arm][block], pages[arm][block])
                    for position, arm in enumerate(order)
                ],
            )
        return [(summary(factors[arm]), summary(pages[arm])) for arm in arms]

    def add_launches(self, key, night):
        pattern = self.randomness.randrange(PATTERNS)
        rows = []
        for number, arm in enumerate(self.arms):
            level = arm.median(night, self.hosts, self.randomness)
            pages = arm.pages(night)
            factors, extra = self.scatter[pattern][number]
            rows.append((key, number, "launch", *scaled(factors, level)))
            rows.append((key, number, "peak_rss", *scaled(extra, 4096, pages)))
            self.database.execute("REPLACE INTO level VALUES (?, ?, ?)", (number, level, pages))
        self.database.execute(INSERT_LAUNCHES, (key, pattern))
        self.database.executemany(INSERT_SUMMARY, rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("store")
    parser.add_argument("--nights", type=int, default=3_000)
    parser.add_argument("--series", type=int, default=20)
    parser.add_argument("--launches", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.nights < 1 or options.series < 2 or options.series % 2:
        parser.error("--nights must be at least 1, and --series an even number from 2 on")
    database = sqlite3.connect(f"file:{options.store}?mode=rw", uri=True)
    for pragma in ["journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"]:
        database.execute(f"PRAGMA {pragma}")
    database.executescript(SCATTER)
    Generator(database, options).run()
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


main()
