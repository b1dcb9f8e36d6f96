import LabModel

extension RunSummary {
  /// The scenario's name, with the ids of the findings that are not warned of, such as
  /// `redis [suppressed: governor, virtual-host]`.
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

  /// The disturbed and unsettled launches of all arms, as a share of those that were asked for by
  /// now; from 0 to 1.
  package var doubtfulShare: Double {
    disturbances.share(of: arms.reduce(0) { $0 + $1.launches })
  }

  /// Whether more launches were disturbed or unsettled than a result may have.
  package var isTooDisturbed: Bool {
    run.plan.tolerableShare.map { doubtfulShare > $0 } ?? false
  }
}
