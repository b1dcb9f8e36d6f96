import Comparison
import LaunchCore
import LaunchStatistics
package import LaunchStore
import Measuring
import Rendering

/// Concludes from what is stored of a scenario what one of its nights came to.
package struct TrendWorkflow {
  private let store: Store
  private let scenario: String

  /// - Parameters:
  ///   - store: It is only read.
  ///   - scenario: The name of a scenario.
  package init(store: Store, scenario: String) {
    self.store = store
    self.scenario = scenario
  }

  /// Concludes a night, and changes nothing.
  ///
  /// Only nightly summaries are read, and the launches of that night; the cost grows with the
  /// number of nights, whatever the number of launches.
  ///
  /// - Parameters:
  ///   - run: The id of a night, or its beginning; nil means the newest, though it failed.
  ///   - hindsight: Whether alerts of an older night are as they stand now, and not as they were when
  ///     it ended.
  /// - Returns: The night with every night before it.
  /// - Throws: ``WorkflowError/nothingStored(store:)``, ``WorkflowError/unknownRun(_:)``, and
  ///   `StoreError`.
  package func summary(of run: String?, hindsight: Bool = false) throws -> TrendSummary {
    let tonight = try night(run)
    let host = NightChoice.host(identity: tonight.identity)
    let stored = try store.nights(scenario: scenario, host)
    let nights = Array(stored.prefix { $0.run != tonight.run }) + [tonight]
    let record = try store.run(tonight.run)
    let counted = try CountedAlerts(of: scenario, in: store, nights: stored)
    let next = stored.first { $0.startedAt > tonight.startedAt }?.run
    let alerts =
      hindsight || next == nil
      ? counted.alerts : counted.alerts.compactMap { $0.known(after: tonight, before: next) }
    let history = TrendHistory(
      scenario: record.plan.scenario,
      nights: stored,
      series: try store.series(
        scenario: scenario,
        metrics: record.plan.scenario.trendMetrics,
        of: host
      ),
      alerts: alerts,
      isImported: record.purpose == .imported
    )
    let trends = NightVerdicts(history, tonight: tonight.run).trends
    let evidence = AlertEvidence(store: store, tonight: tonight.run)
    let current = alerts.filter { $0.isOpen || $0.events.contains { $0.run == tonight.run } }
      .sorted { ($0.gravity, $0.number) < ($1.gravity, $1.number) }
    let tally = try evidence.launches()
    let counts = try CountedChange.changes(of: record.plan.scenario, in: nights, from: store)
    var summary = TrendSummary(
      scenario: record.plan.scenario,
      tonight: tonight,
      nights: nights,
      missed: MissedNight.missed(in: nights, before: tonight, leftOut: counted.leftOut),
      series: trends,
      alerts: current,
      pastAlerts: Array(alerts.filter { !current.contains($0) }.reversed()),
      budgets: BudgetCheck.checks(of: record.plan.scenario, trends: trends, nights: nights),
      countedChanges: counts.changes,
      hostChanges: try hostChanges(before: record, nights: nights),
      run: record,
      launches: tally.all,
      disturbedLaunches: tally.disturbed,
      stageChanges: try evidence.stageChanges(of: current),
      summaries: try evidence.summaries(of: current),
      flameGraphs: try evidence.flameGraphs(of: current),
      notes: Self.notes(on: tonight, nights) + counted.notes + counts.notes,
      failure: tonight.status == .complete
        ? nil : tally.unready.map { Self.failure($0, in: record.plan) },
      scenarioFile: OwnScenarioFiles(scenario, beside: store.path).shown
    )
    summary.films = try films(of: summary)
    return summary
  }

  /// How many nights are looked through for a film to compare with.
  private static let filmNights = 30

  /// What the user saw of each filmed arm, tonight and in the last good night before.
  private func films(of summary: TrendSummary) throws -> [FilmStrip] {
    let tonight = summary.tonight
    let earlier = summary.nights.dropLast().filter {
      $0.status == .complete && !tonight.isOnOtherHost(than: $0)
        && $0.display == tonight.display
    }
    var former: [String: [(arm: Arm, film: Film)]] = [:]
    return try store.films(of: tonight.run).map { arm, film in
      let alert = summary.alerts.first {
        $0.isOpen && $0.series.target == arm.target && $0.series.state == arm.state
      }
      let good = earlier.firstIndex { $0.run == alert?.lastGood } ?? earlier.endIndex - 1
      var rows = [FilmStrip.Row(name: "tonight", film: film)]
      for night in earlier.prefix(good + 1).suffix(Self.filmNights).reversed() {
        let films = try former[night.run] ?? store.films(of: night.run)
        former[night.run] = films
        guard let last = films.first(where: { $0.arm == arm }) else { continue }
        rows.append(FilmStrip.Row(name: night.startedAt.utcDay, film: last.film))
        break
      }
      return FilmStrip(title: "\(arm.target) \(arm.state.rawValue)", rows: rows)
    }
  }

  /// Adds what was found out since of why launches are slower.
  ///
  /// - Parameter summary: That of the newest night.
  /// - Returns: The same otherwise.
  /// - Throws: `StoreError`.
  func explained(_ summary: TrendSummary) throws -> TrendSummary {
    var explained = summary
    for (index, alert) in summary.alerts.enumerated() {
      explained.alerts[index].explanation = try store.alert(alert.number).explanation
    }
    explained.flameGraphs = try AlertEvidence(store: store, tonight: summary.tonight.run)
      .flameGraphs(of: explained.alerts)
    return explained
  }

  /// Adds the launches of the proofs of alerts, of which pictures are drawn.
  ///
  /// - Parameter summary: One without them.
  /// - Returns: The same otherwise.
  /// - Throws: `StoreError`.
  func illustrated(_ summary: TrendSummary) throws -> TrendSummary {
    var illustrated = summary
    illustrated.distributions = try AlertEvidence(store: store, tonight: summary.tonight.run)
      .distributions(of: summary.alerts)
    return illustrated
  }

  private func night(_ run: String?) throws -> Night {
    // A night that failed is no reason to show the one before as if it were the newest.
    guard let newest = try store.nights(scenario: scenario, .newest).first else {
      throw WorkflowError.nothingStored(store: store.path)
    }
    guard let run else { return newest }
    let candidates = try store.nights(scenario: scenario, .beginning(run))
    if let exact = candidates.first(where: { $0.run == run }) { return exact }
    guard let only = candidates.first else {
      let gone = try store.leftOutRuns(scenario: scenario).first { $0.run.hasPrefix(run) }
      if let gone { throw WorkflowError.isLeftOut(gone) }
      throw WorkflowError.unknownRun(run)
    }
    guard candidates.count == 1 else {
      throw WorkflowError.ambiguousRun(run, candidates: candidates.map(\.run))
    }
    return only
  }

  /// The facts that are not those of the last complete night before.
  private func hostChanges(before run: RunRecord, nights: [Night]) throws -> [HostChange] {
    guard let last = nights.dropLast().last(where: { $0.status == .complete }) else { return [] }
    return HostChange.changes(from: try store.run(last.run).host, to: run.host)
  }

  /// How a launch went, such as `app warm exited with status 1`.
  private static func failure(_ launch: LaunchRecord, in plan: Plan) -> String {
    let arm = plan.arms[launch.arm]
    return "\(arm.target) \(arm.state.rawValue) \(launch.result.outcome)"
  }

  /// So many machines in a row are no coincidence.
  private static let newHosts = 3

  private static func notes(on tonight: Night, _ nights: [Night]) -> [Diagnostic] {
    let last = nights.suffix(newHosts)
    let identities = Set(last.compactMap(\.identity))
    var notes: [Diagnostic] = []
    let isFirst = nights.dropLast(newHosts).allSatisfy { night in
      night.identity.map { !identities.contains($0) } ?? true
    }
    if identities.count == newHosts, isFirst, Set(last.map(\.fingerprint)).count == 1 {
      notes.append(
        Diagnostic(
          .warning,
          id: "new-hosts",
          problem:
            "the last \(newHosts) nights were on as many machines of one kind, so that none is "
            + "compared with another",
          remedy:
            "where each night gets a fresh machine, give them one name in LAUNCHLAB_HOST_NAME"
        )
      )
    }
    guard tonight.status != .complete else { return notes }
    return notes + [
      Diagnostic(
        .warning,
        id: "night-not-complete",
        problem: "run \(tonight.run) is \(tonight.status.rawValue), and has no value in any series",
        remedy: "see what stopped it in its own report, or run the scenario again"
      )
    ]
  }
}

