"""What airspeed velocity and Otava find in the public series of this directory, as cuts.json.

usage: make_cuts.py >cuts.json      (in this directory; needs asv 0.6.6 and apache-otava 0.8.0)

asv: detect_steps as published. Otava: p at most 0.001, windows of 50, changes of at least 2 %.
"""
import csv
import json

from asv.step_detect import detect_steps
from otava.analysis import compute_change_points


def series():
    for name in ("a11y", "runs1", "runs2", "runs3", "runs4", "runs5", "tp5rss"):
        with open(f"perfherder/{name}.csv", encoding="utf-8") as file:
            yield name, [float(row[1]) for row in list(csv.reader(file))[1:]]
    with open("otava/tigerbeetle.json", encoding="utf-8") as file:
        yield "tigerbeetle", json.load(file)["series"]
    with open("tcpd/series.json", encoding="utf-8") as file:
        for row in json.load(file):
            yield row["name"], row["values"]


def cuts(values):
    steps = detect_steps(values)
    points, _weak = compute_change_points(
        values, window_len=50, max_pvalue=0.001, min_magnitude=0.02)
    return {
        "asv": [step[0] for step in steps[1:]],
        "otava": sorted(int(point.index) for point in points)}


print(json.dumps([{"name": name, **cuts(values)} for name, values in series()], indent=1))
