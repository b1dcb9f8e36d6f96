"""The formulas of docs/verdicts.md and docs/methodology.md once more, by the standard library."""
import collections
import math


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return ordered[middle - 1] / 2 + ordered[middle] / 2


def mad(values):
    center = median(values)
    return median([abs(value - center) for value in values])


def baseline(values):
    """Median and MAD of all nights, mean and standard deviation without outliers.

    An outlier has a modified z-score above 3.5; where more than 15 % would be, there are none.
    """
    center = median(values)
    deviation = mad(values)
    mean_deviation = math.fsum(abs(value - center) for value in values) / len(values)
    unit = 1.4826 * deviation if deviation > 0 else 1.253314 * mean_deviation
    kept = [index for index, value in enumerate(values) if abs(value - center) <= 3.5 * unit]
    if len(values) - len(kept) > 0.15 * len(values):
        kept = list(range(len(values)))
    used = [values[index] for index in kept]
    mean = math.fsum(used) / len(used)
    squares = math.fsum((value - mean) ** 2 for value in used)
    sd = math.sqrt(squares / (len(used) - 1)) if len(used) > 1 else 0
    return {"median": center, "mad": deviation, "mean": mean, "sd": sd, "n": len(used), "kept": kept}


def incomplete_beta(a, b, x):
    """The regularised incomplete beta function by its series, DLMF 8.17.8.

    The series x^a (1-x)^b / (a B(a, b)) * sum of (a+b)_k / (a+1)_k x^k has positive terms only.
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    term = total = 1.0
    k = 0
    while term > total * 1e-17 and k < 100_000:
        term *= (a + b + k) / (a + 1 + k) * x
        total += term
        k += 1
    return front / a * total


def t_upper_tail(t, freedom):
    """The probability of a value of at least t."""
    half = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return half if t >= 0 else 1 - half


def t_quantile(probability, freedom):
    """By bisection of the tail, down to neighbouring numbers."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_upper_tail(high, freedom) > 1 - probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if t_upper_tail(middle, freedom) > 1 - probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def tail_beyond(base, side, value, center, deviation):
    """How likely a night without a change is at least as far on a side of a baseline."""
    distance = side * (value - center)
    if deviation == 0:
        return 0.0 if distance > 0 else 1.0
    return t_upper_tail(distance / (deviation * math.sqrt(1 + 1 / base["n"])), base["n"] - 1)


def probability(base, values):
    """Of the last of at most three nights, or of two of them, if nothing had changed."""
    side = 1 if values[-1] >= base["median"] else -1
    single = tail_beyond(base, side, values[-1], base["mean"], base["sd"])
    if len(values) == 1:
        return min(1, 2 * single)
    robust = 1.4826 * base["mad"] or base["sd"]
    second = sorted(tail_beyond(base, side, value, base["median"], robust) for value in values)[1]
    return min(1, 2 * min(single, 3 * second ** 2 - 2 * second ** 3))


def false_discovery_limit(probabilities, rate=0.05):
    """What the largest accepted one is held against, and how many are accepted."""
    ordered = sorted(probabilities)
    n = len(ordered)
    largest = max((k for k in range(1, n + 1) if ordered[k - 1] <= rate * k / n), default=0)
    accepted = sum(p <= ordered[largest - 1] for p in ordered) if largest else 0
    return rate * max(accepted, 1) / n, accepted


def normal_quantile(probability):
    """By bisection of the complementary error function."""
    low, high = -40.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        if math.erfc(-middle / math.sqrt(2)) / 2 < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def squared_error_of_log_median(values):
    """Price and Bonett, 2002: from two values at equal ranks from both ends."""
    ordered = sorted(math.log(value) for value in values)
    n = len(ordered)
    rank = max(1, math.floor((n + 1) / 2 - math.sqrt(n) + 0.5))
    outside = math.fsum(math.comb(n, k) for k in range(rank)) / 2 ** n
    distance = ordered[n - rank] - ordered[rank - 1]
    return (distance / (2 * -normal_quantile(outside))) ** 2


