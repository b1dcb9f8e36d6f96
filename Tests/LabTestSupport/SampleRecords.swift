package import Foundation
package import LaunchCore

extension Scenario {
  /// A scenario with nothing but targets.
  package static func sample(
    _ name: String,
    _ targets: [Target],
    states: [LaunchState] = [.warm],
    launches: Int = 1,
    in directory: String = "/"
  ) -> Scenario {
    Scenario(name: name, targets: targets, states: states, launches: launches, directory: directory)
  }
}

extension RunRecord {
  /// A run with a block for each launch of its scenario, on a host with nothing but a fingerprint.
  package static func sample(
    _ scenario: Scenario,
    id: String = "20261121T043000Z-3fa2",
    at date: Date = Date(timeIntervalSince1970: 0),
    status: Status = .complete,
    arms: [Arm] = [],
    fingerprint: String = "f"
  ) -> RunRecord {
    RunRecord(
      id: id,
      startedAt: date,
      status: status,
      plan: Plan(scenario: scenario, seed: 1, arms: arms, blockCount: scenario.launches),
      host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: fingerprint),
      tool: "1"
    )
  }
}

extension LaunchRecord {
  /// A launch at the beginning of its run, which was not prepared.
  package static func sample(
    block: Int = 0,
    position: Int = 0,
    arm: Int = 0,
    _ result: LaunchResult,
    reached: StateReached = .reached
  ) -> LaunchRecord {
    LaunchRecord(
      block: block,
      position: position,
      arm: arm,
      startedAt: .zero,
      preparation: Preparation(),
      result: result,
      stateReached: reached
    )
  }
}

extension MetricRow {
  /// A summary of launch times that are all the same.
  package static func sample(
    run: String,
    arm: Arm,
    _ metric: Metric = .launch,
    n: Int,
    median: Double,
    interval: ClosedRange<Double>? = nil
  ) -> MetricRow {
    MetricRow(
      run: run,
      arm: arm,
      metric: metric,
      version: 1,
      n: n,
      mean: median,
      variance: n > 1 ? 0 : nil,
      median: median,
      medianAbsoluteDeviation: 0,
      minimum: median,
      maximum: median,
      p90: median,
      p95: median,
      intervalLow: interval?.lowerBound,
      intervalHigh: interval?.upperBound
    )
  }
}

extension SeriesKey {
  /// The launch times of a target that are warm.
  package static func sample(_ scenario: String, _ target: String, _ fingerprint: String) -> Self {
    Self(
      scenario: scenario,
      target: target,
      state: .warm,
      metric: .launch,
      fingerprint: fingerprint
    )
  }
}
