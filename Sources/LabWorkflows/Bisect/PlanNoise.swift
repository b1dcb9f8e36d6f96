import Foundation
import LabAnalysis
import LabHost
import LabModel
import LabStore

/// What is known of the noise of a launch before the first one: from stored runs of the same arm, or
/// from the self-tests of the host.
struct PlanNoise {
  let start: BisectStart

  /// The absolute path of the store.
  let store: String

  /// The work that is to be expected.
  var plan: BisectPlan {
    BisectPlan(
      candidates: start.revisions.count - 1,
      effect: nil,
      noise: noise,
      parameters: start.parameters
    )
  }

  /// The standard deviation of the logarithm of one launch; nil where nothing is known.
  private var noise: Double? {
    guard case .metric(let metric) = start.measure else { return nil }
    return ofRuns(metric) ?? (metric == .launch ? ofSelfTests : nil)
  }

  private func ofRuns(_ metric: Metric) -> Double? {
    guard FileManager.default.fileExists(atPath: store),
      let store = try? Store(path: store, mode: .readOnly),
      let found = try? store.series(scenario: start.scenario.name, metrics: [metric]),
      let target = start.scenario.targets.first, let state = start.scenario.states.first
    else { return nil }
    let own = found.first {
      $0.key.target == target.name && $0.key.state == state
        && $0.key.fingerprint == start.fingerprint
    }
    // The median absolute deviation of normal values is 0.6745 standard deviations.
    guard let last = own?.points.last, last.median > 0 else { return nil }
    return 1.4826 * last.medianAbsoluteDeviation / last.median
  }

  private var ofSelfTests: Double? {
    HostStore.noise(of: start.fingerprint)
      .first { $0.state == start.scenario.states.first }?.coefficientOfVariation
  }
}
