#!/usr/bin/env python3
"""Writes paired-ratios.json and detectable-effects.json with NumPy and SciPy.

Nothing here comes from launchlab. usage: make_paired_fixtures.py (in this directory)
"""
import json
import numpy as np
from scipy import stats


def lower_rank(n):
    """The rank of the 2.5 % percentile of the bootstrap median, for odd n (Efron 1979)."""
    ranks = np.arange(1, n + 1)
    reached = stats.binom.sf((n + 1) // 2 - 1, n, ranks / n)
    return int(ranks[reached >= 0.025][0])


def paired_ratios(generator):
    cases = []
    for n in (5, 7, 21, 41):
        baseline = np.round(generator.lognormal(14, 0.1, n))
        candidate = np.round(baseline * generator.lognormal(0.03, 0.05, n))
        ratios = np.sort(candidate / baseline)
        rank = lower_rank(n)
        cases.append({
            "baseline": baseline.tolist(),
            "candidate": candidate.tolist(),
            "ratio": float(np.median(ratios)),
            "low": float(ratios[rank - 1]),
            "high": float(ratios[n - rank]),
        })
    return cases


def detectable_effects(generator):
    """The effect at which 80 % of fresh samples have their lower bound above the limit."""
    shapes = {
        "normal": lambda q: stats.norm.ppf(q),
        "laplace": lambda q: stats.laplace.ppf(q),
        "uniform": lambda q: stats.uniform.ppf(q) - 0.5,
    }
    cases = []
    for shape, quantile in shapes.items():
        for n in (11, 21, 51, 101):
            rank = lower_rank(n)
            draws = quantile(generator.random((100_000, n)))
            bounds = np.partition(draws, rank - 1, axis=1)[:, rank - 1]
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
