#!/usr/bin/env python3
"""Writes locations.json and systems.json beside it, with values from NumPy and SciPy.

Made with Python 3, numpy 2.4 and scipy 1.17: python3 make_location_fixtures.py
"""

import json
import pathlib

import numpy as np
from scipy import optimize, stats

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(20261122)


def samples():
    yield "one value", [0.5]
    yield "two values", [1.0, -2.0]
    yield "constant", [0.25] * 7
    for n in (6, 7, 16, 33, 128, 301):
        yield f"normal {n}", rng.normal(0.3, 1, n).tolist()
    yield "heavy tails", rng.standard_t(2, 64).tolist()
    yield "large offset", (1e6 + rng.normal(0, 1, 40)).tolist()


def walsh(values, confidence=0.99):
    x = np.asarray(values)
    i, j = np.triu_indices(len(x))
    averages = np.sort((x[i] + x[j]) / 2)
    n = len(x)
    z = stats.norm.ppf(0.5 + confidence / 2)
    cut = n * (n + 1) / 4 - z * np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = max(0, int(np.floor(cut)))
    return float(np.median(averages)), float(averages[cut]), float(averages[-1 - cut])


def signed_rank(values):
    if len(values) < 6 or len(set(np.abs(values))) < len(values):
        return None
    return float(stats.wilcoxon(values, method="asymptotic", correction=True).pvalue)


def student_scale(values, df=4):
    if len(values) < 6 or len(set(values)) == 1:
        return None
    x = np.asarray(values)
    center = np.median(x)
    loss = lambda p: -stats.t.logpdf(x, df, center + p[0], np.exp(p[1])).sum()
    best = optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead",
                             options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000})
    return float(np.exp(best.x[1]))


rows = []
for name, values in samples():
    estimate, lower, upper = walsh(values)
    rows.append({"name": name, "values": values, "estimate": estimate, "lower": lower,
                 "upper": upper, "probability": signed_rank(values), "scale": student_scale(values)})
(HERE / "locations.json").write_text(json.dumps(rows, indent=1) + "\n")

systems = []
for n in (1, 2, 5, 12):
    root = rng.normal(0, 1, (n, n))
    matrix = root @ root.T + 0.1 * np.eye(n)
    right = rng.normal(0, 1, n)
    systems.append({"count": n, "matrix": matrix.ravel().tolist(), "right": right.tolist(),
                    "solution": np.linalg.solve(matrix, right).tolist(),
                    "inverse": np.linalg.inv(matrix).ravel().tolist(),
                    "logDeterminant": float(np.linalg.slogdet(matrix)[1])})
(HERE / "systems.json").write_text(json.dumps(systems, indent=1) + "\n")
