#!/usr/bin/env python3
"""Simulates the 99 % quantile of the dip of uniform samples, times the square root of n.

Made with Python 3 and numpy 2.4: python3 make_dip_quantiles.py (about a minute)
The dip is computed by the steps of Hartigan and Hartigan (1985), written here a second time; on 120
random samples it agreed with the linear programme of make_fixtures.py.
"""

import json
import pathlib

import numpy as np

SIZES = [
    (8, 20_000), (10, 20_000), (12, 20_000), (15, 20_000), (20, 20_000), (30, 20_000),
    (50, 20_000), (100, 15_000), (200, 10_000), (500, 5_000), (1000, 4_000), (2000, 2_000)]


def hull(x, low, high, sign):
    corners = []
    for i in range(low, high + 1):
        while len(corners) >= 2:
            a, b = corners[-2:]
            if sign * ((b - a) * (x[i] - x[b]) - (i - b) * (x[b] - x[a])) < 0:
                break
            corners.pop()
        corners.append(i)
    return corners


def line(x, a, b, at):
    return a + (b - a) * (at - x[a]) / (x[b] - x[a]) if x[b] > x[a] else b


def dip(x):
    low, high, best = 0, len(x) - 1, 1.0
    while True:
        below, above = hull(x, low, high, 1), hull(x, low, high, -1)
        widest, inner = 1.0, (low, high)
        k = 0
        for v in above[1:-1]:
            while below[k + 1] < v:
                k += 1
            gap = v - line(x, below[k], below[k + 1], x[v]) + 1
            if gap > widest:
                widest, inner = gap, (below[k], v)
        k = 0
        for v in below[1:-1]:
            while above[k + 1] < v:
                k += 1
            gap = line(x, above[k], above[k + 1], x[v]) - v + 1
            if gap > widest:
                widest, inner = gap, (v, above[k + 1])
        if widest <= best:
            break
        for a, b in zip(below, below[1:]):
            if b <= inner[0]:
                best = max(best, max(i - line(x, a, b, x[i]) + 1 for i in range(a, b + 1)))
        for a, b in zip(above, above[1:]):
            if a >= inner[1]:
                best = max(best, max(line(x, a, b, x[i]) - i + 1 for i in range(a, b + 1)))
        if inner == (low, high):
            break
        low, high = inner
    return best / (2 * len(x))


rng = np.random.default_rng(20260101)
rows = []
for n, samples in SIZES:
    dips = [dip(np.sort(rng.random(n)).tolist()) for _ in range(samples)]
    quantile = float(np.quantile(dips, 0.99)) * n**0.5
    rows.append({"count": n, "samples": samples, "scaledQuantile": round(quantile, 5)})
path = pathlib.Path(__file__).with_name("dip-quantiles.json")
path.write_text(json.dumps(rows, indent=1) + "\n")
