package import LaunchCore
package import Measuring
package import Rendering

/// The launches of both sides of a comparison, to be drawn.
package struct ComparedLaunches: Hashable, Sendable {
  package var baseline: ArmLaunches
  package var candidate: ArmLaunches

  package init(_ baseline: ArmLaunches, _ candidate: ArmLaunches) {
    self.baseline = baseline
    self.candidate = candidate
  }

  /// Both on a common axis.
  ///
  /// - Parameters:
  ///   - title: What was launched.
  ///   - sides: What the two are called.
  ///   - unit: That of the values.
  ///   - threshold: Above which value a launch is slow; nil means that none is marked.
  /// - Returns: Nil where neither has a value.
  package func distributions(
    _ title: String,
    sides: (baseline: String, candidate: String),
    unit: Metric.Unit,
    threshold: Double? = nil
  ) -> LaunchDistributions? {
    LaunchDistributions(
      title,
      [
        .init(sides.baseline, baseline.values, missing: baseline.missing),
        .init(sides.candidate, candidate.values, missing: candidate.missing),
      ],
      unit: unit,
      threshold: threshold
    )
  }
}

extension ComparisonSummary {
  /// The launches of each finding, those that have no partner included.
  var launches: [ComparedLaunches] {
    findings.map { finding in
      let sides = [finding.pair.baseline, finding.pair.candidate].map { target in
        let arm = Arm(target: target, state: finding.state)
        return run.arms.first { $0.arm == arm }.map { ArmLaunches($0, finding.metric) }
          ?? ArmLaunches()
      }
      return ComparedLaunches(sides[0], sides[1])
    }
  }
}
