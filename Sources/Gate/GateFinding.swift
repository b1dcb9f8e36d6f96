package import LaunchCore
import Rendering

/// One difference between the launches of base and head, or one figure that is limited, with what the
/// rules say of it.
package struct GateFinding: Hashable, Sendable {
  /// The key of the rule in the scenario, such as `libraries`; `hardening` for remarks on it.
  package var rule: String

  /// The target that is launched.
  package var target: String

  /// The state, of what is timed.
  package var state: LaunchState?

  /// What it is about, such as `libfoo.so.1`, or `peak memory`.
  package var item: String

  /// What can be approved, if this can.
  package var thing: GateThing?

  /// The figures of both builds in the unit of the rule, where it is about one.
  package var figures: Figures?

  /// How it was and how it is, as texts with units.
  package var base: String?
  package var head: String?

  /// The difference as a text, such as `+3.1 %`.
  package var change: String?

  /// What the rule allows, such as `+1 %` or `review`.
  package var limit: String?
  package var verdict: Verdict

  /// What else is known of it, as sentences without a full stop.
  package var details: [String] = []

  /// Where it is written, of an initializer or a task with debug information.
  package var source: LaunchedObject.SourceLine?

  package var approval: GateApproval?

  /// Where it stands among others; what is broken and what is to be approved stand in the order of the
  /// steps, since what is in the files causes what is counted and timed.
  var rank: Int {
    switch verdict {
    case .failed, .needsApproval: 0
    case .undecided: 1
    case .approved, .remark: 2
    case .passed: 3
    }
  }

  package struct Figures: Hashable, Sendable {
    package var base: Double?
    package var head: Double?
  }

  /// In the order in which a reader needs them.
  package enum Verdict: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The rule does not allow it.
    case failed

    /// It needs an approval, and has none.
    case needsApproval = "needs_approval"

    /// It could not be told.
    case undecided
    case approved

    /// It is worth knowing, and not limited.
    case remark
    case passed

    package static func < (left: Self, right: Self) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// What the gate says where this is the worst.
    package var exitCode: LabExitCode {
      switch self {
      case .failed, .needsApproval: .regression
      case .undecided: .inconclusive
      case .approved, .remark, .passed: .done
      }
    }
  }
}

/// What a few launches of one build, or its files, have of a figure.
struct GateCount: Hashable {
  var median: Double
  var lowest: Double
  var highest: Double

  /// How far the launches are apart.
  var spread: Double

  /// A figure of files, or of launches that agree.
  init(_ value: Double) { self.init(median: value, lowest: value, highest: value) }

  init(median: Double, lowest: Double, highest: Double) {
    self.median = median
    self.lowest = lowest
    self.highest = highest
    spread = highest - lowest
  }

  /// That of a night, of which it is only known how far the launches are apart.
  init(_ count: LaunchInventory.Count) {
    median = count.median
    lowest = count.median - count.spread
    highest = count.median + count.spread
    spread = count.spread
  }
}

extension GateThing {
  /// What it is called among others.
  fileprivate var item: String { library.map { "\(name) in \($0)" } ?? name }
}

/// Judges differences by the rules of a scenario and what was approved.
struct GateJudge {
  let rules: GateRules
  let approvals: [GateApproval]

  /// Today, as `YYYY-MM-DD`.
  let day: String

  /// What becomes of a new thing.
  func judged(
    _ thing: GateThing,
    of target: String,
    details: [String],
    source: LaunchedObject.SourceLine? = nil
  ) -> GateFinding? {
    let (rule, admission) = rule(of: thing)
    guard admission != .ignore else { return nil }
    var finding = GateFinding(
      rule: rule,
      target: target,
      item: thing.item,
      thing: thing,
      change: "new",
      limit: admission.rawValue,
      verdict: admission == .forbid ? .failed : .needsApproval,
      details: details,
      source: source
    )
    guard admission == .review else { return finding }
    let fitting = approvals.filter { $0.covers(thing.kind, thing.name, in: thing.library) }
    if let valid = fitting.first(where: { !$0.hasExpired(on: day) }) {
      finding.verdict = .approved
      finding.approval = valid
    } else if let old = fitting.first, let until = old.until {
      finding.details.append("its approval by \(old.by) expired on \(until)")
    }
    return finding
  }

