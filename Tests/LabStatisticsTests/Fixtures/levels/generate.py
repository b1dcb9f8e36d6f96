"""Histories of 200 nights with known changes, and the changes that Otava finds in them.

usage: generate.py >histories.json      (needs numpy and apache-otava 0.8.0)

Levels are around 1, in units of 0.0001. Each history is one of seven shapes of noise, with a scatter of
0.5 to 4 %, and has no change, one to three lasting steps of 3 to 12 % either way, or a step of 5 or 8 % that
goes back after 8 to 60 nights. Otava: p at most 0.001, windows of 50, changes of at least 2 %.
"""
import json

import numpy as np
from otava.analysis import compute_change_points

SHAPES = ["gauss", "spiky", "bimodal", "ar1", "drift", "t3", "weekly"]
KINDS = ["none", "steps", "pair"]
SCATTERS = [0.005, 0.01, 0.02, 0.04]
EACH = 4
NIGHTS = 200


def noise(generator, shape, scatter):
    normal = generator.standard_normal(NIGHTS)
    nights = np.arange(NIGHTS)
    if shape == "spiky":
        spikes = (generator.random(NIGHTS) < 0.05) * (0.15 + 0.25 * generator.random(NIGHTS))
        return 1 + scatter * normal + spikes
    if shape == "bimodal":
        return np.where(generator.random(NIGHTS) < 0.3, 1.06, 1) + scatter / 2 * normal
    if shape == "ar1":
        values, last = np.empty(NIGHTS), generator.standard_normal()
        for night in nights:
            last = 0.6 * last + 0.8 * normal[night]
            values[night] = 1 + scatter * last
        return values
    if shape == "drift":
        return 1 + 0.05 * nights / NIGHTS + scatter * normal
    if shape == "t3":
        return 1 + scatter * generator.standard_t(3, NIGHTS) / np.sqrt(3)
    if shape == "weekly":
        return 1 + scatter * normal + 0.5 * scatter * np.sin(2 * np.pi * nights / 7)
    return 1 + scatter * normal


def history(generator, shape, scatter, kind):
    values, changes = noise(generator, shape, scatter), []
    if kind == "steps":
        count = generator.integers(1, 4)
        for night in np.sort(generator.choice(np.arange(15, NIGHTS - 15), count, replace=False)):
            size = generator.choice([0.03, 0.05, 0.08, 0.12]) * generator.choice([1, -1], p=[0.7, 0.3])
            values[night:] *= 1 + size
            changes.append(int(night))
    if kind == "pair":
        night, length = generator.integers(20, NIGHTS - 80), generator.integers(8, 60)
        values[night:night + length] *= 1 + generator.choice([0.05, 0.08])
        changes = [int(night), int(night + length)]
    return values, changes


def main():
    rows = []
    for place, shape in enumerate(SHAPES):
        for scatter in SCATTERS:
            for kind in KINDS:
                generator = np.random.default_rng([20261123, place, int(scatter * 1e4), KINDS.index(kind)])
                for _ in range(EACH):
                    values, changes = history(generator, shape, scatter, kind)
                    whole = [int(value) for value in np.round(values * 10_000)]
                    found, _weak = compute_change_points(
                        [float(value) for value in whole], window_len=50, max_pvalue=0.001, min_magnitude=0.02)
                    rows.append({
                        "shape": shape, "scatter": scatter, "kind": kind, "changes": changes,
                        "otava": [int(point.index) for point in found], "values": whole})
    print("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]")


main()
