#!/usr/bin/env python3
"""Writes the JSON files of distributions and tests that trends rest on, from SciPy.

Made with Python 3, numpy 2.4 and scipy 1.17: python3 make_trend_fixtures.py
"""

import json
import math
import pathlib

import numpy as np
from scipy import stats

HERE = pathlib.Path(__file__).parent


def student_cases():
    for df in (1, 2, 3, 4.5, 5, 10, 27, 100, 1000, 1e6, math.inf):
        for t in (0.01, 0.1, 0.7, 1.0, 2.0, 3.5, 8.0, 30.0, -1.5):
            tail = stats.norm.sf(t) if math.isinf(df) else stats.t.sf(t, df)
            if tail > 1e-280:
                yield {"df": None if math.isinf(df) else df, "t": t, "tail": float(tail)}


def quantile_cases():
    for df in (1, 2, 4, 5, 7.3, 12, 27, 200, math.inf):
        for p in (1e-12, 0.001, 0.025, 0.45, 0.51, 0.9, 0.975, 0.99, 0.999, 0.99999):
            value = stats.norm.ppf(p) if math.isinf(df) else stats.t.ppf(p, df)
            yield {"df": None if math.isinf(df) else df, "p": p, "value": float(value)}


def rate_cases():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 20, 60):
        for small in (0, n // 4, n // 2):
            p = np.concatenate([rng.random(small) * 0.02, rng.random(n - small)])
            rng.shuffle(p)
            for rate in (0.05, 0.2):
                accepted = stats.false_discovery_control(p, method="bh") <= rate
                yield {"p": p.tolist(), "rate": rate, "accepted": accepted.tolist()}
    yield {"p": [0.05, 0.05, 0.05], "rate": 0.05, "accepted": [True] * 3}
    # Only the largest keeps its limit, and takes the others with it.
    yield {"p": [0.04, 0.03, 0.045], "rate": 0.05, "accepted": [True] * 3}


def skewness_cases():
    rng = np.random.default_rng(4)
    for name, x in [
        ("three values", np.array([1.0, 2.0, 4.0])),
        ("normal", rng.normal(100, 5, 60)),
        ("lognormal", np.exp(rng.normal(3, 0.5, 80))),
        ("long tail below", -np.exp(rng.normal(0, 1, 41))),
        ("large offset", 1e9 + rng.exponential(1.0, 50)),
        ("small", 1e-200 * rng.exponential(1.0, 30)),
    ]:
        # Taken of the distances from the smallest, scaled: SciPy cubes the values as they are.
        scaled = (x - x.min()) / (x.max() - x.min())
        yield {"name": name, "values": x.tolist(), "skewness": float(stats.skew(scaled, bias=False))}


def log_median_error(x):
    logs = np.sort(np.log(x))
    n = len(logs)
    rank = max(1, int(np.floor((n + 1) / 2 - math.sqrt(n) + 0.5)))
    z = stats.norm.isf(stats.binom.cdf(rank - 1, n, 0.5))
    return np.median(logs), (logs[n - rank] - logs[rank - 1]) / (2 * z)


def ratio_cases():
    rng = np.random.default_rng(6)
    for n, m in ((5, 5), (5, 12), (7, 30), (28, 28), (51, 40), (200, 333)):
        before = np.exp(rng.normal(6, 0.02, n)).round(6)
        after = np.exp(rng.normal(6.03, 0.04, m)).round(6)
        (a, ea), (b, eb) = log_median_error(before), log_median_error(after)
        for confidence in (0.9, 0.95, 0.99):
            reach = stats.norm.ppf((1 + confidence) / 2) * math.hypot(ea, eb)
            yield {
                "before": before.tolist(), "after": after.tolist(), "confidence": confidence,
                "ratio": math.exp(b - a), "low": math.exp(b - a - reach),
                "high": math.exp(b - a + reach),
            }


def write(name, cases):
    text = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (HERE / f"{name}.json").write_text(f"[\n{text}\n]\n")


write("student-tails", student_cases())
write("student-quantiles", quantile_cases())
write("discovery-rates", rate_cases())
write("skewness", skewness_cases())
write("median-ratios", ratio_cases())
