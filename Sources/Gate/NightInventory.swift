package import LaunchCore
import LaunchHost
package import Measuring
import Scenarios
import Stages

/// Counts what the launches of a night consist of.
package struct InventoryWorkflow {
  private let run: RunRecord
  private let command: [String]
  private let context: WorkflowContext

  /// - Parameters:
  ///   - run: The night, with its programs as they were launched.
  ///   - command: The command line, for those who wait for the lab.
  ///   - context: Where it is counted.
  package init(of run: RunRecord, for command: [String], in context: WorkflowContext) {
    self.run = run
    self.command = command
    self.context = context
  }

  /// Reads the files of the targets, and launches each of them a few times.
  ///
  /// - Returns: An inventory of each target, and what could not be counted, and why, as sentences
  ///   without a full stop.
  /// - Throws: `HostError`, such as `HostError.interrupted`, and `TargetFailure` where a target does
  ///   not get ready.
  package func inventories() async throws -> ([LaunchInventory], problems: [String]) {
    let scenario = run.plan.scenario
    let tree = run.build?.directory ?? scenario.directory
    let reader = ObjectReader()
    var files: [BuiltObjects] = []
    var problems: [String] = []
    for target in scenario.targets {
      let objects = try await reader.objects(
        of: target,
        in: scenario.controls?.environment ?? .inherited
      )
      let built = BuiltObjects(objects, in: tree)
      files.append(built)
      problems += objects.problems + built.unread.map { "\($0.key): \($0.value)" }.sorted()
    }
    let interrupt = try context.interrupt()
    let counter = try await context.lab(for: command) { session in
      var counter = LaunchCounter(
        scenario.targets,
        of: scenario,
        in: context,
        // Only sums are kept.
        shortening: { $0 }
      )
      try await counter.count(in: session, interrupt)
      return counter
    }
    let inventories = zip(scenario.targets, files).map { target, files in
      Self.inventory(of: target.name, files, counter.counted[target.name] ?? CountedLaunches())
    }
    return (inventories, (problems + counter.problems).uniqued)
  }

  private static func inventory(
    of target: String,
    _ files: BuiltObjects,
    _ launched: CountedLaunches
  ) -> LaunchInventory {
    var inventory = LaunchInventory(target: target)
    if files.unread.isEmpty {
      let own = Set(files.own.map(\.name))
      let libraries = files.objects.map(\.name).filter { $0 != BuiltObjects.program }
      let placed = [GateApproval.Kind.initializer: files.initializers, .task: files.tasks]
      let things = placed.flatMap { kind, places in
        places.filter { own.contains($0.object) }
          .map { GateThing(kind: kind, name: $0.name, library: $0.object) }
      }
      inventory.things = (libraries.map { GateThing(kind: .library, name: $0) } + things).sorted()
      for figure in BuiltObjects.figures {
        inventory.counts[figure] = .init(files.values(figure).values.reduce(0, +))
      }
    }
    for figure in GateRules.Figure.allCases {
      guard launched.isWhole(figure), let count = launched.count(figure) else { continue }
      inventory.counts[figure] = .init(count.median, spread: count.spread)
    }
    if launched.isWhole(.systemCalls) {
      inventory.opened = Set(launched.libraries.keys).subtracting(files.libraryNames)
    }
    return inventory
  }
}

/// What changes in the inventories of a target from night to night.
///
/// A figure is compared with the night of its last change, so that many small steps are seen, too. Counts
/// that differ from launch to launch by half of what is allowed have changed only where no launch of either
/// night is within what is allowed.
package struct InventoryTrend {
  private let judge: GateJudge
  private var things: [GateThing]?
  private var opened: Set<String>?
  private var levels: [GateRules.Figure: GateCount] = [:]

  /// - Parameters:
  ///   - rules: What is let in.
  ///   - approvals: What was approved.
  ///   - day: Today, as `YYYY-MM-DD`.
  package init(rules: GateRules, approvals: [GateApproval], day: String) {
    judge = GateJudge(rules: rules, approvals: approvals, day: day)
  }

  /// What is new, gone, more or less in the next night; nothing in the first one.
  package mutating func changes(in next: LaunchInventory) -> [GateFinding] {
    let (added, gone) = differences(in: next)
    return added.compactMap { judge.judged($0, of: next.target, details: []) }
      + gone.compactMap { judge.gone($0, of: next.target) } + figures(of: next)
  }

  private mutating func differences(
    in next: LaunchInventory
  ) -> (added: [GateThing], gone: [GateThing]) {
    var added: [GateThing] = []
    var gone: [GateThing] = []
    if let before = things, let after = next.things {
      added = ObjectComparison.left(of: after, by: \.self, without: before)
      gone = ObjectComparison.left(of: before, by: \.self, without: after)
    }
    if let before = opened, let after = next.opened {
      func libraries(_ names: Set<String>) -> [GateThing] {
        names.sorted().map { GateThing(kind: .library, name: $0) }
      }
      added += libraries(after.subtracting(before))
      gone += libraries(before.subtracting(after))
    }
    things = next.things ?? things
    opened = next.opened ?? opened
    // One that is opened now, and was needed before, is neither.
    let same = Set(added).intersection(gone).filter { $0.kind == .library }
    let new = Set(added.filter { $0.kind == .library }.map(\.name))
    let old = Set(gone.filter { $0.kind == .library }.map(\.name))
    // What is in a new library is told with it.
    added.removeAll {
      same.contains($0) || $0.kind == .initializer && new.contains($0.library ?? "")
    }
    gone.removeAll {
      same.contains($0) || $0.kind == .initializer && old.contains($0.library ?? "")
    }
    // Without debug information the name that gcc gives to the initializer of a file says nothing.
    for thing in added where thing.isOfObjects {
      guard let other = gone.firstIndex(where: { $0.isOfObjects && $0.library == thing.library }),
        let own = added.firstIndex(of: thing)
      else { continue }
      gone.remove(at: other)
      added.remove(at: own)
    }
    return (added, gone)
  }

  private mutating func figures(of next: LaunchInventory) -> [GateFinding] {
    GateRules.Figure.allCases.compactMap { figure in
      guard let count = next.counts[figure].map(GateCount.init) else { return nil }
      guard let level = levels[figure] else {
        levels[figure] = count
        return nil
      }
      let isSteady = judge.isSteady(figure, level, count)
      let isLess = judge.isMore(figure, level, than: count, isSteady: isSteady)
      guard isLess || judge.isMore(figure, count, than: level, isSteady: isSteady) else {
        if !judge.isSteady(figure, level, level) { levels[figure] = count }
        return nil
      }
      levels[figure] = count
      var finding = judge.judged(figure, of: next.target, level, count, details: [])
      if isLess { finding.verdict = .remark }
      return finding
    }
  }
}

extension GateThing {
  /// Whether it is the initializer of global objects, and called after one of them and not after a file.
  fileprivate var isOfObjects: Bool {
    kind == .initializer && name.hasPrefix(BuiltObjects.globals) && !name.contains(".")
  }
}
