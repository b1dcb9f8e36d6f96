"""The history of the atlas: which commit does what, and how git is told of it."""

import dataclasses
import subprocess

import atlas

WORDS = (
    "borders rivers roads bridges ferries stations tunnels peaks lakes harbours islands parks "
    "schools markets towers castles wells mills trails fields"
).split()
VERBS = "hide show sort count list mark fold name measure colour".split()
MILESTONES = {
    ("loop", 1): "Check the index for overlaps",
    ("loop", -1): "Keep what the index has in common",
    ("relocations", 1): "Add palettes for readers who see few colours",
    ("relocations", -1): "Remove palettes that nobody used",
    ("file", 1): "Know the places of more countries",
    ("file", -1): "Leave out places without streets",
}


@dataclasses.dataclass
class Step:
    """One commit of the first-parent history."""

    what: str = "feature"
    role: str = None
    kind: str = None
    effect: float = 0


class Plan:
    """What each first parent after the first does, drawn from a seed."""

    def __init__(self, generator, commits, broken, effects, kind):
        self.generator = generator
        self.steps = [Step() for _ in range(commits)]
        self.stretches(round(commits * broken))
        self.revert()
        for step in self.steps:
            if step.what == "feature":
                step.what = generator.choices(["feature", "docs", "merge"], [65, 15, 20])[0]
        self.changes(effects, kind)

    def stretches(self, count):
        """Runs of one to four commits that do not build; the ends and what follows a run do."""
        while count > 0:
            length = min(count, self.generator.randint(1, 4))
            first = self.generator.randrange(1, len(self.steps) - length - 1)
            around = self.steps[first - 1 : first + length + 1]
            if all(step.what == "feature" for step in around):
                self.steps[first].what = "breaks"
                for step in self.steps[first + 1 : first + length]:
                    step.what = "broken"
                self.steps[first + length].what = "repairs"
                count -= length

    def revert(self):
        """A commit and its revert, so that two trees are equal."""
        while True:
            first = self.generator.randrange(1, len(self.steps) - 2)
            if all(step.what == "feature" for step in self.steps[first : first + 2]):
                self.steps[first].what = "mistake"
                self.steps[first + 1].what = "revert"
                return

    def changes(self, effects, kind):
        """Changes of the launch, at least a twelfth of the history apart."""
        places = []
        while len(places) < len(effects):
            place = self.generator.randrange(len(self.steps))
            apart = all(abs(place - other) >= len(self.steps) // 12 for other in places)
            if apart and self.steps[place].what in ("feature", "merge", "broken", "repairs"):
                places.append(place)
        for (role, effect), place in zip(effects.items(), places):
            step = self.steps[place]
            step.role = role
            step.effect = effect
            step.kind = self.generator.choice(atlas.KINDS)
            if role == "main" and kind:
                step.kind = kind
            # Only the index and the file are long enough to lose a part.
            if effect < 0:
                step.kind = self.generator.choice(("loop", "file"))


def write(repository, plan, costs):
    """Makes the repository, and returns what is true of it."""
    git = ["git", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
    writer = Writer(plan, costs)
    writer.all()
    importing = git + ["fast-import", "--quiet", "--done", "--export-marks=.git/marks"]
    subprocess.run(importing, input=b"".join(writer.stream), check=True)
    subprocess.run(git + ["reset", "-q", "--hard", "main"], check=True)
    if any(step.what == "merge" for step in plan.steps):
        subprocess.run(git + ["branch", "-q", "-D", "side"], check=True)
    lines = (repository / ".git/marks").read_text().splitlines()
    names = dict(line.removeprefix(":").split() for line in lines)
    firsts = [names[str(mark)] for mark in writer.firsts]
    subprocess.run(git + ["tag", "good", firsts[0]], check=True)
    subprocess.run(git + ["tag", "bad", firsts[-1]], check=True)
    return truth(plan, writer, firsts, names)


def truth(plan, writer, firsts, names):
    found = {"good": firsts[0], "bad": firsts[-1], "commits": len(plan.steps)}
    changes = []
    for number, step in enumerate(plan.steps, 1):
        if not step.role:
            continue
        first, last = number, number
        while first > 1 and plan.steps[first - 2].what in ("breaks", "broken"):
            first -= 1
        while plan.steps[last - 1].what in ("breaks", "broken"):
            last += 1
        introduced = writer.introduced.get(step.role, writer.firsts[number])
        changes.append(
            {
                "role": step.role,
                "commit": firsts[number],
                "index": number,
                "subject": writer.subjects[number],
                "effect": step.effect,
                "kind": step.kind,
                "units": writer.units[step.role],
                "introduced_by": names[str(introduced)],
                # Those that cannot be told apart, because the commits between do not build.
                "candidates": firsts[first : last + 1],
            }
        )
    found["changes"] = changes
    lists = {"broken": ("breaks", "broken"), "docs": ("docs",), "merges": ("merge",)}
    for name, kinds in (lists | {"reverts": ("revert",)}).items():
        found[name] = [firsts[n] for n, step in enumerate(plan.steps, 1) if step.what in kinds]
    return found


class Writer:
    """Writes the commits of a plan in the language of git fast-import."""

    def __init__(self, plan, costs):
        self.plan = plan
        self.costs = costs
        self.generator = plan.generator
        self.stream = []
        self.marks = 0
        self.blobs = {}
        self.minutes = 0
        self.state = atlas.State()
        self.firsts = []
        self.states = []
        self.subjects = []
        self.units = {}
        self.introduced = {}

    def all(self):
        self.first("Draw maps")
        for step in self.plan.steps:
            getattr(self, step.what)(step)
        self.stream.append(b"done\n")

    def feature(self, step):
        subject, edit = self.edit(step)
        self.state = edit(self.state)
        self.first(subject)

    def docs(self, step):
        word = self.generator.choice(WORDS)
        chapters = (*self.state.chapters, word.capitalize())
        self.state = dataclasses.replace(self.state, chapters=chapters)
        self.first(f"Describe {word}")

    def merge(self, step):
        """A side branch of one to three commits, of which the last one has the change, if any."""
        back = self.generator.randint(1, min(4, len(self.firsts)))
        side, state = self.firsts[-back], self.states[-back]
        for one in [Step()] * self.generator.randint(0, 2) + [step]:
            subject, edit = self.edit(one)
            state, self.state = edit(state), edit(self.state)
            side = self.commit("side", subject, state, [side])
        self.introduced[step.role] = side
        self.first(f"Merge branch '{subject.split()[-1]}'", [self.firsts[-1], side])

    def breaks(self, step):
        self.state = dataclasses.replace(self.state, broken=True)
        self.first("Start to prepare commands")

    def broken(self, step):
        self.feature(step)

    def repairs(self, step):
        self.state = dataclasses.replace(self.state, broken=False)
        if step.role:
            self.feature(step)
        else:
            self.first("Do without preparing commands")

    def mistake(self, step):
        self.feature(step)

    def revert(self, step):
        self.state = self.states[-2]
        self.first(f'Revert "{self.subjects[-1]}"')

    def edit(self, step):
        """A subject, and what it does to a state: a new command, or what the step plans."""
        if step.role:
            units = round(step.effect * self.costs["launch"] / self.costs[step.kind])
            self.units[step.role] = units
            subject = MILESTONES[step.kind, 1 if units > 0 else -1]
            return subject, lambda state: state.costing(step.kind, units)
        verb = self.generator.choice(VERBS)
        word = self.generator.choice(WORDS)
        return f"{verb.capitalize()} {word}", lambda state: state.commanding(f"{verb}_{word}")

    def first(self, subject, parents=None):
        self.firsts.append(self.commit("main", subject, self.state, parents or self.firsts[-1:]))
        self.states.append(self.state)
        self.subjects.append(subject)

    def commit(self, branch, subject, state, parents):
        files = {path: self.blob(content) for path, content in atlas.files(state).items()}
        self.marks += 1
        self.minutes += self.generator.randint(20, 3000)
        who = f"Ada Example <ada@example.org> {1735689600 + self.minutes * 60} +0000"
        lines = [f"commit refs/heads/{branch}", f"mark :{self.marks}", f"author {who}"]
        lines += [f"committer {who}", f"data {len(subject.encode()) + 1}", subject, ""]
        for number, parent in enumerate(parents):
            lines.append(f"{'merge' if number else 'from'} :{parent}")
        lines.append("deleteall")
        lines += [f"M 100644 :{mark} {path}" for path, mark in files.items()]
        self.stream.append("\n".join(lines + ["", ""]).encode())
        return self.marks

    def blob(self, content):
        if content not in self.blobs:
            self.marks += 1
            self.blobs[content] = self.marks
            head = b"blob\nmark :%d\ndata %d\n" % (self.marks, len(content))
            self.stream.append(head + content + b"\n")
        return self.blobs[content]
