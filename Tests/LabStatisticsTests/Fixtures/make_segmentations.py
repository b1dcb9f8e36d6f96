#!/usr/bin/env python3
"""Writes segmentations.json beside it: series, cut by an implementation that is not launchlab's.

It follows the description in docs/methodology.md, with the median of each stretch taken anew.
Made with Python 3 and numpy 2.4: python3 make_segmentations.py
"""

import json
import math
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
GOLDEN = (math.sqrt(5) - 1) / 2


def deviation_table(y):
    n = len(y)
    table = np.full((n, n), np.inf)
    for first in range(n):
        for last in range(first, n):
            part = y[first:last + 1]
            table[first, last] = np.abs(part - np.median(part)).sum()
    return table


def cheapest(table, gamma):
    n = len(table)
    total = np.empty(n + 1)
    total[0] = -gamma
    start_of = np.empty(n, int)
    for last in range(n):
        sums = total[:last + 1] + gamma + table[:last + 1, last]
        # The latest of equal ones.
        start_of[last] = last - int(np.argmin(sums[::-1]))
        total[last + 1] = sums[start_of[last]]
    starts = []
    last = n - 1
    while last >= 0:
        starts.insert(0, int(start_of[last]))
        last = starts[0] - 1
    return starts, float(total[n])


def minimise(function, a, b, width, tolerance):
    """Golden section; the first two places that are tried are a and b themselves."""
    stretch = (1 - GOLDEN) * (b - a) / (2 * GOLDEN - 1)
    left, right = a - stretch, b + stretch
    inner = [right - GOLDEN * (right - left), left + GOLDEN * (right - left)]
    value = [function(x) for x in inner]
    enough = tolerance * max(map(abs, value))
    while right - left >= width and abs(value[0] - value[1]) >= enough:
        if value[1] < value[0]:
            left = inner[0]
            inner = [inner[1], left + GOLDEN * (right - left)]
            value = [value[1], function(inner[1])]
        else:
            right = inner[1]
            inner = [right - GOLDEN * (right - left), inner[0]]
            value = [function(inner[0]), value[0]]
    return inner[1] if value[1] < value[0] else inner[0]


def rate(y, starts):
    n = len(y)
    levels = [np.median(part) for part in np.split(y, starts[1:])]
    fitted = np.repeat(levels, np.diff(starts + [n]))
    e = y - fitted

    def total(rho):
        return np.abs(e - rho * np.concatenate([[0], e[:-1]])).sum()

    rho = minimise(total, -1, 1, 0.05, 1e-8)
    if len(levels) > 2:
        smallest = 0.1 * np.abs(np.diff(levels)).min()
    else:
        smallest = 0.001 * np.abs(levels).min()
    return 4 * math.log(n) / n * len(levels) + math.log(max(1e-300, smallest) + total(rho))


def segmentation(y):
    table = deviation_table(y)
    n = len(y)
    unit = table[0, -1] or 1.0
    tried = []

    def objective(x):
        starts, _ = cheapest(table, unit * math.exp(x))
        tried.append((rate(y, starts), len(tried), starts))
        return tried[-1][0]

    low = math.log(0.1 / n)
    minimise(objective, low, 0, 0.1 * abs(low), 0)
    return min(tried)[2]


def series():
    rng = np.random.default_rng(5)

    def steps(n, *changes):
        level = np.full(n, 400.0)
        for at, share in changes:
            level[at:] *= 1 + share
        return level

    def gauss(n):
        return 6 * rng.standard_normal(n)

    def correlated(n):
        e = np.zeros(n)
        for i in range(1, n):
            e[i] = 0.6 * e[i - 1] + 4.8 * rng.standard_normal()
        return e

    yield "gauss", steps(120) + gauss(120)
    yield "gauss, one step", steps(120, (70, 0.05)) + gauss(120)
    yield "gauss, up and down", steps(150, (50, 0.06), (100, -0.05)) + gauss(150)
    yield "gauss, three steps", steps(200, (40, 0.04), (90, 0.05), (150, -0.08)) + gauss(200)
    yield "correlated", steps(120) + correlated(120)
    yield "correlated, one step", steps(120, (60, 0.06)) + correlated(120)
    yield "bimodal, one step", steps(120, (80, 0.1)) + 16 * (rng.random(120) < 0.3) + gauss(120) / 2
    spikes = 150 * rng.random(120) * (rng.random(120) < 0.05)
    yield "spiky, one step", steps(120, (50, 0.06)) + spikes + gauss(120)
    yield "drift", np.linspace(400, 430, 100) + gauss(100)
    yield "without noise", np.repeat([5.0, 7.0, 6.0], [10, 12, 8])
    yield "rounded", np.round(steps(100, (30, 0.03)) / 4 + gauss(100) / 4)
    yield "long", steps(300, (130, 0.03), (220, -0.04)) + gauss(300)
    yield "short", steps(12, (6, 0.2)) + gauss(12)


def case(name, y):
    y = np.round(y, 3)
    table = deviation_table(y)
    given = []
    for share in (0.01, 0.03, 0.1, 0.3):
        gamma = round(share * table[0, -1], 6)
        starts, cost = cheapest(table, gamma)
        given.append({"gamma": gamma, "starts": starts, "cost": cost})
    return {"name": name, "values": y.tolist(), "given": given, "starts": segmentation(y)}


cases = [case(*pair) for pair in series()]
text = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
(HERE / "segmentations.json").write_text(f"[\n{text}\n]\n")
for c in cases:
    print(c["name"], c["starts"])
