#!/usr/bin/env python3
"""Computes every number of `launchlab why ID --json` again, from what `launchlab export` gives.

usage: recompute.py NIGHTS FINDING [LAUNCHES...] [--seed N] [--effect SHARE] [--floor-ns N]

NIGHTS    JSON lines of `launchlab export --what nights`
FINDING   JSON of `launchlab why ID --json`
LAUNCHES  JSON lines of `launchlab export RUN` of each proof
--seed    that of the plan of the proof, for the smallest detectable effect
--effect, --floor-ns   as in the section `regression` of the scenario

Prints each number with the value found here. Ends with 1 when one differs by more than 1e-9 of
itself, when a criterion is unknown, or when what it needs was not given. Uses the standard library
only, and none of the formulas in Swift.
"""
import argparse
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recompute_criteria import Event  # noqa: E402
from recompute_formulas import (  # noqa: E402
    bootstrap_median_interval, median, smallest_detectable)

TOLERANCE = 1e-9


class Check:
    """Compares numbers and remembers whether all agree."""

    def __init__(self):
        self.failures = 0
        self.numbers = 0

    def number(self, name, said, found):
        if said is None and found is None:
            return
        self.numbers += 1
        if said is None or found is None:
            ok = False
        else:
            ok = abs(said - found) <= TOLERANCE * max(abs(said), abs(found)) or said == found
        self.line(ok, name, said, found)

    def truth(self, name, said, found):
        self.numbers += 1
        self.line(said == found, name, said, found)

    def line(self, ok, name, said, found):
        self.failures += not ok
        print(f"{'same' if ok else 'DIFFERENT'}  {name}: why {said}, here {found}")

    def problem(self, text):
        self.failures += 1
        print(f"PROBLEM  {text}")


class Nights:
    """The nightly rows of one series, and of the other series of the same arm."""

    def __init__(self, rows, finding):
        self.key = finding["scenario"], finding["launch_state"], finding["metric"]
        self.target = finding["target"]
        self.rows = {}
        for row in rows:
            if (row["scenario"], row["state"], row["metric"]) == self.key:
                self.rows[row["run"], row["target"]] = row

    def row(self, run, target=None):
        return self.rows[run, target or self.target]

    def medians(self, runs, target=None):
        return [self.row(run, target)["median"] for run in runs]


class Proof:
    """The pairs of an interleaved comparison, from its launches."""

    def __init__(self, launches, said, finding):
        values = {said["baseline"]: {}, said["candidate"]: {}}
        metric = finding["metric"] + ("_ns" if finding["unit"] == "ns" else "")
        for launch in launches:
            value = launch[metric]
            counts = (
                launch["kind"] == "plain" and launch["state"] == finding["launch_state"]
                and launch["target"] in values and launch["outcome"] == "ready"
                and not launch["disturbed"] and launch["state_reached"] != "not-reached" and value)
            if counts:
                values[launch["target"]][launch["block"]] = value
        good, bad = values[said["baseline"]], values[said["candidate"]]
        blocks = sorted(good.keys() & bad.keys())
        self.logs = [math.log(bad[block]) - math.log(good[block]) for block in blocks]
        self.count = len(self.logs)
        self.ratio = math.exp(median(self.logs))
        self.low = self.high = None
        if self.count >= 5:
            bounds = bootstrap_median_interval(sorted(self.logs), said["confidence"])
            self.low, self.high = (math.exp(bound) for bound in bounds)

    def verdict(self, effect):
        if self.low is None:
            return "inconclusive"
        if self.low > 1 + effect:
            return "regression"
        if self.high < 1 / (1 + effect):
            return "improvement"
        is_within = self.low >= 1 / (1 + effect) and self.high <= 1 + effect
        return "same" if is_within else "inconclusive"


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def verify_proof(check, said, proof, rule):
    check.number("proof ratio", said["ratio"], proof.ratio)
    check.number("proof low", said["low"], proof.low)
    check.number("proof high", said["high"], proof.high)
    check.truth("proof pairs", said["pairs"], proof.count)
    check.number("proof effect limit", said["effect_limit"], rule.effect)
    check.truth("proof verdict", said["verdict"], proof.verdict(rule.effect))
    if rule.seed is not None:
        found = smallest_detectable(proof.logs, rule.effect, said["confidence"], rule.seed)
        check.number("proof smallest detectable", said["smallest_detectable"], found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nights")
    parser.add_argument("finding")
    parser.add_argument("launches", nargs="*")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--effect", type=float, default=0.02)
    parser.add_argument("--floor-ns", type=float, default=0)
    rule = parser.parse_args()
    with open(rule.finding, encoding="utf-8") as file:
        finding = json.load(file)
    check = Check()
    nights = Nights(read_lines(rule.nights), finding)
    rule.proofs = {}
    said = finding["proof"]
    for path in rule.launches:
        launches = read_lines(path)
        if said and launches:
            rule.proofs[launches[0]["run"]] = Proof(launches, said, finding)
    if said:
        if said["run"] in rule.proofs:
            verify_proof(check, said, rule.proofs[said["run"]], rule)
        else:
            check.problem(f"the launches of the proof {said['run']} were not given")
    if finding["before"]:
        check.number("ratio", finding["ratio"], finding["after"] / finding["before"])
    for event in finding["events"]:
        print(f"-- {event['at']} {event['state']}")
        Event(check, nights, finding, event, rule).verify()
    print(f"{check.numbers} numbers, {check.failures} differ")
    if check.numbers == 0:
        check.problem("there was nothing to compute")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
