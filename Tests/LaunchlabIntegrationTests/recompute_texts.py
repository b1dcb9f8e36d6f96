#!/usr/bin/env python3
"""Computes the pairs of numbers in what launchlab prints again, from each other.

usage: recompute_texts.py KIND FILE

KIND   measure, compare, explain, bisect or gate
FILE   what the command printed on stdout; for `measure` followed by stderr

A number stands for everything that is rounded to it, so that two numbers agree where any such
values do. Prints each pair that was checked. Ends with 1 when one does not agree, when values of a
row have several units, or when there was nothing to check. Uses the standard library only.
"""
import re
import sys

UNITS = {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20,
         "GiB": 2**30, "M": 1e6, "G": 1e9}
NUMBER = r"[−+±×-]?[0-9][0-9,]*(?:\.[0-9]+)?"
VALUE = rf"({NUMBER})(?: (ns|µs|ms|s|B|KiB|MiB|GiB|M|G|%)(?![A-Za-z]))?"


class Range:
    """The values that are rounded to a number."""

    def __init__(self, low, high):
        self.low, self.high = min(low, high), max(low, high)

    @classmethod
    def of(cls, text, unit=""):
        digits = text.replace("−", "-").replace("+", "").replace(",", "").lstrip("±×")
        decimals = len(digits.split(".")[1]) if "." in digits else 0
        half = 0.5000001 * 10 ** -decimals
        factor = 0.01 if unit == "%" else UNITS[unit or ""]
        value = float(digits)
        return cls((value - half) * factor, (value + half) * factor)

    def meets(self, other):
        return self.low <= other.high and other.low <= self.high

    def __add__(self, other):
        return Range(self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Range(self.low - other.high, self.high - other.low)

    def _combined(self, other, operation):
        ends = [operation(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends))

    def __mul__(self, other):
        return self._combined(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._combined(other, lambda a, b: a / b if b else float("inf"))

    def __repr__(self):
        return f"{self.low:g}…{self.high:g}"


ONE = Range(1, 1)


def change(text):
    """The ratio that `+8.1 %` or `×28` stands for."""
    match = re.fullmatch(VALUE, text)
    number = Range.of(match[1], match[2])
    return number if "×" in text else number + ONE


class Check:
    def __init__(self):
        self.pairs = self.failures = 0

    def equal(self, what, said, found):
        self.truth(f"{what}: {said} and {found}", said.meets(found))

    def truth(self, what, is_true):
        self.pairs += 1
        self.failures += not is_true
        print("agrees  " if is_true else "DIFFERS ", what)


def cells(line):
    """The cells of a line of a table, which stand two or more spaces apart."""
    return [cell for cell in re.split(r" {2,}", line.strip()) if cell]


def value(text):
    match = re.fullmatch(VALUE, text.strip("()"))
    return Range.of(match[1], match[2]) if match else None


def unit(text):
    match = re.fullmatch(VALUE, text.strip("()"))
    return match[2] if match else None


def one_unit(check, what, *texts):
    units = {unit(text) for text in texts if value(text) and value(text).high > 0}
    check.truth(f"{what}: one unit in {', '.join(texts)}", len(units) <= 1)


def measure(check, lines):
    """A median lies in its interval and between the extremes; the rest follows from each other."""
    said = "\n".join(lines)
    for line in lines:
        row = cells(line)
        match = re.search(rf"({NUMBER} [µnm]?s)\)?  +({NUMBER})…({NUMBER})  +"
                          rf"({NUMBER}) ± ({NUMBER})  +(\S+(?: \S+)?)  +(\S+ %)  +({NUMBER})…({NUMBER})",
                          line)
        if not match:
            continue
        symbol = match[1].split()[1]
        numbers = [Range.of(match[n], symbol) for n in (2, 3, 4, 5, 8, 9)]
        low, high, mean, deviation, least, most = numbers
        median = value(match[1])
        name = f"{row[0]} {match[1]}"
        check.truth(f"{name} in its interval", low.low <= median.high and median.low <= high.high)
        check.truth(f"{name} between the extremes",
                    least.low <= median.high and median.low <= most.high)
        check.truth(f"{name}: the interval is between the extremes",
                    least.low <= low.high and high.low <= most.high)
        check.equal(f"{name}: CV", Range.of(match[7].split()[0], "%"), deviation / mean)
        # A median at the edge of a wide interval is that of one of two groups.
        below, above = median.low - low.high, high.low - median.high
        far, near = max(below, above), min(below, above)
        if far > 0.3 * median.low and near < 0.05 * far:
            is_told = re.search("bimodal|either of two groups", said)
            check.truth(f"{name}: two groups are told of", is_told is not None)


def compare(check, lines):
    """The two sides, the change between them, its interval, and the sentence."""
    sentence = lines[0]
    rows = 0
    for line in lines:
        match = re.search(rf"({NUMBER} [A-Za-zµ]+|[0-9]+)  +({NUMBER} [A-Za-zµ]+|[0-9]+)  +"
                          rf"([−+±×]{NUMBER}(?: %)?)  +(\S+(?: %)?) to (\S+(?: %)?)  +"
                          r"(regression|improvement|same|inconclusive)", line)
        if not match:
            continue
        rows += 1
        one_unit(check, "row", match[1], match[2])
        before, after = value(match[1]), value(match[2])
        ratio = change(match[3])
        check.equal(f"{match[1]} → {match[2]} is {match[3]}", after / before, ratio)
        low, high = change(match[4]), change(match[5])
        check.truth(f"{match[3]} in {match[4]} to {match[5]}",
                    low.low <= ratio.high and ratio.low <= high.high)
        stated = re.search(r"is ([0-9.]+ %) (slower|faster|higher|lower)", sentence)
        if stated and rows == 1 and "of " not in lines[1][:3]:
            sign = 1 if stated[2] in ("slower", "higher") else -1
            share = Range.of(stated[1].split()[0], "%") * Range(sign, sign)
            check.equal(f"the sentence says {stated[1]}", share + ONE, ratio)
        times = re.search(r"takes ([0-9.]+) times as long|is ([0-9.]+) times as fast", sentence)
        if times and rows == 1 and "of " not in lines[1][:3]:
            said = Range.of(times[1]) if times[1] else ONE / Range.of(times[2])
            check.equal(f"the sentence says {times[0]}", said, ratio)


def statement(check, line):
    """`B is 8.2 ms slower than A (9.4 → 17.6 ms…, 95 % interval +6.3 to +10.1 ms)`."""
    match = re.search(rf"is ({NUMBER}) ([µnm]?s) (slower|faster) than .*"
                      rf"\(({NUMBER}) → ({NUMBER}) ([µnm]?s)", line)
    if not match:
        return
    sign = 1 if match[3] == "slower" else -1
    difference = Range.of(match[1], match[2]) * Range(sign, sign)
    before, after = Range.of(match[4], match[6]), Range.of(match[5], match[6])
    check.equal(f"{match[4]} → {match[5]} is {match[1]} {match[3]}", after - before, difference)
    bounds = re.search(rf"interval ({NUMBER}) to ({NUMBER}) ([µnm]?s)", line)
    if bounds:
        low, high = (Range.of(bounds[n], bounds[3]) for n in (1, 2))
        check.truth(f"{match[1]} in {bounds[1]} to {bounds[2]}",
                    low.low <= difference.high and difference.low <= high.high)


def explain(check, lines):
    """The parts add up to what all of them take, which the first line says, too."""
    headline = lines[0]
    statement(check, headline)
    single = re.search(rf"takes ({NUMBER}) ([µnm]?s) \(95 % interval ({NUMBER}) to ({NUMBER})",
                       headline)
    if single:
        time = Range.of(single[1], single[2])
        low, high = Range.of(single[3], single[2]), Range.of(single[4], single[2])
        check.truth(f"{single[1]} in its interval", low.low <= time.high and time.low <= high.high)
    total, parts, is_over = Range(0, 0), [], False
    for line in lines[1:]:
        row = re.search(rf"  ({NUMBER}) ([µnm]?s) +([−0-9.]+ %)(?:  |$)", line)
        if not row or is_over:
            continue
        time = Range.of(row[1], row[2])
        if "in all, traced" in line:
            is_over = True
            check.equal("the parts add up", total, time)
            for name, part, share in parts:
                check.equal(f"{name}: share", share, part / time)
            told = re.search(rf"traced launches took ({NUMBER}) ([µnm]?s)", headline)
            if single:
                check.truth("the first line says what is divided", told is not None)
            if told:
                check.equal("in all", Range.of(told[1], told[2]), time)
        elif not line.strip().startswith("of it"):
            total = total + time
            parts.append((line.strip()[:40], time, Range.of(row[3].split()[0], "%")))
    stages(check, lines)


def stages(check, lines):
    """The differences of stages, and what stages are of their launch."""
    column = whole = None
    parts = []
    for line in lines:
        if re.search(r"before +after +difference", line):
            column = True
        elif column and (row := re.search(
                rf"  ({NUMBER}(?: [µnm]?s)?|–) +({NUMBER}(?: [µnm]?s)?|–) +([−+]{NUMBER}(?: [µnm]?s)?)"
                r"(?:  |$)", line)):
            one_unit(check, line.strip()[:30], *(text for text in row.groups() if text != "–"))
            before, after = (Range(0, 0) if text == "–" else value(text) for text in row.groups()[:2])
            check.equal(line.strip()[:50], value(row[3]), after - before)
            share = re.search(r"(−?[0-9.]+) %$", line)
            if share:
                check.truth(f"a share of {share[0]} can be", abs(Range.of(share[1]).low) <= 300)
        elif line.startswith("by stage") and not column:
            whole = True
        elif not line:
            column = whole = None
        elif whole and (row := re.search(rf"  ({NUMBER} [µnm]?s) +([0-9.]+ %)$", line)):
            parts.append((line.strip()[:40], value(row[1]), Range.of(row[2].split()[0], "%")))
    if parts:
        name, time, _ = parts[-1]
        check.truth("stages end with the launch that they are of", "median launch" in name)
        for name, part, share in parts:
            check.equal(f"{name}: share", share, part / time)


def bisect(check, lines):
    text = "\n".join(lines)
    for match in re.finditer(rf"({NUMBER}(?: %)?), (?:95|99) % interval ({NUMBER} %) to ({NUMBER} %)",
                             text):
        size, low, high = change(match[1]), change(match[2]), change(match[3])
        check.truth(f"{match[1]} in {match[2]} to {match[3]}",
                    low.low <= size.high and size.low <= high.high)
    for match in re.finditer(rf"([0-9.]+ %) (slower|faster): 95 % interval ({NUMBER} %) to ({NUMBER} %)",
                             text):
        sign = 1 if match[2] == "slower" else -1
        size = Range.of(match[1].split()[0], "%") * Range(sign, sign) + ONE
        low, high = change(match[3]), change(match[4])
        check.truth(f"{match[1]} {match[2]} in {match[3]} to {match[4]}",
                    low.low <= size.high and size.low <= high.high)
    both = re.search(rf"({NUMBER}(?: [A-Za-zµ]+)?) good, ({NUMBER}(?: [A-Za-zµ]+)?) bad", text)
    ends = re.search(rf"bad against good +\| ({NUMBER} %)", text)
    if both:
        one_unit(check, "good and bad", both[1], both[2])
    if both and ends:
        check.equal(f"{both[0]} is {ends[1]}", value(both[2]) / value(both[1]), change(ends[1]))
    # Tables of Markdown have the cells of those for a terminal.
    stages(check, [re.sub(r" ?\| ?", "  ", line) for line in lines])
    for line in lines:
        statement(check, line)


def gate(check, lines):
    """What head adds to base, and whether that is within the limit."""
    for line in lines:
        row = cells(line)
        verdict = next((v for v in ("failed", "passed", "cannot tell") if line.startswith(v)), None)
        if verdict is None or len(row) < 6:
            continue
        base, head, said, limit = row[-4:]
        if value(base) is None or value(head) is None:
            continue
        name = " ".join(row[1:-4])
        one_unit(check, name, base, head)
        if said == "0":
            check.truth(f"{name}: {base} and {head} are the same", value(base).meets(value(head)))
        elif said != "new":
            check.equal(f"{name}: {base} → {head} is {said}", value(head) / value(base), change(said))
        if re.fullmatch(r"\+[0-9.]+ %", limit) and said not in ("0", "new"):
            grown, allowed = change(said), change(limit)
            if verdict == "passed":
                check.truth(f"{name}: {said} within {limit}", grown.low <= allowed.high)
            if verdict == "failed":
                check.truth(f"{name}: {said} over {limit}", grown.high >= allowed.low)


def main():
    kind, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    check = Check()
    {"measure": measure, "compare": compare, "explain": explain, "bisect": bisect,
     "gate": gate}[kind](check, lines)
    print(f"{check.pairs} pairs, {check.failures} differ")
    if check.pairs == 0:
        print("PROBLEM  there was nothing to check")
    return 1 if check.failures or check.pairs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
