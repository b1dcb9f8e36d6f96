"""Writes slow-counts.json (slow launches of nights, by a beta-binomial distribution) and share-intervals.json."""
import json
from pathlib import Path

import numpy as np
from scipy.stats import beta, betabinom

rng = np.random.default_rng(48)


def night(launches, kind):
    x = np.exp(rng.standard_normal(launches) * (.02 if kind == "quiet" else .05))
    if kind == "outliers":
        x *= np.where(rng.random(launches) < .08, rng.uniform(2, 4, launches), 1)
    if kind == "modes":
        x *= np.where(rng.random(launches) < .4, 1.2, 1)
    if kind == "bursts" and rng.random() < .33:
        start = rng.integers(0, launches)
        x[start:start + 6] *= rng.uniform(1.2, 2)
    return x


def case(nights, launches, kind, share):
    base = np.stack([night(launches, kind) for _ in range(nights)])
    last = np.stack([night(launches, kind) for _ in range(3)])
    last *= np.where(rng.random(last.shape) < share, 1.5, 1)
    base, last = (np.round(x / np.median(x, 1, keepdims=True), 4) for x in (base, last))
    limit = np.exp(max(3.5 * 1.4826 * np.median(np.abs(np.log(base))), np.log1p(.1)))
    count = (base > limit).sum(1)
    p = (count.sum() + .5) / (nights * launches + 1)
    excess = count.var(ddof=1) / (launches * p * (1 - p)) - (1 + 1.28 * np.sqrt(2 / (nights - 1)))
    rho = float(np.clip(excess / (launches - 1), 0, .5))

    def tail(x, size, rho):
        m = max(1 / max(rho, 1e-4) - 1, 1e-6)
        return float(betabinom.sf(x - 1, size, p * m, (1 - p) * m))

    late = (last > limit).sum(1)
    return {
        "baseline": base.tolist(), "last": last.tolist(), "limit": float(limit), "share": float(p),
        "correlation": rho, "tonight": tail(late[2], launches, rho),
        "together": tail(late.sum(), 3 * launches, rho / 3),
    }


def interval(count, total):
    low = 0. if count == 0 else float(beta.ppf(.025, count, total - count + 1))
    high = 1. if count == total else float(beta.ppf(.975, count + 1, total - count))
    return {"count": count, "total": total, "low": low, "high": high}


cases = [
    case(int(rng.integers(5, 29)), int(rng.integers(10, 31)), kind, share)
    for kind in ("quiet", "normal", "outliers", "modes", "bursts") for share in (0, 0, .1, .25)
]
totals = [(0, 20), (1, 20), (6, 20), (20, 20), (6, 140), (22, 140), (1, 140), (13, 140), (0, 1), (300, 5000)]
for name, values in (("slow-counts", cases), ("share-intervals", [interval(*t) for t in totals])):
    text = json.dumps(values, separators=(",", ":"))
    Path(__file__).with_name(f"{name}.json").write_text(f"{text}\n")
