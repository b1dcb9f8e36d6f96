#!/usr/bin/env python3
"""Computes every number of `launchlab why ID --json` again, from what `launchlab export` gives.

usage: recompute.py NIGHTS ALERTS FINDING [LAUNCHES...] [--effect SHARE] ...

NIGHTS    JSON lines of `launchlab export --what nights`
ALERTS    JSON lines of `launchlab export --what alerts`
FINDING   JSON of `launchlab why ID --json`
LAUNCHES  JSON lines of `launchlab export RUN` of each proof
--effect, --floor-ns, --metrics, --nights-of-baseline   as in the section `regression`

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
    mad, median, paired_ratio, smallest_detectable)
from recompute_history import History  # noqa: E402

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

    def __init__(self, rows, alerts, finding):
        self.history = History(rows, alerts, finding)
        self.key = finding["scenario"], finding["launch_state"], finding["metric"]
        self.target = finding["target"]
        self.rows = {}
        for row in rows:
            if (row["scenario"], row["state"], row["metric"]) == self.key:
                self.rows[row["run"], row["target"]] = row

    def explained_by(self, reason):
        """The alert whose end an event was explained by."""
        if not reason.startswith("it is the way back from "):
            return None
        return next(a for a in self.history.alerts if a["alert"] == reason.split()[-1])

    def row(self, run, target=None):
        return self.rows[run, target or self.target]

    def medians(self, runs, target=None):
        return [self.row(run, target)["median"] for run in runs]


class Proof:
    """The pairs of an interleaved comparison, from its launches."""

    def __init__(self, launches, said, finding):
        baseline, candidate = sides(launches[0]["run"], said, finding)
        values = {baseline: {}, candidate: {}}
        metric = finding["metric"] + ("_ns" if finding["unit"] == "ns" else "")
        for launch in launches:
            value = launch[metric]
            counts = (
                launch["kind"] == "plain" and launch["state"] == finding["launch_state"]
                and launch["target"] in values and launch["outcome"] == "ready"
                and not launch["disturbed"] and launch["state_reached"] != "not-reached" and value)
            if counts:
                values[launch["target"]][launch["block"]] = value
        good, bad = values[baseline], values[candidate]
        blocks = sorted(good.keys() & bad.keys())
        self.logs = [math.log(bad[block]) - math.log(good[block]) for block in blocks]
        self.count = len(self.logs)
        self.bounds = paired_ratio(self.logs, said["confidence"]) if self.logs else [None] * 3
        self.ratio, self.low, self.high = (
            None if bound is None else math.exp(bound) for bound in self.bounds)

    def verdict(self, effect):
        if self.low is None:
            return "inconclusive"
        if self.low > 1 + effect:
            return "regression"
        if self.high < 1 / (1 + effect):
            return "improvement"
        is_within = self.low >= 1 / (1 + effect) and self.high <= 1 + effect
        return "same" if is_within else "inconclusive"


def sides(run, said, finding):
    """The two targets of a proof; of an older one, those that its criterion names."""
    if run == said["run"]:
        return said["baseline"], said["candidate"]
    for event in finding["events"]:
        for criterion in event["criteria"]:
            if criterion["id"] == "proof-ratio" and criterion["runs"] == [run]:
                bad, good = criterion["text"].split(",")[0].removeprefix("median of ").split(" / ")
                return f"{finding['target']}@{good}", f"{finding['target']}@{bad}"
    return None, None


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
    if proof.low is not None:
        found = smallest_detectable(*proof.bounds[1:], rule.effect, said["confidence"])
        check.number("proof smallest detectable", said["smallest_detectable"], found)


def verify_levels(check, finding, nights, rule):
    """The levels before and after the alert, their ratio, and its interval."""
    if finding["before"]:
        check.number("ratio", finding["ratio"], finding["after"] / finding["before"])
    proof = finding["proof"]
    is_usual = proof and proof["low"] is not None and proof["confidence"] == 0.95
    check.truth("ci95", finding["ci95"], [proof["low"], proof["high"]] if is_usual else None)
    said = [event["criteria"] for event in finding["events"] if event["criteria"]]
    check.truth("criteria", finding["criteria"], said[-1] if said else [])
    first = finding["events"][0]
    criteria = {criterion["id"]: criterion for criterion in first["criteria"]}
    if finding["kind"] == "drift":
        check.number("before", finding["before"], criteria["drift-then"]["value"])
        check.number("after", finding["after"], criteria["drift-now"]["value"])
    elif finding["kind"] == "budget":
        check.number("before", finding["before"], criteria["budget"]["limit"])
        check.number("after", finding["after"], nights.row(first["run"])["median"])
    else:
        check.number("before", finding["before"], criteria["baseline-median"]["value"])
        verify_after(check, finding, nights, rule)


def verify_after(check, finding, nights, rule):
    """The median of the newest nights that are of the level of the last look at the step."""
    events = finding["events"]
    event = [event for event in events if any(
        criterion["id"] == "baseline-median" for criterion in event["criteria"])][-1]
    arm = finding["target"], finding["launch_state"], finding["metric"]
    look = Event(check, nights, finding, event, rule)
    margin = look.margin(finding["before"])
    later = events[events.index(event) + 1:] if event["state"] == "suspected" else [event]
    run, at = last_look(nights.history, arm, event, later, lambda row: (
        look.sign * (row["median"] - finding["before"]) <= margin))
    chain = nights.history.chain(arm, run, at)
    chosen, _ = chain.baseline_nights(rule.nights)
    deviation = mad(chain.medians(chosen)) if chosen else 0
    scatter = max(2 * 1.4826 * deviation, margin)
    values = chain.medians(range(chain.place[finding["onset"]["run"]], len(chain.points)))
    level = []
    for value in reversed(values):
        if abs(value - values[-1]) > max(scatter, abs(value - finding["before"])):
            break
        level.append(value)
    check.number("after", finding["after"], median(level))


def last_look(history, arm, event, later, is_back):
    """The newest night that a step was looked at on, and a moment after it.

    A suspicion is looked at every night until the next event, but for nights of the level before.
    """
    end = later[0] if later else {"run": None, "at": "9999"}
    # Nights may begin in the second in which the one before ends: their order tells.
    place = {row["run"]: index for index, row in enumerate(history.rows)}

    def is_before_end(row):
        if end["run"] not in place:
            return row["started_at"] < end["at"]
        ahead = place[end["run"]] - place[row["run"]]
        return ahead > 0 or ahead == 0 and end is event and row["run"] == end["run"]

    host = next(row["fingerprint"] for row in history.rows if row["run"] == event["run"])
    rows = [row for row in history.rows
            if (row["target"], row["state"], row["metric"]) == arm and row["fingerprint"] == host
            and (row["status"] == "complete" or row["run"] == event["run"])
            and is_before_end(row) and not is_back(row)]
    last = rows[-1]
    if last["run"] == event["run"]:
        return event["run"], event["at"]
    return last["run"], min([row["started_at"] for row in history.rows
                             if row["started_at"] > last["started_at"]], default="9999")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nights_file")
    parser.add_argument("alerts_file")
    parser.add_argument("finding")
    parser.add_argument("launches", nargs="*")
    parser.add_argument("--effect", type=float, default=0.02)
    parser.add_argument("--floor-ns", type=float, default=0)
    parser.add_argument("--metrics", type=lambda text: text.split(","), default="launch,peak_rss")
    parser.add_argument("--nights-of-baseline", dest="nights", type=int, default=28)
    rule = parser.parse_args()
    with open(rule.finding, encoding="utf-8") as file:
        finding = json.load(file)
    check = Check()
    nights = Nights(read_lines(rule.nights_file), read_lines(rule.alerts_file), finding)
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
    verify_levels(check, finding, nights, rule)
    for event in finding["events"]:
        print(f"-- {event['at']} {event['state']}")
        Event(check, nights, finding, event, rule).verify()
    print(f"{check.numbers} numbers, {check.failures} differ")
    if check.numbers == 0:
        check.problem("there was nothing to compute")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
