import Foundation
package import LaunchCore
package import LaunchStore
package import Measuring

/// Compares two stored runs, with what the history of their scenarios knows of the scatter of nights.
struct StoredComparisonWorkflow {
  private let options: CompareOptions
  private let context: WorkflowContext

  /// How many nights a scatter is taken from at most.
  static let mostNights = 28

  init(_ options: CompareOptions, in context: WorkflowContext) {
    self.options = options
    self.context = context
  }

  private typealias Found = (store: Store, run: RunRecord)

  /// Compares the arms that both runs have.
  ///
  /// - Throws: ``WorkflowError`` when a run cannot be found, and `StoreError`.
  func comparison() throws -> StoredComparison {
    let runs = try StoredRuns(store: options.store, in: context)
    let baseline = try runs.run(options.words[0])
    let candidate = try runs.run(options.words[1])
    try options.files.keeping(store: baseline.store.path).keeping(store: candidate.store.path)
      .check()
    guard baseline.run.id != candidate.run.id else {
      throw WorkflowError.cannotCompare(
        reason: "\(options.words[0]) and \(options.words[1]) are the same run",
        remedy: "give two runs listed by `launchlab history`"
      )
    }
    let names = [baseline, candidate].map { Set($0.run.plan.scenario.targets.map(\.name)) }
    let both = names[0].intersection(names[1]).sorted()
    if let odd = options.targets.first(where: { !both.contains($0) }) {
      throw WorkflowError.badOption(
        name: "--target",
        value: odd,
        expected: both.isEmpty
          ? "it only where both runs have a target of that name"
          : "a target of both runs: \(both.joined(separator: ", "))"
      )
    }
    let metrics = try options.chosenMetrics()
    let states = try options.chosenStates()
    let first = try Side(baseline, metrics, rows: rows(of: baseline, metrics, states))
    let second = try Side(candidate, metrics, rows: rows(of: candidate, metrics, states))
    let likeness = RunLikeness(baseline.run, candidate.run)
    let matches = Self.matches(first.rows, second.rows)
    let arms = try matches.map { one, other in
      RunsComparison(
        pair: Self.pair(one.arm.target, other.arm.target),
        state: one.arm.state,
        metric: one.metric,
        baseline: .init(row: one, nights: first.nights(of: one, without: second)),
        candidate: .init(row: other, nights: second.nights(of: other, without: first)),
        rule: try options.rule(in: baseline.run.plan.scenario.regression),
        obstacle: likeness.obstacle
      )
    }
    var comparison = StoredComparison(
      baseline: baseline.run,
      candidate: candidate.run,
      arms: arms,
      warnings: likeness.warnings + Self.unmatched(first.rows, second.rows, matches)
        + [sequential(arms)].compactMap(\.self)
    )
    if options.readsLaunches {
      comparison.launches = zip(
        try launches(matches.map(\.0), of: baseline),
        try launches(matches.map(\.1), of: candidate)
      )
      .map(ComparedLaunches.init)
    }
    return comparison
  }

  private func launches(_ rows: [MetricRow], of found: Found) throws -> [ArmLaunches] {
    try ArmLaunches.read(rows.map { ($0.arm, $0.metric) }, of: found.run, in: found.store)
  }

  /// The summaries of plain launches that were asked for.
  private func rows(
    of found: Found,
    _ metrics: [Metric],
    _ states: [LaunchState]
  ) throws -> [MetricRow] {
    let rows = try found.store.summaries(run: found.run.id)
    return metrics.flatMap { metric in
      rows.filter { row in
        row.metric == metric && row.arm.kind == .plain && row.arm.target != Arm.emptyTarget
          && (states.isEmpty || states.contains(row.arm.state))
          && (options.targets.isEmpty || options.targets.contains(row.arm.target))
      }
    }
  }

  /// That two runs are no interleaved comparison, where that stands in the way of a verdict.
  private func sequential(_ arms: [RunsComparison]) -> Diagnostic? {
    guard arms.contains(where: { $0.finding.doubt == .notInterleaved }) else { return nil }
    return Diagnostic(
      .warning,
      id: "not-interleaved",
      problem: "the runs were made one after the other, and fewer than "
        + "\(RunsComparison.minNights) nights of the same host tell how much runs differ by "
        + "themselves",
      remedy: "compare interleaved, with `launchlab compare \"CMD A\" \"CMD B\"` or "
        + "`launchlab compare --revisions A..B scenario.yml`"
    )
  }
}

// MARK: - Arms

extension StoredComparisonWorkflow {
  /// A run with its summaries, and the history that it belongs to.
  private struct Side {
    let found: Found
    let rows: [MetricRow]
    private let series: [Series]

    /// The runs of its host.
    private let ofHost: Set<String>

    init(_ found: Found, _ metrics: [Metric], rows: [MetricRow]) throws {
      self.found = found
      self.rows = rows
      let scenario = found.run.plan.scenario.name
      let host = found.run.host
      series = try found.store.series(
        scenario: scenario,
        metrics: metrics,
        of: .host(identity: host.identity)
      )
      // Nights of another machine of the kind may be in front of its first one.
      let nights = try found.store.nights(scenario: scenario, .host(identity: host.identity))
      ofHost = Set(
        nights.filter { $0.identity == nil || $0.identity == host.identity }.map(\.run)
      )
    }