extension Alert {
  /// The smaller, the more it matters.
  fileprivate var gravity: Int {
    switch state {
    case .confirmed where isRed: 0
    case .suspected: direction == .worse ? 1 : 3
    case .confirmed: direction == .worse ? 2 : 4
    case .acknowledged: 5
    case .fixed, .recovered, .refuted: 6
    }
  }
}

extension Alert {
  /// The alert as it was when a night ended.
  ///
  /// - Parameters:
  ///   - night: What came later is left out, also what people decided.
  ///   - next: The run of the next night; a proof or an explanation of it, or a later one, is left out.
  /// - Returns: Nil where there was no such alert yet.
  fileprivate func known(after night: Night, before next: String?) -> Alert? {
    let end = night.finishedAt ?? night.startedAt
    var known = self
    known.events = events.filter { $0.at <= end || $0.run == night.run }
    guard let last = known.events.last else { return nil }
    (known.state, known.cause) = (last.state, last.cause)
    if let next, let proof, proof.run >= next { known.proof = nil }
    if let next, let explanation, explanation.run >= next { known.explanation = nil }
    return known
  }
}

/// What is read of single runs to tell more of the alerts of a night.
struct AlertEvidence {
  let store: Store

  /// The run of the night.
  let tonight: String

  /// How many launches tonight has, how many of them were disturbed, and the newest one that was not
  /// ready.
  func launches() throws -> (all: Int, disturbed: Int, unready: LaunchRecord?) {
    var tally = (all: 0, disturbed: 0, unready: LaunchRecord?.none)
    try store.forEachLaunch(of: tonight) { launch in
      tally.all += 1
      if launch.isDisturbed { tally.disturbed += 1 }
      if launch.result.outcome != .ready { tally.unready = launch }
    }
    return tally
  }

