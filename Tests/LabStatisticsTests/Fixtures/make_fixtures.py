#!/usr/bin/env python3
"""Writes the JSON files beside it with values from implementations that are not launchlab's.

Made with Python 3, numpy 2.4 and scipy 1.17: python3 make_fixtures.py
"""

import itertools
import json
import math
import pathlib
import statistics
from fractions import Fraction

import numpy as np
from scipy import stats
from scipy.optimize import linprog

HERE = pathlib.Path(__file__).parent


def samples():
    rng = np.random.default_rng(20261121)
    yield "two values", [1.0, 2.0]
    yield "five values", [3.0, 1.0, 4.0, 1.0, 5.0]
    yield "constant", [7.0] * 9
    yield "half equal", [5.0] * 8 + [6.0, 4.0, 5.5, 9.0, 100.0]
    yield "normal", rng.normal(100, 5, 50).tolist()
    yield "lognormal", np.exp(rng.normal(14, 0.4, 101)).round().tolist()
    yield "negative and positive", rng.normal(0, 1, 40).tolist()
    yield "large offset", (1e12 + rng.normal(0, 1, 64)).tolist()
    yield "rounded", rng.normal(10, 1, 60).round().tolist()
    yield "rising", (100 + 0.3 * np.arange(40) + rng.normal(0, 2, 40)).tolist()
    yield "spiky", np.where(rng.random(200) < 0.03, 500, 100 + rng.normal(0, 3, 200)).tolist()
    yield "long", np.exp(rng.normal(7, 0.3, 1500)).tolist()


def mann_kendall_score(values):
    x = np.asarray(values)
    n = len(x)
    # Kendall's tau-b against the order, with its normalisation taken out again.
    tau = stats.kendalltau(np.arange(n), x).statistic
    pairs = n * (n - 1) / 2
    ties = np.unique(x, return_counts=True)[1].astype(float)
    tied = (ties * (ties - 1) / 2).sum()
    if tied == pairs:
        return 0.0
    s = round(tau * math.sqrt(pairs * (pairs - tied)))
    variance = n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()
    return float((s - np.sign(s)) / math.sqrt(variance / 18))


def outliers(values):
    x = np.asarray(values)
    distance = x - np.median(x)
    mad = stats.median_abs_deviation(x)
    scale = mad / 0.6745 if mad > 0 else 1.253314 * np.abs(distance).mean()
    score = distance / scale if scale > 0 else distance * 0
    return int((score < -3.5).sum()), int((score > 3.5).sum())


