#!/usr/bin/env python3
"""Writes paired-tails.json: what a reference of NumPy finds of slow launches in 200 random inputs.

Nothing here comes from launchlab. The inputs are those of PairedTailTests: numbers of SplitMix64.
usage: make_tail_fixtures.py REFERENCE   (a module with more_slow, bound and shares; in this directory)
"""
import importlib.util
import json
import sys
import numpy as np

spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)
MASK = (1 << 64) - 1


class Generator:
    """Source: Steele, Lea and Flood, OOPSLA 2014 (SplitMix64)."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        return ((bits ^ (bits >> 31)) >> 11) * 2.0 ** -53


def side(generator, count, scatter, share, extra, lost):
    """Times in ns; a share of them is longer, and a share never came."""
    values = []
    for _ in range(count):
        noise = generator.uniform() + generator.uniform() + generator.uniform()
        value = 1e6 * (1 + scatter * noise)
        if generator.uniform() < share:
            value = value * (1 + extra)
        if generator.uniform() < lost:
            value = float("inf")
        values.append(value)
    return np.array(values)


expected = []
for seed in range(200):
    generator = Generator(seed)
    count = 14 + int(generator.uniform() * 300)
    scatter = 0.3 * generator.uniform()
    extra = 2 * generator.uniform()
    lost = 0.1 * generator.uniform() if generator.uniform() < 0.3 else 0.0
    a = side(generator, count, scatter, 0.1 * generator.uniform(), extra, 0.0)
    b = side(generator, count, scatter, 0.4 * generator.uniform(), extra, lost)
    worse, better = reference.more_slow(a, b / 1.02), reference.more_slow(b, a / 1.02)
    shares = reference.shares(a, b, worse[1], 1.96)
    expected.append({
        "worse": list(worse), "better": list(better),
        "most": reference.bound(a, b, 2.5)[0], "mostOfBaseline": reference.bound(b, a, 1.645)[0],
        "difference": list(shares),
    })
with open("paired-tails.json", "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(one) for one in expected) + "\n]\n")
