import Foundation
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
    let below = self.path(below: path)
    return below.hasPrefix("/") ? path.split(separator: "/").last.map(String.init) ?? path : below
  }

  /// A path below the tree; others stay as they are.
  func path(below path: String) -> String {
    path.hasPrefix("\(directory)/") ? String(path.dropFirst(directory.count + 1)) : path
  }

  /// Leaves out what the other build could not read.
  mutating func leaveOut(_ names: some Sequence<String>) {
    let names = Set(names)
    objects = objects.filter { name, object in
      !names.contains(name) && !names.contains(path(object.path))
    }
  }

  // MARK: - Initializers and tasks

  /// An initializer or a task, and the object that it is in.
  struct Placed {
    var name: String
    var object: String
    var source: LaunchedObject.SourceLine?

    var key: String { "\(object)\t\(name)" }
  }

  var tasks: [Placed] {
    objects.flatMap { name, object in
      object.tasks.map { Placed(name: $0.name, object: name, source: relative($0.source)) }
    }
  }

  var initializers: [Placed] {
    objects.flatMap { name, object in
      object.initializers.map { initializer in
        let source = relative(initializer.source)
        return Placed(name: Self.name(of: initializer, source), object: name, source: source)
      }
    }
  }

  private func relative(_ source: LaunchedObject.SourceLine?) -> LaunchedObject.SourceLine? {
    source.map { source in
      .init(file: path(below: (source.file as NSString).standardizingPath), line: source.line)
    }
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

  static let globals = "_GLOBAL__sub_I_"
  static let unnamed = "a function without a name"

  /// The names of the files, and the last parts of their paths.
  var libraryNames: Set<String> {
    Set(objects.map(\.name)).union(
      objects.compactMap { $0.object.path.split(separator: "/").last.map(String.init) }
    )
  }

  /// Everything that an approval can be of.
  var things: Set<GateThing> {
    var things = Set(objects.map { GateThing(kind: .library, name: $0.name) })
    for place in initializers {
      things.insert(.init(kind: .initializer, name: place.name, library: place.object))
    }
    for place in tasks {
      things.insert(.init(kind: .task, name: place.name, library: place.object))
    }
    return things
  }

  // MARK: - Figures

  /// What the files of a build have of a figure, by file and kind.
  func values(_ figure: GateRules.Figure) -> [String: Double] {
    own.reduce(into: [:]) { sums, file in
      for (kind, value) in Self.values(figure, of: file.object) {
        sums["\(file.name)\(kind.isEmpty ? "" : ", \(kind)")", default: 0] += value
      }
    }
  }

  /// The figures that files have.
  static let figures: [GateRules.Figure] = [.relocations, .symbols, .mapped, .size]

  private static func values(
    _ figure: GateRules.Figure,
    of object: LaunchedObject
  ) -> [String: Double] {
    switch figure {
    case .relocations: object.relocations.mapValues(Double.init)
    case .symbols: ["": Double(object.imported)]
    case .mapped: ["": Double(object.mapped)]
    case .size: ["": Double(object.size)]
    default: [:]
    }
  }
}

/// What differs in the files of two builds that take part in a launch.
struct ObjectComparison {
  let target: String
  let base: BuiltObjects
  let head: BuiltObjects
  let judge: GateJudge

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
    return unread + libraries + tasks + initializers + figures + hardening + runPaths
  }

  /// Everything in both builds that an approval can be of.
  var things: Set<GateThing> { base.things.union(head.things) }

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
  static func left<Element, Key: Hashable>(
    of elements: [Element],
    by key: (Element) -> Key,
    without keys: [Key]
  ) -> [Element] {
    var counts: [Key: Int] = [:]
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

  private var tasks: [GateFinding] { placed(.task, "tasks", base.tasks, head.tasks) }

  private var initializers: [GateFinding] {
    var (before, after) = (base.initializers, head.initializers)
    // Where a build has no names, only the numbers can be compared.
    let stripped = Set((before + after).filter { $0.name == BuiltObjects.unnamed }.map(\.object))
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
      let thing = GateThing(kind: .initializer, name: BuiltObjects.unnamed, library: object)
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
    _ before: [BuiltObjects.Placed],
    _ after: [BuiltObjects.Placed]
  ) -> [GateFinding] {
    var added = Self.left(of: after, by: \.key, without: before.map(\.key))
    var gone = Self.left(of: before, by: \.key, without: after.map(\.key))
    // Without debug information the name that gcc gives says nothing.
    for place in added where place.name.hasPrefix(BuiltObjects.globals) && place.source == nil {
      let same = gone.firstIndex {
        $0.object == place.object && $0.name.hasPrefix(BuiltObjects.globals)
      }
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
    BuiltObjects.figures.map { figure in
      let (before, after) = (base.values(figure), head.values(figure))
      let details = Set(before.keys).union(after.keys).sorted().compactMap { name -> String? in
        let (old, new) = (before[name] ?? 0, after[name] ?? 0)
        guard old != new else { return nil }
        return "\(name): \(Quantity.texts([old, new], figure.unit).joined(separator: " → "))"
      }
      return judge.judged(
        figure,
        of: target,
        GateCount(before.values.reduce(0, +)),
        GateCount(after.values.reduce(0, +)),
        details: details
      )
    }
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

  // MARK: - Run paths

  /// Where libraries are looked for may make the loader find others, or search longer.
  private var runPaths: [GateFinding] {
    head.own.compactMap { name, object in
      guard let before = base.own.first(where: { $0.name == name })?.object else { return nil }
      let paths = [(base, before), (head, object)].map { build, object in
        object.runPaths.map(build.path(below:)).joined(separator: ":")
      }
      guard paths[0] != paths[1] else { return nil }
      return GateFinding(
        rule: "run_paths",
        target: target,
        item: "run path of \(name)",
        base: paths[0].isEmpty ? "none" : paths[0],
        head: paths[1].isEmpty ? "none" : paths[1],
        change: "other",
        verdict: .remark
      )
    }
  }
}
