import Foundation
package import LabModel

extension BisectEngine {
  /// Takes other limits than those it began with; what was decided stays decided.
  package mutating func limit(_ limits: BisectLimits) {
    parameters.limits = limits
    hasNoRoom = false
  }

  /// The limit that is reached, if one is.
  var spent: BisectObstacle? {
    if hasNoRoom || launches >= parameters.limits.launches { return .launchesSpent }
    if timeIsSpent { return .timeSpent }
    let usable = range.status.count { $0 == .built }
    if usable >= mostBuilds || builds - usable >= 3 * mostBuilds { return .buildsSpent }
    return nil
  }

  /// Cuts launches to those that are left; the first comparison of the ends is always made.
  ///
  /// If not one row is left, the next step is decided again, so that what is pending is listed.
  mutating func withinLimits(_ action: BisectAction) -> BisectAction {
    guard case .launch(let arms, let rows) = action, rules.isShipped,
      phase != .ends || probes > 0
    else {
      return action
    }
    let left = (parameters.limits.launches - launches) / arms.count
    guard left > 0 else {
      guard !hasNoRoom else { return done(.inconclusive(.launchesSpent)) }
      hasNoRoom = true
      return withinLimits(decide())
    }
    return .launch(arms: arms, rows: min(rows, left))
  }

  var timeIsSpent: Bool {
    parameters.limits.seconds.map { costs.seconds >= $0 } ?? false
  }

  /// The most launches that allow one more look at the ends; nil where no look is left.
  var launchesForNextLook: Int? {
    let count = pairs[PairOfBuilds(0, range.last)]?.count ?? 0
    return rules.looks.first { $0 > count }.map {
      Int((Double(2 * $0) / rules.pairShare).rounded(.up))
    }
  }

  /// The most builds that succeed.
  private var mostBuilds: Int {
    let bits = log2(Double(max(2, range.last))).rounded(.up)
    let isJittery = hasChances && buildNoise > rules.jitteryShare * effect
    let spare = isJittery ? rules.spareJitteryBuilds : rules.spareBuilds
    // Each change that was found leaves as much to search again.
    let searches = parameters.findsAll && rules.isShipped ? found.count + 1 : 1
    // More than there are revisions are never needed.
    return min(parameters.limits.builds ?? searches * (2 * Int(bits) + spare), 2 * range.last + 2)
  }
}
