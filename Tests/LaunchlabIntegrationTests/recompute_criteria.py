"""The criteria of docs/verdicts.md, each computed from the nights that it names."""
import math

from recompute_formulas import (
    baseline, false_discovery_limit, independent_interval, mad, median, probability, t_quantile)

# As docs/verdicts.md has them; each is a method of Event, with underscores.
KNOWN = """
baseline-median baseline-mad baseline-mean baseline-sd t-prediction two-of-three effect floor
probability false-discovery control-moved floor-moved proof-ratio proof-ratio-low proof-ratio-high
same-build no-proof segmentation-step level-back return-step return-sd level-returned
lasting-step lasting-sd level-lasts budget budget-low budget-high drift-then drift-now
drift-explained drift-ratio-low drift-ratio-high
""".split()


class Event:
    """The criteria of one event, by what they rest on."""

    def __init__(self, check, nights, finding, event, rule):
        self.check, self.nights, self.finding, self.rule = check, nights, finding, rule
        self.at, self.run, self.reason = event["at"], event["run"], event["reason"]
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
        chosen, _ = self.chain.baseline_nights(self.rule.nights)
        runs = [self.chain.points[index]["run"] for index in chosen]
        self.check.truth("nights of the baseline", criterion["runs"], runs)

    @property
    def chain(self):
        """The series as it was before the night of the event."""
        arm = self.finding["target"], self.finding["launch_state"], self.finding["metric"]
        return self.nights.history.chain(arm, self.run, self.at)

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

    def robust_limit(self, base):
        scatter = 2 * 1.4826 * base["mad"]
        return base["median"] + self.side() * max(scatter, self.margin(base["median"]))

    def two_of_three(self, criterion):
        values = self.nights.medians(criterion["runs"])
        limit = self.robust_limit(self.base)
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
        value = probability(self.base, values)
        self.say(criterion, value, met=value <= 0.05, n=len(values))

    def false_discovery(self, criterion):
        """Over all judged series of the night, each held against a baseline of its own."""
        history = self.nights.history
        arms = history.arms(self.run, self.rule.metrics)
        found = [history.chain(arm, self.run, self.at).probability(self.rule.nights) for arm in arms]
        found = [value for value in found if value is not None]
        value = probability(self.base, self.nights.medians(self.runs("probability")))
        limit, accepted = false_discovery_limit(found)
        met = accepted > 0 and value <= sorted(found)[accepted - 1]
        self.say(criterion, value, limit, met, len(found))

    # Code or machine.

    def control_moved(self, criterion):
        self.other(criterion, "control")

    def floor_moved(self, criterion):
        self.other(criterion, "empty")

    def other(self, criterion, target):
        """A series that no change of the code can move; it has moved when it is a candidate."""
        runs = criterion["runs"]
        values = self.nights.medians(runs, target)
        base = baseline(values[:-1])
        ratio = values[-1] / base["median"]
        arm = target, self.finding["launch_state"], self.finding["metric"]
        chain = self.nights.history.chain(arm, self.run, self.at)
        self.check.truth(f"{criterion['id']} tonight", runs[-1], self.run)
        side = 1 if values[-1] >= base["median"] else -1

        def is_beyond(value, distance, center):
            return side * (value - center) > distance
        spread = t_quantile(0.999, base["n"] - 1) * base["sd"] * math.sqrt(1 + 1 / base["n"])
        margin = self.margin(base["median"])
        robust = max(2 * 1.4826 * base["mad"], margin)
        recent = chain.medians(chain.recent(chain.baseline_nights(self.rule.nights)[1]))
        pair = sum(is_beyond(value, robust, base["median"]) for value in recent) >= 2
        is_candidate = is_beyond(values[-1], margin, base["median"]) and (
            is_beyond(values[-1], spread, base["mean"])
            or pair and is_beyond(values[-1], robust, base["median"]))
        limit = 1 + self.sign * self.rule.effect
        self.say(criterion, ratio, limit, is_candidate and side == self.sign, len(values) - 1)

    def segmentation_step(self, criterion):
        """The nights of the level before, then those of the new one."""
        values = self.nights.medians(criterion["runs"])
        n = criterion["n"]
        before, after = values[:-n], values[-n:]
        old, new = median(before), median(after)
        error = max(mean_deviation(before), mean_deviation(after))
        met = self.sign * (new - old) > max(self.margin(old), error) and n >= 3
        self.say(criterion, new, old + self.sign * self.margin(old), met)

    def level_back(self, criterion):
        before, sign = self.finding["before"], self.sign
        other = self.nights.explained_by(self.reason)
        if other:
            before, sign = other["before"], 1 if other["direction"] == "worse" else -1
        values = self.nights.medians(criterion["runs"])
        limit = before + sign * self.margin(before)
        met = all(sign * (value - limit) <= 0 for value in values)
        self.say(criterion, values[-1], limit, met, len(values))
        self.check.truth("level-back tonight", criterion["runs"][-1], self.run)

    def return_step(self, criterion):
        """Between once and twice the margin: the bound of the proof of then is not kept."""
        margin = self.margin(self.finding["before"])
        self.check.truth(criterion["id"], margin <= criterion["value"] <= 2 * margin, True)

    def return_sd(self, criterion):
        """From the nights of the baseline that the criterion names, and those since the onset."""
        values = self.nights.medians(criterion["runs"])
        base = baseline(values)
        kept = [values[index] - base["mean"] for index in base["kept"]]
        squares = math.fsum(value * value for value in kept)
        products = math.fsum(a * b for a, b in zip(kept, kept[1:]))
        correlation = min(0.9, max(0, products / squares)) if squares > 0 else 0
        arm = self.finding["target"], self.finding["launch_state"], self.finding["metric"]
        chain = self.nights.history.chain(arm, self.run, self.at)
        since = chain.medians(range(chain.place[self.finding["onset"]["run"]], len(chain.points)))
        steps = [abs(b - a) for a, b in zip(since, since[1:])]
        neighbours = 1.4826 * median(steps) / math.sqrt(2) if len(steps) >= 5 else 0
        deviation = max(base["sd"], 1.4826 * base["mad"], neighbours, 1e-9 * abs(base["median"]))
        sd = deviation * math.sqrt((1 + correlation) / (1 - correlation))
        self.say(criterion, sd, n=len(values))

    def level_returned(self, criterion):
        step = self.criteria["return-step"]["value"]
        variance = self.criteria["return-sd"]["value"] ** 2
        before, most = self.finding["before"], math.log(10_000) / 3
        values = self.nights.medians(criterion["runs"])
        total = math.fsum(
            min(most, step * (step / 2 - self.sign * (value - before)) / variance)
            for value in values)
        self.say(criterion, math.exp(total), 10_000, True, len(values))

    def lasting_step(self, criterion):
        """The whole change, and no less than the margin."""
        before = self.finding["before"]
        change = abs(self.criteria["segmentation-step"]["value"] - before)
        self.say(criterion, max(self.margin(before), change))

    lasting_sd = return_sd

    def level_lasts(self, criterion):
        step = self.criteria["lasting-step"]["value"]
        variance = self.criteria["lasting-sd"]["value"] ** 2
        before, most = self.finding["before"], math.log(10_000) / 7
        values = self.nights.medians(criterion["runs"])
        total = math.fsum(
            min(most, step * (self.sign * (value - before) - step / 2) / variance)
            for value in values)
        self.say(criterion, math.exp(total), 10_000, True, len(values))

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
        met = (proof.low or 0) > 1 + self.rule.effect
        self.say(criterion, proof.low, self.proof_limit(), met, proof.count)

    def proof_ratio_high(self, criterion):
        proof = self.proof(criterion)
        high = math.inf if proof.high is None else proof.high
        met = high < 1 / (1 + self.rule.effect)
        self.say(criterion, proof.high, self.proof_limit(), met, proof.count)

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

    def explained(self):
        """The product of the ratios of the settled steps since then, as they were that night."""
        chain = self.chain
        last = chain.place[self.runs("drift-then")[-1]]
        product = 1.0
        for alert in chain.steps:
            is_settled = alert["state"] in ("confirmed", "acknowledged")
            if is_settled and chain.place[alert["onset"]] > last:
                product *= alert["after"] / alert["before"]
        return product

    def drift_explained(self, criterion):
        self.say(criterion, self.explained(), met=False, n=self.drift_count)

    def drift_ratio_low(self, criterion):
        low = self.drift_bounds()[0]
        limit = 1 + self.rule.effect
        self.say(criterion, low, limit, low > limit, self.drift_count)

    def drift_ratio_high(self, criterion):
        high = self.drift_bounds()[1]
        limit = 1 / (1 + self.rule.effect)
        self.say(criterion, high, limit, high < limit, self.drift_count)

    @property
    def drift_count(self):
        return len(self.runs("drift-then")) + len(self.runs("drift-now"))

    def drift_bounds(self):
        then, now = (self.nights.medians(self.runs(name)) for name in ("drift-then", "drift-now"))
        return [bound / self.explained() for bound in independent_interval(then, now, 0.99)]


def mean_deviation(values):
    center = median(values)
    return math.fsum(abs(value - center) for value in values) / len(values)
