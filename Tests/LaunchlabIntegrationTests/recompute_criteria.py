"""The criteria of docs/verdicts.md, each computed from the nights that it names."""
import math

from recompute_formulas import (
    baseline, bootstrap_median_interval, mad, median, t_quantile, t_upper_tail)

# As docs/verdicts.md has them; each is a method of Event, with underscores.
KNOWN = """
baseline-median baseline-mad baseline-mean baseline-sd t-prediction two-of-three effect floor
probability false-discovery control-moved floor-moved proof-ratio proof-ratio-low proof-ratio-high
same-build no-proof segmentation-step level-back budget budget-low budget-high drift-then drift-now
drift-explained drift-ratio-low drift-ratio-high
""".split()


class Event:
    """The criteria of one event, by what they rest on."""

    def __init__(self, check, nights, finding, event, rule):
        self.check, self.nights, self.finding, self.rule = check, nights, finding, rule
        self.criteria = {criterion["id"]: criterion for criterion in event["criteria"]}
        # Which side is looked at: larger values, or smaller ones. Less of every metric is better.
        self.sign = 1 if finding["direction"] == "worse" else -1

    def runs(self, name):
        return self.criteria[name]["runs"]

    def margin(self, level):
        if level == 0:
            return max(self.least_change, {"ns": 1000, "B": 4096, "1": 1}[self.finding["unit"]])
        return max(self.rule.effect * abs(level), self.least_change)

    @property
    def least_change(self):
        return self.rule.floor_ns if self.finding["unit"] == "ns" else 0

    @property
    def base(self):
        """The baseline from the runs that the criterion of its median names."""
        return baseline(self.nights.medians(self.runs("baseline-median")))

    def verify(self):
        for name, criterion in self.criteria.items():
            if name not in KNOWN:
                self.check.problem(f"the criterion {name} is unknown")
                continue
            try:
                getattr(self, name.replace("-", "_"))(criterion)
            except KeyError as error:
                self.check.problem(f"{name} needs {error}, which was not given")

    def say(self, criterion, value, limit=None, met=None, n=None):
        name = criterion["id"]
        self.check.number(f"{name} value", criterion["value"], value)
        self.check.number(f"{name} limit", criterion["limit"], limit)
        if met is not None:
            self.check.truth(f"{name} met", criterion["met"], met)
        if n is not None:
            self.check.truth(f"{name} n", criterion["n"], n)

    # The baseline.

    def baseline_median(self, criterion):
        values = self.nights.medians(criterion["runs"])
        self.say(criterion, median(values), met=False, n=len(values))

    def baseline_mad(self, criterion):
        values = self.nights.medians(criterion["runs"])
        self.say(criterion, mad(values), met=False, n=len(values))

    def baseline_mean(self, criterion):
        self.kept_runs(criterion)
        self.say(criterion, self.base["mean"], met=False, n=self.base["n"])

    def baseline_sd(self, criterion):
        self.kept_runs(criterion)
        self.say(criterion, self.base["sd"], met=False, n=self.base["n"])

    def kept_runs(self, criterion):
        runs = self.runs("baseline-median")
        kept = [runs[index] for index in self.base["kept"]]
        self.check.truth(f"{criterion['id']} runs", criterion["runs"], kept)

    # The suspicion.

    def t_prediction(self, criterion):
        value = self.nights.medians(criterion["runs"])[-1]
        limit = self.prediction_limit(self.base)
        self.say(criterion, value, limit, self.beyond(value, limit), self.base["n"])

    def prediction_limit(self, base):
        spread = base["sd"] * math.sqrt(1 + 1 / base["n"])
        quantile = t_quantile(0.999, base["n"] - 1)
        return base["mean"] + self.side() * quantile * spread

    def side(self):
        """The side of tonight's value, which may be the other one than that of the alert."""
        tonight = self.nights.medians(self.runs("t-prediction"))[-1]
        difference = tonight - self.base["median"]
        return 1 if difference >= 0 else -1

    def beyond(self, value, limit):
        return self.side() * (value - limit) > 0

    def robust_limit(self):
        base = self.base
        scatter = 2.5 * 1.4826 * base["mad"]
        return base["median"] + self.side() * max(scatter, self.margin(base["median"]))

    def two_of_three(self, criterion):
        values = self.nights.medians(criterion["runs"])
        limit = self.robust_limit()
        count = sum(self.beyond(value, limit) for value in values)
        met = count >= 2 and self.beyond(values[-1], limit)
        self.say(criterion, values[-1], limit, met, count)

    def effect(self, criterion):
        base = self.base["median"]
        share = (self.nights.medians(criterion["runs"])[-1] - base) / abs(base)
        limit = self.side() * self.rule.effect
        self.say(criterion, share, limit, self.side() * share > self.rule.effect)

    def floor(self, criterion):
        base = self.base["median"]
        change = self.nights.medians(criterion["runs"])[-1] - base
        floor = self.margin(0) if base == 0 else self.least_change
        self.say(criterion, change, self.side() * floor, self.side() * change > floor)

    def probability(self, criterion):
        values = self.nights.medians(criterion["runs"])
        value = self.probability_of(values)
        self.say(criterion, value, met=value <= 0.05, n=len(values))

    def probability_of(self, values):
        tails = [self.tail(value) for value in values]
        if len(tails) == 1:
            return min(1, 2 * tails[0])
        second = sorted(tails)[1]
        return min(1, 2 * min(tails[-1], 3 * second ** 2 - 2 * second ** 3))

    def tail(self, value):
        base = self.base
        spread = base["sd"] * math.sqrt(1 + 1 / base["n"])
        distance = self.side() * (value - base["mean"])
        if spread == 0:
            return 0 if distance > 0 else 1
        return t_upper_tail(distance / spread, base["n"] - 1)

    def false_discovery(self, criterion):
        value = self.probability_of(self.nights.medians(self.runs("probability")))
        # Of n series, the limit of the method is a whole multiple of 0.05 / n, at most 0.05.
        rank = round(criterion["limit"] * criterion["n"] / 0.05)
        self.check.truth("false-discovery rank", 1 <= rank <= criterion["n"], True)
        limit = 0.05 * rank / criterion["n"]
        self.say(criterion, value, limit, value <= limit)

    # Code or machine.

    def control_moved(self, criterion):
        self.other(criterion, "control")

    def floor_moved(self, criterion):
        self.other(criterion, "empty")

    def other(self, criterion, target):
        values = self.nights.medians(criterion["runs"], target)
        ratio = values[-1] / median(values[:-1])
        self.say(criterion, ratio, 1 + self.sign * self.rule.effect, n=len(values) - 1)

    def segmentation_step(self, criterion):
        values = self.nights.medians(criterion["runs"])
        old = self.old_level(criterion)
        change = 1 if criterion["value"] > old else -1
        self.say(criterion, median(values), old + change * self.margin(old), n=len(values))

    def old_level(self, criterion):
        """The limit is the old level and a margin, which is a share of it or the floor."""
        up = criterion["value"] > criterion["limit"]
        factor = 1 + self.rule.effect if up else 1 - self.rule.effect
        level = criterion["limit"] / factor
        if self.rule.effect * abs(level) >= self.least_change:
            return level
        return criterion["limit"] - (self.least_change if up else -self.least_change)

    def level_back(self, criterion):
        before = self.finding["before"]
        values = self.nights.medians(criterion["runs"])
        limit = before + self.sign * self.margin(before)
        met = all(self.sign * (value - limit) <= 0 for value in values)
        self.say(criterion, values[-1], limit, met, len(values))

    def same_build(self, criterion):
        self.say(criterion, 1, met=False)

    def no_proof(self, criterion):
        self.say(criterion, None, met=False)

    # The proof.

    def proof_ratio(self, criterion):
        proof = self.proof(criterion)
        met = proof.verdict(self.rule.effect) == ("regression" if self.sign > 0 else "improvement")
        self.say(criterion, proof.ratio, self.proof_limit(), met, proof.count)

    def proof_ratio_low(self, criterion):
        proof = self.proof(criterion)
        self.say(criterion, proof.low, self.proof_limit(), (proof.low or 0) > 1 + self.rule.effect)

    def proof_ratio_high(self, criterion):
        proof = self.proof(criterion)
        high = math.inf if proof.high is None else proof.high
        self.say(criterion, proof.high, self.proof_limit(), high < 1 / (1 + self.rule.effect))

    def proof(self, criterion):
        return self.rule.proofs[criterion["runs"][0]]

    def proof_limit(self):
        return 1 + self.rule.effect if self.sign > 0 else 1 / (1 + self.rule.effect)

    # Budgets.

    def budget(self, criterion):
        self.budget_part(criterion, self.nights.row(criterion["runs"][0])["median"])

    def budget_low(self, criterion):
        self.budget_part(criterion, self.interval(criterion)[0])

    def budget_high(self, criterion):
        self.budget_part(criterion, self.interval(criterion)[1])

    def interval(self, criterion):
        return self.nights.row(criterion["runs"][0])["ci95"] or (None, None)

    def budget_part(self, criterion, value):
        limit = self.finding["before"]
        self.say(criterion, value, limit, (value or 0) > limit, 1)

    # Drift.

    def drift_then(self, criterion):
        values = self.nights.medians(criterion["runs"])
        self.say(criterion, median(values), met=False, n=len(values))

    drift_now = drift_then

    def drift_explained(self, criterion):
        """It is a product over other alerts; what is checked is that the bounds agree with it."""
        self.say(criterion, criterion["value"], met=False)

    def drift_ratio_low(self, criterion):
        low = self.drift_bounds()[0]
        limit = 1 + self.rule.effect
        self.say(criterion, low, limit, low > limit)

    def drift_ratio_high(self, criterion):
        high = self.drift_bounds()[1]
        limit = 1 / (1 + self.rule.effect)
        self.say(criterion, high, limit, high < limit)

    def drift_bounds(self):
        """Distances of the bounds from the medians, as logarithms, added in squares."""
        then = sorted(self.nights.medians(self.runs("drift-then")))
        now = sorted(self.nights.medians(self.runs("drift-now")))
        (then_low, then_high), (now_low, now_high) = (
            bootstrap_median_interval(values, 0.95) for values in (then, now))
        ratio = median(now) / median(then)
        down = math.hypot(math.log(median(now) / now_low), math.log(then_high / median(then)))
        up = math.hypot(math.log(now_high / median(now)), math.log(median(then) / then_low))
        explained = self.criteria["drift-explained"]["value"]
        return ratio * math.exp(-down) / explained, ratio * math.exp(up) / explained