def independent_interval(then, now, confidence):
    """Of now / then, for nights that are not paired."""
    error = math.sqrt(squared_error_of_log_median(then) + squared_error_of_log_median(now))
    score = normal_quantile((1 + confidence) / 2)
    center = median([math.log(v) for v in now]) - median([math.log(v) for v in then])
    return math.exp(center - score * error), math.exp(center + score * error)


def signed_rank_cut(n, confidence):
    """How many averages of two the interval leaves out at each end: exact up to 15 values."""
    if n > 15:
        deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(n * (n + 1) / 4 - normal_quantile((1 + confidence) / 2) * deviation)
    ways = collections.Counter({0: 1})
    for rank in range(1, n + 1):
        ways += collections.Counter({total + rank: count for total, count in ways.items()})
    cut = below = 0
    while below + ways[cut] <= (1 - confidence) / 2 * 2 ** n:
        below += ways[cut]
        cut += 1
    return cut


def hodges_lehmann(values, confidence):
    """The median of all averages of two, and the interval of the signed-rank test."""
    n = len(values)
    averages = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
    cut = signed_rank_cut(n, confidence)
    return median(averages), averages[cut], averages[-1 - cut]


def signed_median(values, confidence):
    """The median, and the interval of the sign test by Hettmansperger and Sheather, 1986."""
    ordered, n = sorted(values), len(values)

    def covered(rank):
        return 1 - 2 * math.fsum(math.comb(n, k) for k in range(rank)) / 2 ** n
    rank = max(r for r in range(1, n // 2 + 1) if covered(r) >= confidence)
    if 2 * (rank + 1) > n:
        return median(ordered), ordered[rank - 1], ordered[n - rank]
    share = (covered(rank) - confidence) / (covered(rank) - covered(rank + 1))
    inwards = (n - rank) * share / (rank + (n - 2 * rank) * share)
    low = (1 - inwards) * ordered[rank - 1] + inwards * ordered[rank]
    high = (1 - inwards) * ordered[n - rank] + inwards * ordered[n - rank - 1]
    return median(ordered), low, high


def widening(values, center):
    """By the correlation of neighbours, where chance alone has less in 90 % of cases."""
    n, distance = len(values), [value - center for value in values]
    reach = 3 * 1.4826 * median([abs(value) for value in distance])
    if reach == 0:
        return 1.0
    drawn_in = [min(reach, max(-reach, value)) for value in distance]
    found = (math.fsum(a * b for a, b in zip(drawn_in, drawn_in[1:]))
             / math.fsum(value * value for value in drawn_in))
    if found <= normal_quantile(0.9) / math.sqrt(n):
        return 1.0
    corrected = min(0.9, found + (1 + 3 * found) / n)
    return math.sqrt((1 + corrected) / (1 - corrected))


def fewest_pairs(confidence):
    """With fewer, all lie on one side of the true ratio too often."""
    return math.ceil(1 - math.log2(1 - confidence))


def paired_ratio(logs, confidence):
    """The ratio of pairs with its interval, as logarithms; no interval of too few."""
    estimator = hodges_lehmann
    if len(logs) > 15:
        by_rank, by_sign = hodges_lehmann(logs, 0.99), signed_median(logs, 0.99)
        if by_sign[2] - by_sign[1] < 0.85 * (by_rank[2] - by_rank[1]):
            estimator = signed_median
    if len(logs) < fewest_pairs(confidence):
        return hodges_lehmann(logs, 0.5)[0], None, None
    center, low, high = estimator(logs, confidence)
    wider = widening(logs, center)
    return center, center - wider * (center - low), center + wider * (high - center)


def smallest_detectable(low, high, effect, confidence):
    """The effect whose interval lies beyond the limit in 80 % of cases, from one interval."""
    share = normal_quantile(0.8) / normal_quantile((1 + confidence) / 2)
    return math.expm1(math.log1p(effect) + (high - low) / 2 * (1 + share))
