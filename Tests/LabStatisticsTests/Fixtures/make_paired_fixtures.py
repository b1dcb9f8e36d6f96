#!/usr/bin/env python3
"""Writes paired-ratios.json and detectable-effects.json with NumPy and SciPy.

Nothing here comes from launchlab. usage: make_paired_fixtures.py (in this directory)
"""
import json
import numpy as np
from scipy import stats


def averages(values):
    """Of every two values, each with itself included, ascending."""
    first, second = np.triu_indices(len(values))
    return np.sort((values[first] + values[second]) / 2)


def signed_rank_cut(n, confidence):
    """How many averages the interval leaves out at each end."""
    if n > 15:
        mean, deviation = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return int(np.floor(mean - stats.norm.ppf((1 + confidence) / 2) * deviation))
    ways = np.array([1.0])
    for rank in range(1, n + 1):
        ways = np.convolve(ways, [1.0] + [0.0] * (rank - 1) + [1.0])
    return int(np.sum(np.cumsum(ways) / 2 ** n <= (1 - confidence) / 2))


def ranked(values, confidence):
    """The location of Hodges and Lehmann with its interval."""
    ordered = averages(values)
    cut = signed_rank_cut(len(values), confidence)
    return np.median(ordered), ordered[cut], ordered[-1 - cut]


def signed(values, confidence):
    """The median with the interval of Hettmansperger and Sheather."""
    ordered, n = np.sort(values), len(values)
    covered = 1 - 2 * stats.binom.cdf(np.arange(0, n // 2), n, 0.5)  # by rank, from 1
    rank = int(np.sum(covered >= confidence))
    outer, inner = covered[rank - 1], covered[rank]
    share = (outer - confidence) / (outer - inner)
    inwards = (n - rank) * share / (rank + (n - 2 * rank) * share)
    low = (1 - inwards) * ordered[rank - 1] + inwards * ordered[rank]
    high = (1 - inwards) * ordered[n - rank] + inwards * ordered[n - rank - 1]
    return np.median(ordered), low, high


def widening(values, center):
    """By the correlation of neighbours, where chance alone has less in 90 % of cases."""
    n, distance = len(values), values - center
    reach = 3 * 1.4826 * np.median(np.abs(distance))
    drawn_in = np.clip(distance, -reach, reach)
    found = np.dot(drawn_in[1:], drawn_in[:-1]) / np.dot(drawn_in, drawn_in)
    if found <= stats.norm.ppf(0.9) / np.sqrt(n):
        return 1.0
    corrected = min(0.9, found + (1 + 3 * found) / n)
    return np.sqrt((1 + corrected) / (1 - corrected))


def located(values, confidence=0.95):
    """Which of the two has the much narrower interval, widened."""
    is_median = False
    if len(values) > 15:
        by_rank, by_sign = ranked(values, 0.99), signed(values, 0.99)
        is_median = by_sign[2] - by_sign[1] < 0.85 * (by_rank[2] - by_rank[1])
    center, low, high = (signed if is_median else ranked)(values, confidence)
    wider = widening(values, center)
    return (
        "median" if is_median else "hodges-lehmann",
        center, center - wider * (center - low), center + wider * (high - center))


SHAPES = {
    "normal": lambda generator, n: generator.normal(0, 0.05, n),
    "modes": lambda generator, n: (
        generator.normal(0, 0.01, n)
        + generator.choice([-0.2, 0, 0, 0, 0.2], n)),
    "waves": lambda generator, n: 0.1 * np.sin(np.arange(n) / 3) + generator.normal(0, 0.02, n),
}


def paired_ratios(generator):
    cases = []
    for shape, noise in SHAPES.items():
        for n in (6, 7, 10, 15, 16, 21, 40):
            baseline = np.round(generator.lognormal(14, 0.1, n))
            candidate = np.round(baseline * np.exp(0.03 + noise(generator, n)))
            logs = np.log(candidate) - np.log(baseline)
            estimator, *bounds = located(logs)
            ratio, low, high = np.exp(bounds)
            cases.append({
                "shape": shape, "baseline": baseline.tolist(), "candidate": candidate.tolist(),
                "estimator": estimator, "ratio": float(ratio), "low": float(low),
                "high": float(high),
            })
    return cases


def detectable_effects(generator):
    """The effect at which 80 % of fresh samples have their lower bound above the limit."""
    draws = {
        "normal": lambda n: generator.normal(0, 1, n),
        "laplace": lambda n: generator.laplace(0, 1, n),
        "uniform": lambda n: generator.uniform(-0.5, 0.5, n),
    }
    cases = []
    for shape, draw in draws.items():
        for n in (11, 21, 51, 101):
            bounds = [located(draw(n))[2] for _ in range(4_000)]
            needed = -np.quantile(bounds, 0.2)
            for scale in (0.01, 0.1):
                cases.append({
                    "shape": shape, "pairs": n, "scale": scale, "limit": 0.02,
                    "effect": float(np.exp(np.log(1.02) + scale * needed) - 1),
                })
    return cases


generator = np.random.default_rng(4)
for name, cases in (
    ("paired-ratios", paired_ratios(generator)),
    ("detectable-effects", detectable_effects(generator)),
):
    with open(f"{name}.json", "w", encoding="utf-8") as file:
        json.dump(cases, file, indent=1)
        file.write("\n")