def estimates(name, values):
    low, high = outliers(values)
    exact = [Fraction(v) for v in values]
    return {
        "name": name,
        "values": values,
        "mean": float(statistics.mean(exact)),
        "variance": float(statistics.variance(exact)),
        "median": float(np.median(values)),
        "mad": float(stats.median_abs_deviation(values)),
        "quantiles": [
            {"p": p, "value": float(np.quantile(values, p))}
            for p in (0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
        ],
        "lowOutliers": low,
        "highOutliers": high,
        "trendScore": mann_kendall_score(values),
        "slope": float(stats.theilslopes(values).slope) if len(values) <= 500 else None,
    }


def median_cdf(values):
    """Every resample of n draws, as a multiset with its multinomial count, exactly."""
    n = len(values)
    chances = {}
    for ranks in itertools.combinations_with_replacement(range(n), n):
        ways = math.factorial(n)
        for rank in set(ranks):
            ways //= math.factorial(ranks.count(rank))
        draws = sorted(values[rank] for rank in ranks)
        median = statistics.median(draws)
        chances[median] = chances.get(median, 0) + ways
    atoms = sorted(chances)
    totals = itertools.accumulate(chances[a] for a in atoms)
    return [{"value": a, "p": float(Fraction(t, n**n))} for a, t in zip(atoms, totals)]


def bootstrap_cases():
    rng = np.random.default_rng(7)
    for n in range(2, 9):
        values = sorted(rng.integers(0, 1000, n).astype(float).tolist())
        yield {"name": f"{n} integers", "values": values, "cumulative": median_cdf(values)}
    tied = [1.0, 2.0, 2.0, 2.0, 5.0, 5.0]
    yield {"name": "ties", "values": tied, "cumulative": median_cdf(tied)}
    spread = [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0, 10000000.0]
    yield {"name": "very skewed", "values": spread, "cumulative": median_cdf(spread)}


def interval_cases():
    rng = np.random.default_rng(11)
    for n in (5, 12, 15, 40, 101, 500):
        values = np.exp(rng.normal(14, 0.4, n)).round()
        resamples = 100_000
        result = stats.bootstrap(
            (values,), np.median, n_resamples=resamples, method="percentile",
            confidence_level=0.95, rng=rng, batch=1000)
        yield {
            "name": f"{n} values",
            "values": values.tolist(),
            "resamples": resamples,
            "low": float(result.confidence_interval.low),
            "high": float(result.confidence_interval.high),
        }


def tail_cases():
    for n, p, k in [
        (1, 0.5, 1), (5, 0.2, 3), (5, 0.8, 1), (10, 0.5, 5), (20, 0.45, 11), (50, 0.4, 26),
        (50, 0.6, 25), (101, 0.5, 51), (1000, 0.47, 500), (1000, 0.53, 500), (2001, 0.49, 1001),
        (100_000, 0.499, 50_000), (100_000, 0.503, 50_001), (100_000, 0.495, 50_000),
    ]:
        yield {"count": n, "probability": p, "least": k, "tail": float(stats.binom.sf(k - 1, n, p))}


def dip_by_linear_programme(values):
    """The least largest distance to a distribution function that is convex before the mode and
    concave after it, and may jump at the mode; every distinct value is tried as the mode."""
    x = np.asarray(values)
    at = np.unique(x)
    right = np.searchsorted(x, at, "right") / len(x)
    left = np.searchsorted(x, at, "left") / len(x)
    m = len(at)
    best = 1.0
    for mode in range(m):
        rows, limits = [], []

        def add(limit, *terms):
            row = np.zeros(2 * m + 1)
            for index, factor in terms:
                row[index] += factor
            rows.append(row)
            limits.append(limit)

        # Variables: the limits from the left, the values, and the distance.
        for i in range(m):
            add(-right[i], (m + i, -1), (2 * m, -1))
            add(right[i], (m + i, 1), (2 * m, -1))
            add(-left[i], (i, -1), (2 * m, -1))
            add(left[i], (i, 1), (2 * m, -1))
            add(0, (i, 1), (m + i, -1))
            if i != mode:
                add(0, (m + i, 1), (i, -1))
            if i + 1 < m:
                add(0, (m + i, 1), (i + 1, -1))
        for i in range(1, m - 1):
            before, after = at[i] - at[i - 1], at[i + 1] - at[i]
            growth = [
                (i, 1 / before), (m + i - 1, -1 / before), (i + 1, -1 / after), (m + i, 1 / after)]
            if i < mode:
                add(0, *growth)
            elif i > mode:
                add(0, *[(index, -factor) for index, factor in growth])
        goal = np.zeros(2 * m + 1)
        goal[-1] = 1
        result = linprog(goal, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (2 * m + 1))
        if result.status == 0:
            best = min(best, result.fun)
    return best


def dip_cases():
    rng = np.random.default_rng(5)
    yield "even", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    yield "two heaps", [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    yield "tied", np.sort(rng.normal(0, 2, 14).round()).tolist()
    for n in (3, 7, 12, 20, 30):
        yield f"normal {n}", np.sort(rng.normal(0, 1, n)).tolist()
        halves = np.concatenate([rng.normal(0, 1, n - n // 3), rng.normal(5, 1, n // 3)])
        yield f"two modes {n}", np.sort(halves).tolist()
        yield f"exponential {n}", np.sort(rng.exponential(1, n)).tolist()


def write(name, value):
    (HERE / f"{name}.json").write_text(json.dumps(value, indent=1) + "\n")


write("estimates", [estimates(name, values) for name, values in samples()])
write("median-distributions", list(bootstrap_cases()))
write("median-intervals", list(interval_cases()))
write("binomial-tails", list(tail_cases()))
write("dips", [
    {"name": name, "values": values, "dip": dip_by_linear_programme(values)}
    for name, values in dip_cases()
])
