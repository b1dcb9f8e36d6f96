import LabAnalysis
import LabHost
import LabModel

/// What is known of the time of builds and launches before the first one: from former bisections, and
/// from the builds that are kept.
struct PlanCosts {
  let start: BisectStart

  /// The absolute path of the directory of the store.
  let storeDirectory: String

  /// How many former bisections are looked at, the newest first.
  private static let mostLogs = 5

  /// Looks what is known.
  ///
  /// - Parameter launchSeconds: How long a launch takes by the history of its arm, if that is known.
  /// - Returns: Nil for what nothing tells.
  func costs(launchSeconds: Double?) async -> BisectPlan.Costs {
    let records = records
    return BisectPlan.Costs(
      build: start.artifacts == nil ? Self.mean(records.flatMap(buildSeconds)) : 0,
      launch: Self.mean(records.lazy.map(launchSeconds(of:)).first { !$0.isEmpty } ?? [])
        ?? (start.scenario.states.first == .warm ? launchSeconds : nil),
      kept: await kept
    )
  }

  private var records: [BisectRecord] {
    let location = BisectLocation(storeDirectory: storeDirectory)
    return location.ids.reversed().prefix(Self.mostLogs)
      .compactMap { try? BisectRecord(path: location.log(of: $0)) }
  }

  /// How long builds by the same command took.
  private func buildSeconds(of record: BisectRecord) -> [Double] {
    guard let source = start.scenario.source, let other = record.start.scenario.source,
      source.repository == other.repository, source.build == other.build
    else { return [] }
    return record.events.compactMap { event in
      if case .built(let built) = event { built.seconds } else { nil }
    }
  }

  /// How long each launch took with what is around it, where the same was launched.
  private func launchSeconds(of record: BisectRecord) -> [Double] {
    let other = record.start
    guard start.scenario.targets.first?.command == other.scenario.targets.first?.command,
      start.scenario.states == other.scenario.states, start.measure == other.measure,
      start.counting == other.counting, start.artifacts == other.artifacts
    else { return [] }
    return record.events.compactMap { event in
      if case .row(let row) = event { row.seconds / Double(max(1, row.arms.count)) } else { nil }
    }
  }

  private var kept: Int {
    get async {
      let trees = start.revisions.compactMap(\.tree)
      guard start.artifacts == nil, let source = start.scenario.source else { return 0 }
      let cache = CacheLocation(directory: storeDirectory).buildDirectory
      return (try? await KeptBuilds(source: source, cache: cache).count(ofTrees: trees)) ?? 0
    }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
