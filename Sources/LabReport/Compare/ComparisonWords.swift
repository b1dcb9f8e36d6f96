import Foundation
import LabAnalysis
import LabModel
import LabStatistics

/// What a comparison found, in sentences.
struct ComparisonWords {
  private let finding: ComparisonFinding

  init(_ finding: ComparisonFinding) { self.finding = finding }

  /// The verdict in one sentence with its numbers, such as
  /// `B is 8.1 % slower than A (95 % interval +6.9 % to +9.4 %, 50 pairs)`.
  ///
  /// - Parameters:
  ///   - unit: What `count` counts: `pair`, or `launch` of each side.
  ///   - isPlaced: Whether the state is named, as where there are several.
  /// - Returns: A sentence without a full stop.
  func sentence(counting unit: (String, plural: String), isPlaced: Bool) -> String {
    let place = isPlaced ? " in the state \(finding.state.rawValue)" : ""
    let metric = finding.metric == .launch ? "" : " in \(finding.metric.rawValue)"
    let bounds = interval.map { "\(confidence) interval \($0)" }
    let count = Quantity.count(finding.count, unit.0, plural: unit.plural)
    let facts = [bounds, count].compactMap(\.self).joined(separator: ", ")
    return "\(statement)\(metric)\(place) (\(facts))\(reason)"
  }

  /// Who is what compared with whom.
  private var statement: String {
    let (baseline, candidate) = finding.pair.sides
    return switch finding.verdict {
    case .regression, .improvement: "\(candidate) is \(difference) than \(baseline)"
    case .same:
      "\(candidate) and \(baseline) are the same within \(Quantity.percent(finding.rule.effectLimit))"
    case .inconclusive:
      "\(candidate) and \(baseline) are inconclusive: neither different nor equivalent"
    }
  }

  /// Such as `8.1 % slower`; the sign belongs to the word.
  private var difference: String {
    let ratio = finding.ratio ?? 1
    let isMore = ratio > 1
    let word =
      finding.metric.unit == .nanoseconds
      ? (isMore ? "slower" : "faster") : (isMore ? "higher" : "lower")
    return "\(Quantity.percent(abs(ratio - 1))) \(word)"
  }

  /// Why there is no verdict, and what would have been seen.
  private var reason: String {
    guard finding.verdict == .inconclusive else { return "" }
    let seen = finding.smallestDetectable.map {
      "an effect of \(Quantity.percent($0)) would have been seen"
    }
    return ": " + [doubt, seen].compactMap(\.self).joined(separator: "; ")
  }

  private var doubt: String {
    let limit = Quantity.percent(finding.rule.effectLimit)
    switch finding.doubt {
    case .fewPairs?:
      return "fewer than \(Sample.fewestForInterval) blocks have an accepted value of both"
    case .belowNoiseFloor?:
      let floor = finding.rule.noiseFloor.map(Quantity.percent) ?? "that"
      return "the difference is below the noise floor of this host, \(floor)"
    case .disturbed?: return "too many launches were disturbed"
    case .notInterleaved?:
      return
        "the runs were not interleaved, and there are too few nights to know how much runs differ"
    case .differentHosts?: return "the runs are of different hosts"
    case .differentControls?: return "the runs had different controls"
    case .wideInterval?, nil:
      guard let interval = finding.interval else { return "there is no interval" }
      let isDifference = interval.low > 1 || interval.high < 1
      return isDifference
        ? "there is a difference, but it may be within \(limit)"
        : "the interval reaches across the limit of \(limit)"
    }
  }

  /// The ends of the interval as changes, such as `+6.9 % to +9.4 %`.
  var interval: String? {
    finding.interval.map { "\(Self.change($0.low)) to \(Self.change($0.high))" }
  }

  /// Such as `95 %`.
  var confidence: String {
    let percent = 100 * finding.rule.confidence
    let isWhole = abs(percent - percent.rounded()) < 0.005
    return String(format: isWhole ? "%.0f %%" : "%.1f %%", percent)
  }

  /// The ratio as a change, such as `+8.1 %`; a dash where there is none.
  var change: String { finding.ratio.map(Self.change) ?? Quantity.none }

  var verdict: String { finding.verdict.rawValue }

  /// A ratio as the change that it stands for, with a sign, such as `−3.2 %`.
  static func change(_ ratio: Double) -> String {
    let share = ratio - 1
    let text = Quantity.percent(abs(share))
    guard text != Quantity.percent(0) else { return "±\(text)" }
    return "\(share < 0 ? "−" : "+")\(text)"
  }
}

extension ComparedPair {
  /// What the two sides are called; a target of two runs has one name, and so a time beside it.
  var sides: (baseline: String, candidate: String) {
    guard baseline == candidate else { return (baseline.printable, candidate.printable) }
    return ("\(baseline.printable) before", "\(candidate.printable) after")
  }

  /// Both sides as a phrase.
  var phrase: String {
    baseline == candidate
      ? candidate.printable : "\(candidate.printable) against \(baseline.printable)"
  }
}
