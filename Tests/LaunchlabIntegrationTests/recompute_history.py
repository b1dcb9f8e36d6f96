"""What was known before a night: its series, their breaks, and the alerts as they were then."""
from recompute_formulas import baseline, probability

OWN = ("control", "empty")


class History:
    """The exported nights and alerts of one scenario."""

    def __init__(self, rows, alerts, finding):
        self.rows = [row for row in rows if row["scenario"] == finding["scenario"]]
        self.alerts = [a for a in alerts if a["series"]["scenario"] == finding["scenario"]]
        # Nights of the same second stay in the order of the export.
        self.rows.sort(key=lambda row: row["started_at"])

    def arms(self, run, metrics):
        """The judged series that have a value in a run."""
        return [
            (row["target"], row["state"], row["metric"]) for row in self.rows
            if row["run"] == run and row["target"] not in OWN and row["metric"] in metrics]

    def chain(self, arm, run, at):
        return Chain(self, arm, run, at)

    def then(self, alert, at):
        """An alert as it was before a moment; None when there was none yet."""
        past = [event for event in alert["events"] if event["at"] < at]
        if not past:
            return None
        known = dict(alert)
        known["events"] = past
        known["state"], known["cause"] = past[-1]["state"], past[-1]["cause"]
        return known


class Chain:
    """The nights of one series up to a run, as docs/verdicts.md joins them."""

    def __init__(self, history, arm, run, at):
        target, state, metric = arm
        tonight = next(row for row in history.rows if row["run"] == run)
        host = tonight["fingerprint"]
        order = {}
        for row in history.rows:
            order.setdefault(row["run"], len(order))
        last = order[run]
        first = min(order[row["run"]] for row in history.rows if row["fingerprint"] == host)
        self.points = [
            row for row in history.rows
            if (row["target"], row["state"], row["metric"]) == (target, state, metric)
            and order[row["run"]] <= last
            and (row["status"] == "complete" or row["run"] == run)
            and (row["fingerprint"] == host or order[row["run"]] < first)]
        self.place = {row["run"]: index for index, row in enumerate(self.points)}
        known = [history.then(alert, at) for alert in history.alerts]
        self.alerts = [
            alert for alert in known if alert and alert["onset"] in self.place
            and (alert["series"]["target"], alert["series"]["state"], alert["series"]["metric"])
            == (target, state, metric)]
        self.steps = [alert for alert in self.alerts if alert["kind"] == "step"]

    def medians(self, indices):
        return [self.points[index]["median"] for index in indices]

    @property
    def last_break(self):
        hosts = [
            index for index in range(1, len(self.points))
            if self.points[index]["fingerprint"] != self.points[index - 1]["fingerprint"]]
        machine = [
            self.place[alert["onset"]] for alert in self.steps
            if alert["cause"] == "machine" and alert["state"] in ("confirmed", "acknowledged")
            and self.place[alert["onset"]] > 0]
        return max(hosts + machine, default=0)

    def baseline_nights(self, most):
        """The indices of the nights that tonight is held against, and the first that counts."""
        end = len(self.points) - 1
        start, unclean = self.last_break, set()
        for alert in self.steps:
            onset, back = self.place[alert["onset"]], self.back(alert)
            if moves_baseline(alert):
                start = max(start, onset)
            elif is_pending(alert):
                unclean.update(range(onset, end))
            elif back is not None:
                unclean.update(range(onset, back))
        clean = [index for index in range(start, end) if index not in unclean][-(most + 3):]
        recent = sum(index >= end - 3 for index in clean)
        left_out = min(recent, max(0, len(clean) - 8))
        chosen = clean[:len(clean) - left_out][-most:]
        return (chosen if len(chosen) >= 5 else []), start

    def back(self, alert):
        """The first night on which the level before an alert was back."""
        if alert["state"] not in ("fixed", "recovered"):
            return None
        event = alert["events"][-1]
        runs = [c["runs"] for c in event["criteria"] if c["id"] == "level-back" and c["runs"]]
        return self.place.get(runs[0][0] if runs else event["run"])

    def recent(self, start):
        end = len(self.points) - 1
        return list(range(max(start, end - 2), end + 1))

    def probability(self, most):
        """Of tonight, if nothing had changed; None for a series that is new."""
        chosen, start = self.baseline_nights(most)
        if not chosen:
            return None
        base = baseline(self.medians(chosen))
        return probability(base, self.medians(self.recent(start)))


def moves_baseline(alert):
    if alert["state"] == "confirmed":
        return alert["cause"] == "machine" or alert["direction"] == "better"
    return alert["state"] == "acknowledged"


def is_pending(alert):
    return alert["state"] == "suspected" or (
        alert["state"] == "confirmed" and not moves_baseline(alert))
