"""The formulas of docs/verdicts.md and docs/methodology.md once more, by the standard library."""
import bisect
import functools
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


@functools.cache
def binomial_tail(count, probability, least):
    """Of at least so many successes, summed from the smaller side."""
    def mass(k):
        return math.exp(
            math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
            + k * math.log(probability) + (count - k) * math.log1p(-probability))
    if least > count * probability:
        return math.fsum(mass(k) for k in range(least, count + 1))
    return 1 - math.fsum(mass(k) for k in range(0, least))


def median_cumulative(ordered, value):
    """The probability that the median of a resample is at most a value."""
    n = len(ordered)
    rank = bisect.bisect_right(ordered, value)
    if rank == 0:
        return 0.0
    if rank == n:
        return 1.0
    half = n // 2
    if n % 2:
        return binomial_tail(n, rank / n, half + 1)
    # The lower middle draw is at most the value, and the upper one does not make up for it.
    ways = math.lgamma(n + 1) - 2 * math.lgamma(half + 1)
    excess = 0.0
    upper = rank
    for lower in range(rank, 0, -1):
        while upper < n and ordered[lower - 1] / 2 + ordered[upper] / 2 <= value:
            upper += 1
        if upper == n:
            break
        both = half * (math.log(lower / n) + math.log((n - upper) / n))
        share = 1.0 if lower == 1 else -math.expm1(half * math.log1p(-1 / lower))
        term = math.exp(ways + both) * share
        excess += term
        if term < 1e-22:
            break
    return binomial_tail(n, rank / n, half) - excess


def median_quantile(ordered, probability, halvings):
    """The smallest value that the median does not exceed with at least this probability."""
    place = bisect.bisect_left(
        ordered, probability, hi=len(ordered) - 1, key=lambda item: median_cumulative(ordered, item))
    if len(ordered) % 2 or place == 0:
        return ordered[place]
    low, high = ordered[place - 1], ordered[place]
    for _ in range(halvings):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        if median_cumulative(ordered, middle) >= probability:
            high = middle
        else:
            low = middle
    return high


def bootstrap_median_interval(ordered, confidence, halvings=2000):
    """What a percentile bootstrap of the median tends to as its resamples grow in number."""
    tail = (1 - confidence) / 2
    return (median_quantile(ordered, tail, halvings), median_quantile(ordered, 1 - tail, halvings))


class SplitMix64:
    """Steele, Lea and Flood, OOPSLA 2014."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        mask = 2 ** 64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        return ((bits ^ (bits >> 31)) >> 11) * 2.0 ** -53


def quantile(values, share):
    """By linear interpolation between order statistics, type 7."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def smallest_detectable(logs, effect, confidence, seed):
    """The effect that 80 % of 500 series, drawn in runs from these log-ratios, would detect."""
    n = len(logs)
    if n < 5:
        return None
    center = median(logs)
    values = [log - center for log in logs]
    length = math.ceil(round(n ** (1 / 3), 12))
    generator = SplitMix64(seed)
    tail = (1 - confidence) / 2
    lows, highs = [], []
    for _ in range(500):
        drawn = []
        while len(drawn) < n:
            start = int(generator.uniform() * n)
            drawn += [values[(start + step) % n] for step in range(min(length, n - len(drawn)))]
        drawn.sort()
        lows.append(median_quantile(drawn, tail, 10))
        highs.append(median_quantile(drawn, 1 - tail, 10))
    reach = max(-quantile(lows, 0.2), quantile(highs, 0.8))
    return math.expm1(math.log1p(effect) + max(0, reach))