    /// The medians of the newest nights of a series, but for the two runs that are compared.
    func nights(of row: MetricRow, without other: Side) -> [Double] {
      let key = SeriesKey(
        scenario: found.run.plan.scenario.name,
        target: row.arm.target,
        state: row.arm.state,
        metric: row.metric,
        fingerprint: found.run.host.fingerprint
      )
      let points = series.first { $0.key == key }?.points ?? []
      return points.filter { point in
        ofHost.contains(point.run) && point.run != found.run.id && point.run != other.found.run.id
      }
      .suffix(StoredComparisonWorkflow.mostNights).map(\.median)
    }
  }

  /// The rows of both runs that are of the same target, state and metric; where each run has only one
  /// target, whatever it is called.
  static func matches(
    _ first: [MetricRow],
    _ second: [MetricRow]
  ) -> [(MetricRow, MetricRow)] {
    let isOnly = [first, second].allSatisfy { Set($0.map(\.arm.target)).count == 1 }
    return first.compactMap { one in
      second.first { other in
        one.metric == other.metric && one.arm.state == other.arm.state
          && (isOnly || one.arm.target == other.arm.target)
      }
      .map { (one, $0) }
    }
  }

  private static func pair(_ first: String, _ second: String) -> ComparedPair {
    ComparedPair(
      name: first == second ? first : "\(first), \(second)",
      baseline: first,
      candidate: second
    )
  }

  /// What only one of the runs has.
  private static func unmatched(
    _ first: [MetricRow],
    _ second: [MetricRow],
    _ matches: [(MetricRow, MetricRow)]
  ) -> [Diagnostic] {
    let alone =
      first.filter { row in !matches.contains { $0.0 == row } }
      + second.filter { row in !matches.contains { $0.1 == row } }
    return alone.map { row in
      Diagnostic(
        .warning,
        id: "not-in-both",
        problem: "only run \(row.run) has values of \(row.metric.rawValue) of "
          + "\"\(row.arm.target)\" in the state \(row.arm.state.rawValue)",
        remedy: "compare runs of the same targets and states"
      )
    }
  }
}

/// Finds stored runs by what a person calls them.
package struct StoredRuns {
  private let stores: [Store]

  /// - Parameters:
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store, and `StoreError`.
  package init(store: String?, in context: WorkflowContext) throws {
    stores = try StoreLocation.stores(store, from: context.directory)
  }

  /// Whether a text can only be the name of a run: `last`, `last~2`, or the beginning of an id, which
  /// is a date with at least four digits.
  package static func isName(_ text: String) -> Bool { age(text) != nil || isBeginning(text) }

  /// Finds a run.
  ///
  /// - Parameter text: `last` for the newest, `last~N` for the one N before it, an id, or the
  ///   beginning of one.
  /// - Returns: The run, and the store that holds it.
  /// - Throws: ``WorkflowError`` when no run, or more than one, is meant; `StoreError`.
  package func run(_ text: String) throws -> (store: Store, run: RunRecord) {
    var listed: [(store: Store, run: RunListing)] = []
    for store in stores {
      for run in try store.runs() { listed.append((store, run)) }
    }
    listed.sort { ($1.run.startedAt, $1.run.id) < ($0.run.startedAt, $0.run.id) }
    let found = try Self.chosen(text, among: listed)
    return (found.store, try found.store.run(found.run.id))
  }

  private static func chosen(
    _ text: String,
    among listed: [(store: Store, run: RunListing)]
  ) throws(WorkflowError) -> (store: Store, run: RunListing) {
    if let age = age(text) {
      let counted = listed.filter { $0.run.decision == nil }
      guard age < counted.count else { throw .unknownRun(text) }
      return counted[age]
    }
    let matches = listed.filter { $0.run.id.hasPrefix(text) }
    guard let first = matches.first else { throw .unknownRun(text) }
    if let exact = matches.first(where: { $0.run.id == text }) { return exact }
    guard matches.count == 1 else {
      throw .ambiguousRun(text, candidates: matches.map(\.run.id))
    }
    return first
  }

  /// How many runs are newer than the one that is meant; nil for other texts.
  private static func age(_ text: String) -> Int? {
    if text == "last" { return 0 }
    guard text.hasPrefix("last~") else { return nil }
    let digits = text.dropFirst(5)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }

  /// Whether a text is the beginning of an id such as `20261121T043000Z-3fa2`.
  private static func isBeginning(_ text: String) -> Bool {
    let shape = Array("00000000T000000Z-ffffffffffffffff")
    guard (4...shape.count).contains(text.count) else { return false }
    return zip(text, shape).allSatisfy { character, kind in
      switch kind {
      case "0": character.isASCII && character.isNumber
      case "f": character.isASCII && character.isHexDigit && !character.isUppercase
      default: character == kind
      }
    }
  }
}
