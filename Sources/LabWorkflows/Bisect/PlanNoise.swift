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

  /// The work that is to be expected, with what is known of its time.
  func plan(costs: BisectPlan.Costs) -> BisectPlan {
    BisectPlan(
      candidates: start.revisions.count - 1,
      effect: nil,
      noise: noise,
      parameters: start.parameters,
      costs: costs
    )
  }

  /// How long a launch takes, in seconds; nil where nothing is known, as of launches under valgrind.
  var launchSeconds: Double? {
    guard start.counting != .valgrind else { return nil }
    return lastNight(of: .launch).map { Double($0.median) / 1e9 }
  }

  /// The standard deviation of the logarithm of one launch; nil where nothing is known.
  private var noise: Double? {
    guard case .metric(let metric) = start.measure else { return nil }
    return ofRuns(metric) ?? (metric == .launch ? ofSelfTests : nil)
  }

  private func ofRuns(_ metric: Metric) -> Double? {
    // The median absolute deviation of normal values is 0.6745 standard deviations.
    lastNight(of: metric).map { 1.4826 * $0.medianAbsoluteDeviation / $0.median }
  }

  /// The last night of the same arm on a host like this one; nil where there is none.
  private func lastNight(of metric: Metric) -> SeriesPoint? {
    guard FileManager.default.fileExists(atPath: store),
      let store = try? Store(path: store, mode: .readOnly),
      let found = try? store.series(scenario: start.scenario.name, metrics: [metric]),
      let target = start.scenario.targets.first, let state = start.scenario.states.first
    else { return nil }
    let own = found.first {
      $0.key.target == target.name && $0.key.state == state
        && $0.key.fingerprint == start.fingerprint
    }
    return own?.points.last.flatMap { $0.median > 0 ? $0 : nil }
  }

  private var ofSelfTests: Double? {
    HostStore.noise(of: start.fingerprint)
      .first { $0.state == start.scenario.states.first }.map(Self.scatter)
  }

  /// The scatter of launches around their middle, without the few that took far longer: those make
  /// the coefficient of variation several times as large, and hardly move a median.
  ///
  /// It is what makes the smallest detectable effect of the self-test: with n pairs that is
  /// z(97.5 %) + z(80 %) standard errors of the median of a ratio above the effect limit, and one of
  /// these is 1.2533 √2 of the scatter of one launch, divided by √n.
  static func scatter(of noise: HostNoise) -> Double {
    let variation = noise.coefficientOfVariation
    guard let most = noise.detectable.max(by: { $0.pairs < $1.pairs }) else { return variation }
    let reach = log1p(most.effect) - log1p(ComparisonRule().effectLimit)
    let errors = (1.960 + 0.8416) * 1.2533 * 2.0.squareRoot()
    let scatter = reach * Double(most.pairs).squareRoot() / errors
    return scatter > 0 ? min(scatter, variation) : variation
  }
}
