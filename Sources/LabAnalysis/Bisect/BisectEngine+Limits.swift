import Foundation
import LabModel

extension BisectEngine {
  /// The limit that is reached, if one is.
  var spent: BisectObstacle? {
    if launches >= parameters.limits.launches { return .launchesSpent }
    if timeIsSpent { return .timeSpent }
    let usable = range.status.count { $0 == .built }
    if usable >= mostBuilds || builds - usable >= 3 * mostBuilds { return .buildsSpent }
    return nil
  }

  var timeIsSpent: Bool {
    parameters.limits.seconds.map { costs.seconds >= $0 } ?? false
  }

  /// The most builds that succeed.
  private var mostBuilds: Int {
    let bits = log2(Double(max(2, range.last))).rounded(.up)
    return parameters.limits.builds ?? 2 * Int(bits) + 12
  }
}