  /// How the stages of the arms of alerts changed since the last good night of each.
  func stageChanges(of alerts: [Alert]) throws -> [StageChange] {
    let timed = alerts.filter { $0.isOpen && $0.series.metric == .launch }
    guard !timed.isEmpty else { return [] }
    let after = try store.collectors(of: tonight)
    var before: [String: [CollectorRow]] = [:]
    var seen: Set<String> = []
    var changes: [StageChange] = []
    for alert in timed {
      guard let good = alert.lastGood, try store.hasRun(good) else { continue }
      let arm = "\(alert.series.state.rawValue) \(alert.series.target)"
      guard seen.insert(arm).inserted else { continue }
      let rows = try before[good] ?? store.collectors(of: good)
      before[good] = rows
      changes += StageChange.changes(from: rows, to: after).filter {
        $0.target == alert.series.target && $0.state == alert.series.state
      }
    }
    return changes
  }

  /// The pictures of the alerts that are explained, by their number.
  func flameGraphs(of alerts: [Alert]) throws -> [Int: String] {
    try alerts.filter { $0.explanation != nil }.reduce(into: [:]) { pictures, alert in
      pictures[alert.number] =
        try store.explanationDocuments(ofAlert: alert.number)?.flameGraph
    }
  }

  /// The launches that the alerts' proofs rest on, by the number of the alert; each run is read once.
  func distributions(of alerts: [Alert]) throws -> [Int: LaunchDistributions] {
    let proofs = alerts.compactMap { alert in alert.proof.map { (alert: alert, proof: $0) } }
    return try Dictionary(grouping: proofs, by: \.proof.run).reduce(into: [:]) { found, group in
      guard try store.hasRun(group.key) else { return }
      let run = try store.run(group.key)
      let wanted = group.value.flatMap { alert, proof in
        [proof.baseline, proof.candidate].map { target in
          (
            arm: Arm(target: target, state: alert.series.state),
            metric: alert.series.metric.ofLaunches
          )
        }
      }
      let launches = try ArmLaunches.read(wanted, of: run, in: store)
      for (index, (alert, proof)) in group.value.enumerated() {
        let sides = ComparedLaunches(launches[2 * index], launches[2 * index + 1])
        found[alert.number] = sides.distributions(
          "\(TrendWords.name(alert.series)), \(alert.id): launches of the proof",
          sides: (proof.baseline, proof.candidate),
          unit: alert.series.metric.ofLaunches.unit,
          threshold: alert.slowLimit.flatMap { limit in
            (try? Sample(sides.baseline.values)).map { $0.median * limit }
          }
        )
      }
    }
  }

  /// The summaries of the nights that open alerts speak of.
  func summaries(of alerts: [Alert]) throws -> [MetricRow] {
    let open = alerts.filter(\.isOpen)
    guard !open.isEmpty else { return [] }
    let runs = Set(open.flatMap { [$0.lastGood, $0.onset].compactMap(\.self) } + [tonight])
    let arms = Set(open.map { [$0.series.target, $0.series.state.rawValue] })
    let metrics = Set(open.map(\.series.metric))
    return try runs.sorted().flatMap { run in
      try store.summaries(run: run).filter { row in
        row.arm.kind == .plain && metrics.contains(row.metric)
          && arms.contains([row.arm.target, row.arm.state.rawValue])
      }
    }
  }
}

extension Alert {
  /// How many times the median of its night a launch takes to be slow; nil for other alerts.
  fileprivate var slowLimit: Double? {
    events.lazy.flatMap(\.criteria).first { $0.id == CriterionID.slowLimit }?.value
  }
}
