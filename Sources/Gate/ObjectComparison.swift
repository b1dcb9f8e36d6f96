import LaunchCore
import Rendering

/// The files of one build that take part in a launch, called as in the other build.
struct BuiltObjects {
  /// What the executable is called.
  static let program = "program"

  /// In the order of the loader, the executable first.
  private(set) var objects: [(name: String, object: LaunchedObject)] = []

  /// The names of the files that could not be read, and why.
  private(set) var unread: [String: String] = [:]

  private let directory: String

  /// - Parameters:
  ///   - launched: What was read.
  ///   - directory: The tree that it was built in.
  init(_ launched: LaunchedObjects, in directory: String) {
    self.directory = directory
    objects = launched.all.map { object in
      let isProgram = object.path == launched.program?.path
      return (isProgram ? Self.program : object.soname ?? path(object.path), object)
    }
    unread = Dictionary(
      launched.unread.map { (path($0.key), $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  var own: [(name: String, object: LaunchedObject)] { objects.filter(\.object.isOwn) }

  /// A path below the tree; of other files the last part.
  func path(_ path: String) -> String {
    if path.hasPrefix("\(directory)/") { return String(path.dropFirst(directory.count + 1)) }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Leaves out what the other build could not read.
  mutating func leaveOut(_ names: some Sequence<String>) {
    let names = Set(names)
    objects = objects.filter { name, object in
      !names.contains(name) && !names.contains(path(object.path))
    }
  }
}

/// What differs in the files of two builds that take part in a launch.
struct ObjectComparison {
  let target: String
  let base: BuiltObjects
  let head: BuiltObjects
  let judge: GateJudge

  /// Differences below this are those of the linker, which rounds to pages and pads.
  private static let leastMapped: Int64 = 256 << 10
  private static let leastRelocations = 50

  init(target: String, base: BuiltObjects, head: BuiltObjects, judge: GateJudge) {
    (self.target, self.judge) = (target, judge)
    var (before, after) = (base, head)
    before.leaveOut(head.unread.keys)
    after.leaveOut(base.unread.keys)
    (self.base, self.head) = (before, after)
  }

  var findings: [GateFinding] {
    let tasks = tasks
    // A task of C++ brings an initializer, which registers it.
    let initializers = initializers.filter { initializer in
      !tasks.contains { task in
        task.change == "new" && initializer.change == "new" && initializer.source != nil
          && task.thing?.library == initializer.thing?.library
          && task.source?.file == initializer.source?.file
      }
    }
    return unread + libraries + tasks + initializers + figures + hardening
  }

  /// Everything in both builds that an approval can be of.
  var things: Set<GateFinding.Thing> {
    var things: Set<GateFinding.Thing> = []
    for build in [base, head] {
      for (name, _) in build.objects { things.insert(.init(kind: .library, name: name)) }
      for place in initializers(of: build) {
        things.insert(.init(kind: .initializer, name: place.name, library: place.object))
      }
      for place in tasks(of: build) {
        things.insert(.init(kind: .task, name: place.name, library: place.object))
      }
    }
    return things
  }

  // MARK: - Libraries

  /// What was left out, which may hide anything.
  private var unread: [GateFinding] {
    let reasons =
      base.unread.map { "\($0.key) of base: \($0.value)" }.sorted()
      + head.unread.map { "\($0.key) of head: \($0.value)" }.sorted()
    guard !reasons.isEmpty else { return [] }
    return [
      GateFinding(
        rule: "unread",
        target: target,
        item: "files that cannot be read",
        verdict: .undecided,
        details: reasons
      )
    ]
  }

  private var libraries: [GateFinding] {
    let (old, new) = (base.objects.map(\.name), head.objects.map(\.name))
    let added = Self.left(of: head.objects, by: \.name, without: old)
    let gone = Self.left(of: base.objects, by: \.name, without: new)
    return added.compactMap { name, library in
      guard name != BuiltObjects.program else { return nil }
      return judge.judged(
        .init(kind: .library, name: name),
        of: target,
        details: details(of: library, name)
      )
    }
      + gone.filter { $0.name != BuiltObjects.program }.map { self.gone("libraries", $0.name) }
  }

  private func gone(_ rule: String, _ item: String) -> GateFinding {
    GateFinding(rule: rule, target: target, item: item, change: "gone", verdict: .remark)
  }

  /// The elements that are left when each key is taken away once, in their order.
  private static func left<Element>(
    of elements: [Element],
    by key: (Element) -> String,
    without keys: [String]
  ) -> [Element] {
    var counts: [String: Int] = [:]
    for key in keys { counts[key, default: 0] += 1 }
    return elements.filter { element in
      guard let count = counts[key(element)], count > 0 else { return true }
      counts[key(element)] = count - 1
      return false
    }
  }

  private func details(of library: LaunchedObject, _ name: String) -> [String] {
    let needing = head.objects.filter { other in
      other.object.needed.contains { $0 == name || $0 == library.name }
    }.map(\.name)
    let by =
      needing.isEmpty ? "named by the scenario" : "needed by \(needing.joined(separator: ", "))"
    let counts = [
      Quantity.count(library.initializers.count, "initializer"),
      Quantity.count(library.relocations.values.reduce(0, +), "relocation"),
      "\(Quantity.text(Double(library.mapped), .bytes)) mapped",
    ]
    return [by, counts.joined(separator: ", ")]
  }

  // MARK: - Initializers and tasks

  /// An initializer or a task, and the object that it is in.
  private struct Placed {
    var name: String
    var object: String
    var source: LaunchedObject.SourceLine?

    var key: String { "\(object)\t\(name)" }
  }

  private func tasks(of build: BuiltObjects) -> [Placed] {
    build.objects.flatMap { name, object in
      object.tasks.map {
        Placed(name: $0.name, object: name, source: Self.relative($0.source, in: build))
      }
    }
  }

  private func initializers(of build: BuiltObjects) -> [Placed] {
    build.objects.flatMap { name, object in
      object.initializers.map { initializer in
        let source = Self.relative(initializer.source, in: build)
        return Placed(name: Self.name(of: initializer, source), object: name, source: source)
      }
    }
  }

  private static func relative(
    _ source: LaunchedObject.SourceLine?,
    in build: BuiltObjects
  ) -> LaunchedObject.SourceLine? {
    source.map { .init(file: build.path($0.file), line: $0.line) }
  }

  /// The name of an initializer.
  ///
  /// That of the global objects of a source file is called after the first of them by gcc, which another
  /// order changes, and after the file by clang.
  private static func name(
    of initializer: LaunchedObject.Initializer,
    _ source: LaunchedObject.SourceLine?
  ) -> String {
    guard let name = initializer.name else { return unnamed }
    guard name.hasPrefix(globals) else { return name }
    return source.map { globals + ($0.file.split(separator: "/").last ?? "") } ?? name
  }

  private static let globals = "_GLOBAL__sub_I_"
  private static let unnamed = "a function without a name"

  private var tasks: [GateFinding] { placed(.task, "tasks", tasks(of: base), tasks(of: head)) }

  private var initializers: [GateFinding] {
    var (before, after) = (initializers(of: base), initializers(of: head))
    // Where a build has no names, only the numbers can be compared.
    let stripped = Set((before + after).filter { $0.name == Self.unnamed }.map(\.object))
    let counts = [before, after].map { places in
      Dictionary(
        places.filter { stripped.contains($0.object) }.map { ($0.object, 1) },
        uniquingKeysWith: +
      )
    }
    before.removeAll { stripped.contains($0.object) }
    after.removeAll { stripped.contains($0.object) }
    var findings = placed(.initializer, "initializers", before, after)
    for object in stripped.sorted() {
      let (old, new) = (counts[0][object] ?? 0, counts[1][object] ?? 0)
      // One that every C library brings along is known by its name only.
      guard new > old + (areNamed(base, object) ? 1 : 0), isKnown(object) else { continue }
      let thing = GateFinding.Thing(kind: .initializer, name: Self.unnamed, library: object)
      guard var finding = judge.judged(thing, of: target, details: []) else { continue }
      (finding.base, finding.head) = ("\(old)", "\(new)")
      findings.append(finding)
    }
    return findings
  }

  private func areNamed(_ build: BuiltObjects, _ object: String) -> Bool {
    build.objects.first { $0.name == object }?.object.initializers.contains { $0.name != nil }
      ?? false
  }

  /// Whether an object was there before; what is in a new one is told with it.
  private func isKnown(_ object: String) -> Bool { base.objects.contains { $0.name == object } }

  /// What is new in an object that was there, or came from another one.
  private func placed(
    _ kind: GateApproval.Kind,
    _ rule: String,
    _ before: [Placed],
    _ after: [Placed]
  ) -> [GateFinding] {
    var added = Self.left(of: after, by: \.key, without: before.map(\.key))
    var gone = Self.left(of: before, by: \.key, without: after.map(\.key))
    // Without debug information the name that gcc gives says nothing.
    for place in added where place.name.hasPrefix(Self.globals) && place.source == nil {
      let same = gone.firstIndex { $0.object == place.object && $0.name.hasPrefix(Self.globals) }
      guard let same, let own = added.firstIndex(where: { $0.key == place.key }) else { continue }
      gone.remove(at: same)
      added.remove(at: own)
    }
    var findings: [GateFinding] = []
    for place in added {
      let origin = gone.firstIndex { $0.name == place.name }
      let from = origin.map { gone.remove(at: $0).object }
      guard from != nil || kind == .task || isKnown(place.object) else { continue }
      guard
        var finding = judge.judged(
          .init(kind: kind, name: place.name, library: place.object),
          of: target,
          details: place.source.map { ["\($0.file):\($0.line)"] } ?? [],
          source: place.source
        )
      else { continue }
      if let from {
        finding.change = "moved"
        (finding.base, finding.head) = (from, place.object)
      }
      findings.append(finding)
    }
    return findings + gone.map { self.gone(rule, "\($0.name) in \($0.object)") }
  }

  // MARK: - Figures

  private var figures: [GateFinding] {
    [
      figure(.relocations, "relocations of own files", .count, Double(Self.leastRelocations)) {
        Double($0.relocations.values.reduce(0, +))
      },
      figure(.mapped, "memory that own files map", .bytes, Double(Self.leastMapped)) {
        Double($0.mapped)
      },
    ]
  }

  /// Judges a sum over own files.
  private func figure(
    _ figure: GateRules.Figure,
    _ item: String,
    _ unit: Metric.Unit,
    _ least: Double,
    _ value: (LaunchedObject) -> Double
  ) -> GateFinding {
    let sides = [base, head].map { build in
      Dictionary(build.own.map { ($0.name, value($0.object)) }, uniquingKeysWith: +)
    }
    let details = Set(sides[0].keys).union(sides[1].keys).sorted().compactMap { name -> String? in
      let (before, after) = (sides[0][name] ?? 0, sides[1][name] ?? 0)
      guard before != after else { return nil }
      return "\(name): \(Quantity.text(before, unit)) → \(Quantity.text(after, unit))"
    }
    return GateFigure(figure, of: target, item, unit: unit).judged(
      sides[0].values.reduce(0, +),
      sides[1].values.reduce(0, +),
      least: least,
      by: judge.rules,
      details: details
    )
  }

  // MARK: - Hardening

  private var hardening: [GateFinding] {
    head.own.flatMap { name, object -> [GateFinding] in
      guard let before = base.own.first(where: { $0.name == name })?.object else { return [] }
      let lost = ["pie", "relro", "bind-now"].filter {
        before.hardening.contains($0) && !object.hardening.contains($0)
      }
      let worse = ["exec-stack", "text-relocations"].filter {
        !before.hardening.contains($0) && object.hardening.contains($0)
      }
      var changes =
        lost.map { ("\($0) of \(name)", "lost") } + worse.map { ("\($0) of \(name)", "new") }
      if before.machine != object.machine { changes.append(("architecture of \(name)", "other")) }
      return changes.map { item, change in
        GateFinding(rule: "hardening", target: target, item: item, change: change, verdict: .remark)
      }
    }
  }
}

/// A figure of a launch that may grow by a share only.
struct GateFigure {
  let figure: GateRules.Figure
  let target: String
  let item: String
  let unit: Metric.Unit

  init(
    _ figure: GateRules.Figure,
    of target: String,
    _ item: String,
    unit: Metric.Unit
  ) {
    (self.figure, self.target, self.item, self.unit) = (figure, target, item, unit)
  }

  /// Judges the two values.
  ///
  /// - Parameters:
  ///   - base: That of base.
  ///   - head: That of head.
  ///   - least: A difference that is smaller never fails.
  ///   - rules: With the limit.
  ///   - isStable: Whether launches of base agree; a value that differs from launch to launch never
  ///     decides.
  ///   - details: What is known of a difference.
  /// - Returns: A finding with texts for people.
  func judged(
    _ base: Double,
    _ head: Double,
    least: Double,
    by rules: GateRules,
    isStable: Bool = true,
    details: [String]
  ) -> GateFinding {
    let limit = rules.limit(of: figure)
    let isOver = head - base >= max(least, .leastNonzeroMagnitude) && head > base * (1 + limit)
    let share =
      base > 0
      ? Quantity.signed(head / base - 1, Quantity.percent) : head > 0 ? "new" : "0"
    return GateFinding(
      rule: figure.rawValue,
      target: target,
      item: item,
      base: Quantity.text(base, unit),
      head: Quantity.text(head, unit),
      change: head == base ? "0" : share,
      limit: "+\(Quantity.percent(limit))",
      verdict: isOver ? (isStable ? .failed : .undecided) : .passed,
      details: (isStable ? [] : ["launches of base differ too much among themselves"])
        + (isOver ? details : [])
    )
  }
}
