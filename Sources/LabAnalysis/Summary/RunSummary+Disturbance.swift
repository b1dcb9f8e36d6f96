import LabModel

extension RunSummary {
  /// The scenario's name, with the ids of the findings that are not warned of, such as
  /// `redis [suppressed: governor, vm]`.
  package var name: String {
    let scenario = run.plan.scenario
    let ids = scenario.controls?.suppressed.sorted() ?? []
    return ids.isEmpty
      ? scenario.name : "\(scenario.name) [suppressed: \(ids.joined(separator: ", "))]"
  }

  /// The disturbances of all arms together.
  package var disturbances: DisturbanceTally {
    DisturbanceTally.sum(of: arms.map(\.disturbances))
  }

  /// The disturbed and unsettled launches as a share of those that the plan asked for by now, at
  /// most 1: repeats are not planned, and may be disturbed themselves.
  package var doubtfulShare: Double {
    let planned = arms.reduce(0) { $0 + $1.launches - $1.disturbances.repeated }
    return planned > 0 ? min(1, Double(disturbances.doubtful) / Double(planned)) : 0
  }

  /// Whether more launches were disturbed or unsettled than a result may have.
  package var isTooDisturbed: Bool {
    run.plan.tolerableShare.map { doubtfulShare > $0 } ?? false
  }
}
