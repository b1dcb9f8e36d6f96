import LaunchCore
import Rendering

/// What differs in the files of two builds that take part in a launch.
struct ObjectComparison {
  let target: String

  /// The tree that head was built in, which paths of sources are relative to.
  let directory: String
  let base: LaunchedObjects
  let head: LaunchedObjects
  let judge: GateJudge

  /// Differences below this are those of the linker, which rounds to pages and pads.
  private static let leastMapped: Int64 = 256 << 10
  private static let leastRelocations = 50

  var findings: [GateFinding] {
    libraries + initializers + tasks + figures + hardening
  }

  /// Everything in both builds that an approval can be of.
  var things: Set<GateFinding.Thing> {
    let all = base.all + head.all
    return Set(
      all.filter { $0.interpreter == nil }.map { .init(kind: .library, name: $0.name) }
        + (base.all + head.all).flatMap { object in
          object.initializers.map { initializer in
            .init(kind: .initializer, name: Self.name(of: initializer), library: name(of: object))
          } + object.tasks.map { .init(kind: .task, name: $0.name, library: name(of: object)) }
        }
    )
  }

  /// What an object is called in both builds.
  private func name(of object: LaunchedObject) -> String {
    object == base.program || object == head.program ? "program" : object.name
  }

  private static func name(of initializer: LaunchedObject.Initializer) -> String {
    initializer.name ?? "a function without a name"
  }

  // MARK: - Libraries

  private var libraries: [GateFinding] {
    let (old, new) = (base.libraries.map(\.name), head.libraries.map(\.name))
    let added = head.libraries.filter { !old.contains($0.name) }
    let gone = base.libraries.filter { !new.contains($0.name) }
    return added.compactMap { library in
      judge.judged(
        .init(kind: .library, name: library.name),
        of: target,
        details: details(of: library)
      )
    }
      + gone.map { library in
        GateFinding(
          rule: "libraries",
          target: target,
          item: library.name,
          change: "gone",
          verdict: .remark
        )
      }
  }

  private func details(of library: LaunchedObject) -> [String] {
    let needing = head.all.filter { $0.needed.contains(library.name) }.map(name)
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

  /// An initializer, and the object that it is in.
  private struct Placed {
    var name: String
    var object: String
    var source: LaunchedObject.SourceLine?
  }

  private func initializers(of objects: LaunchedObjects) -> [Placed] {
    objects.all.flatMap { object in
      object.initializers.map { placed(Self.name(of: $0), in: object, at: $0.source) }
    }
  }

  private func tasks(of objects: LaunchedObjects) -> [Placed] {
    objects.all.flatMap { object in
      object.tasks.map { placed($0.name, in: object, at: $0.source) }
    }
  }

  private func placed(
    _ name: String,
    in object: LaunchedObject,
    at source: LaunchedObject.SourceLine?
  ) -> Placed {
    var source = source
    if let file = source?.file, file.hasPrefix("\(directory)/") {
      source?.file = String(file.dropFirst(directory.count + 1))
    }
    return Placed(name: name, object: self.name(of: object), source: source)
  }

  private var initializers: [GateFinding] {
    placed(.initializer, "initializers", initializers(of: base), initializers(of: head))
  }

  private var tasks: [GateFinding] { placed(.task, "tasks", tasks(of: base), tasks(of: head)) }

  /// What is new in an object that was there, or came from another one; the initializers of a new
  /// library are told with it.
  private func placed(
    _ kind: GateApproval.Kind,
    _ rule: String,
    _ before: [Placed],
    _ after: [Placed]
  ) -> [GateFinding] {
    let known = Set(base.libraries.map(\.name))
    let newLibraries = Set(head.libraries.map(\.name)).subtracting(known)
    var left: [String: [Placed]] = Dictionary(grouping: before) { "\($0.object)\t\($0.name)" }
    let added = after.filter { place in
      left["\(place.object)\t\(place.name)"]?.popLast() == nil
    }
    var gone = left.values.flatMap(\.self)
    var findings: [GateFinding] = []
    for place in added where !newLibraries.contains(place.object) || kind == .task {
      let origin = gone.firstIndex { $0.name == place.name && place.name != Self.unnamed }
      let from = origin.map { gone.remove(at: $0).object }
      let thing = GateFinding.Thing(kind: kind, name: place.name, library: place.object)
      guard
        var finding = judge.judged(
          thing,
          of: target,
          details: place.source.map { ["\($0.file):\($0.line)"] } ?? [],
          source: place.source
        )
      else { continue }
      if let from {
        finding.change = "moved"
        finding.base = from
        finding.head = place.object
      }
      findings.append(finding)
    }
    findings += gone.map { place in
      GateFinding(
        rule: rule,
        target: target,
        item: "\(place.name) in \(place.object)",
        change: "gone",
        verdict: .remark
      )
    }
    return findings
  }

  private static let unnamed = "a function without a name"

  // MARK: - Figures

  private var figures: [GateFinding] {
    let relocations = [base, head].map { objects in
      objects.all.filter(\.isOwn).reduce(0) { $0 + $1.relocations.values.reduce(0, +) }
    }
    let mapped = [base, head].map { objects in
      objects.all.filter(\.isOwn).reduce(Int64(0)) { $0 + $1.mapped }
    }
    return [
      GateFigure(.relocations, of: target, "relocations of own files", unit: .count)
        .judged(
          Double(relocations[0]),
          Double(relocations[1]),
          least: Double(Self.leastRelocations),
          by: judge.rules,
          details: relocationDetails
        ),
      GateFigure(.mapped, of: target, "memory that own files map", unit: .bytes)
        .judged(
          Double(mapped[0]),
          Double(mapped[1]),
          least: Double(Self.leastMapped),
          by: judge.rules,
          details: mappedDetails
        ),
    ]
  }

  private var relocationDetails: [String] {
    changes { $0.relocations.values.reduce(0, +) }
      .map { name, before, after in "\(name): \(before) → \(after)" }
  }

  private var mappedDetails: [String] {
    changes { Int($0.mapped) }.map { name, before, after in
      let texts = [before, after].map { Quantity.text(Double($0), .bytes) }
      return "\(name): \(texts[0]) → \(texts[1])"
    }
  }

  /// What differs in own objects, by name.
  private func changes(
    _ figure: (LaunchedObject) -> Int
  ) -> [(name: String, before: Int, after: Int)] {
    let sides = [base, head].map { objects in
      Dictionary(
        objects.all.filter(\.isOwn).map { (name(of: $0), figure($0)) },
        uniquingKeysWith: +
      )
    }
    return Set(sides[0].keys).union(sides[1].keys).sorted().compactMap { name in
      let (before, after) = (sides[0][name] ?? 0, sides[1][name] ?? 0)
      return before == after ? nil : (name, before, after)
    }
  }

  // MARK: - Hardening

  private var hardening: [GateFinding] {
    head.all.filter(\.isOwn).flatMap { object -> [GateFinding] in
      guard let before = base.all.first(where: { name(of: $0) == name(of: object) }) else {
        return []
      }
      let wanted = ["pie", "relro", "bind-now"]
      let lost = wanted.filter {
        before.hardening.contains($0) && !object.hardening.contains($0)
      }
      let worse = ["exec-stack", "text-relocations"].filter {
        !before.hardening.contains($0) && object.hardening.contains($0)
      }
      return (lost.map { ($0, "lost") } + worse.map { ($0, "new") }).map { word, change in
        GateFinding(
          rule: "hardening",
          target: target,
          item: "\(word) of \(name(of: object))",
          change: change,
          verdict: .remark
        )
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
