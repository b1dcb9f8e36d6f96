package import LaunchCore
package import LaunchStore

/// The values of a metric that launches of one arm gave, for a picture of their distribution.
package struct ArmLaunches: Hashable, Sendable {
  /// Of ready launches that were not disturbed, and whose state was reached or not verified.
  package private(set) var values: [Double] = []

  /// How many launches were never ready.
  package private(set) var missing = 0

  package init() {}

  /// Those of a summary; none where its figures are of launches that do not count.
  package init(_ arm: ArmSummary, _ metric: Metric) {
    values = arm.isDoubtful ? [] : (arm.summary(of: metric)?.values ?? []).map(Double.init)
    missing = arm.launches - arm.readyLaunches
  }

  /// Those of several arms of a stored run, read once; the cost grows with its launches.
  ///
  /// - Returns: Per arm and metric, in their order.
  /// - Throws: `StoreError`.
  package static func read(
    _ wanted: [(arm: Arm, metric: Metric)],
    of run: RunRecord,
    in store: Store
  ) throws -> [ArmLaunches] {
    var launches = wanted.map { _ in ArmLaunches() }
    try store.forEachLaunch(of: run.id) { record in
      for index in wanted.indices where wanted[index].arm == run.plan.arms[record.arm] {
        launches[index].add(record, wanted[index].metric)
      }
    }
    return launches
  }

  private mutating func add(_ record: LaunchRecord, _ metric: Metric) {
    guard record.result.outcome == .ready else {
      missing += 1
      return
    }
    if case .notReached = record.stateReached { return }
    guard !record.isDisturbed, let value = record.result.reliableValue(of: metric) else { return }
    values.append(Double(value))
  }
}