  /// What is said of a thing that is not there any more; nil where nobody wants to know.
  func gone(_ thing: GateThing, of target: String) -> GateFinding? {
    let (rule, admission) = rule(of: thing)
    guard admission != .ignore else { return nil }
    return GateFinding(
      rule: rule,
      target: target,
      item: thing.item,
      thing: thing,
      change: "gone",
      verdict: .remark
    )
  }

  private func rule(of thing: GateThing) -> (key: String, GateRules.Admission) {
    switch thing.kind {
    case .library: ("libraries", rules.libraries)
    case .initializer: ("initializers", rules.initializers)
    case .task: ("tasks", rules.tasks)
    }
  }

  /// Judges a figure, which may grow by a share only.
  ///
  /// - Parameters:
  ///   - figure: With its limit, and with the difference that never fails.
  ///   - target: What is launched.
  ///   - base: What was counted of base.
  ///   - head: What was counted of head.
  ///   - details: What is known of a difference.
  /// - Returns: A finding with texts for people.
  func judged(
    _ figure: GateRules.Figure,
    of target: String,
    _ base: GateCount,
    _ head: GateCount,
    details: [String]
  ) -> GateFinding {
    let limit = rules.limit(of: figure)
    let isSteady = isSteady(figure, base, head)
    let isOver = isMore(figure, head.median, than: base.median)
    let isDecided = isMore(figure, head, than: base, isSteady: isSteady)
    let spread = Quantity.text(max(base.spread, head.spread), figure.unit)
    let (base, head) = (base.median, head.median)
    let texts = Quantity.texts([base, head], figure.unit)
    let share =
      base > 0
      ? Quantity.signed(head / base - 1, Quantity.percent) : head > 0 ? "new" : "0"
    // That of both which allows more.
    let allowed =
      limit * base < figure.least
      ? "< +\(Quantity.text(figure.least, figure.unit))" : "+\(Quantity.percent(limit))"
    return GateFinding(
      rule: figure.rawValue,
      target: target,
      item: figure.title,
      figures: .init(base: base, head: head),
      base: texts[0],
      head: texts[1],
      change: head == base ? "0" : share,
      limit: allowed,
      verdict: isOver ? (isDecided ? .failed : .undecided) : .passed,
      details: (isSteady ? [] : ["launches of one build differ by up to \(spread)"])
        + (isOver ? details : [])
    )
  }

  /// Whether a figure has grown by more than is allowed.
  func isMore(_ figure: GateRules.Figure, _ head: Double, than base: Double) -> Bool {
    head - base >= max(figure.least, .leastNonzeroMagnitude)
      && head > base * (1 + rules.limit(of: figure))
  }

  /// The same of launches, which decide by their medians where they are steady, and else only where even
  /// the lowest of head has grown by more than is allowed from the highest of base.
  func isMore(
    _ figure: GateRules.Figure,
    _ head: GateCount,
    than base: GateCount,
    isSteady: Bool
  ) -> Bool {
    isSteady
      ? isMore(figure, head.median, than: base.median)
      : isMore(figure, head.lowest, than: base.highest)
  }

  /// Whether the launches of each build agree well enough for their medians to be compared: a few that
  /// agree by chance must not decide.
  func isSteady(_ figure: GateRules.Figure, _ base: GateCount, _ other: GateCount) -> Bool {
    let spread = max(base.spread, other.spread)
    return 2 * spread < max(rules.limit(of: figure) * base.median, figure.least)
  }

  /// Approvals that nothing needs any more: neither base nor head has what they are of, or they have expired.
  func idle(among things: Set<GateThing>) -> [(approval: GateApproval, reason: String)] {
    approvals.compactMap { approval in
      if approval.hasExpired(on: day) { return (approval, "it expired on \(approval.until ?? "")") }
      let isUsed = things.contains { approval.covers($0.kind, $0.name, in: $0.library) }
      return isUsed ? nil : (approval, "nothing that is launched has this name")
    }
  }
}
