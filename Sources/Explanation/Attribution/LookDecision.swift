import LaunchCore
import LaunchStatistics

/// What is done after a look at the launches that there are.
package enum LookDecision: String, Hashable, Sendable {
  /// The reasons make up nearly all of the difference.
  case explained

  /// What is left is too small to be named.
  case restTooSmall

  /// There is no difference that could be explained.
  case noDifference

  /// More blocks are launched.
  case more

  /// After how many blocks is looked.
  package static let looks = [8, 16, 32, 64]

  /// Which share of the difference must be explained.
  package static let enough = 0.8

  /// The chance that a look names anything where nothing differs.
  ///
  /// With 8 blocks no chance below 2 / 2⁸ can be told. All looks together name something by chance in
  /// at most 2 %, and what is named must be found again in later launches, with the right sign and
  /// an interval beyond 0, which by chance a part is in 2.5 % of cases. So far less than 1 % of
  /// explanations of nothing have a confirmed reason.
  ///
  /// - Parameter look: From 0 on.
  /// - Returns: From 0 to 1.
  package static func alpha(atLook look: Int) -> Double { look == 0 ? 0.008 : 0.004 }
}

extension LaunchExplanation {
  /// Whether the launches suffice.
  ///
  /// There is no difference when its interval lies within the floor, by traced launches and, where
  /// there are any, by plain ones.
  package var decision: LookDecision {
    let isNone = [difference.traced, difference.plain].compactMap { $0 }
      .allSatisfy { change in
        change.interval.map { $0.low >= -floor && $0.high <= floor } ?? false
      }
    if isNone, reasons.isEmpty { return .noDifference }
    guard let coverage else { return .more }
    if coverage.share >= LookDecision.enough { return .explained }
    if let rest = unattributed?.difference.count, abs(Double(rest)) < floor { return .restTooSmall }
    return .more
  }
}
