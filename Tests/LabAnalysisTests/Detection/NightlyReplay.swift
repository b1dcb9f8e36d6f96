import Foundation

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// Nights of one series as `run` would have gone through them, each suspicion settled by a simulated
/// comparison of two builds.
struct NightlyReplay {
  /// Nights that are history before the first one is judged.
  static let quiet = 10

  /// How often the history alone was suspicious, and how many comparisons were made.
  private(set) var suspicions = 0
  private(set) var comparisons = 0

  /// Nights that were judged before the step.
  private(set) var judged = 0

  /// Nights before the step that ended with a suspicion that its comparison did not settle.
  private(set) var unsettled = 0

  /// Confirmed alerts of the time before the step, by cause.
  private(set) var falseCode = 0
  private(set) var falseMachine = 0

  /// How many nights after the step it was confirmed as the code; nil when it was not.
  private(set) var delay: Int?

  /// How many nights after the step a confirmed alert ended; nil when none did.
  private(set) var end: Int?

  /// - Parameters:
  ///   - values: Medians in milliseconds.
  ///   - step: The first night of the new level and its ratio to the old one; nil for none.
  ///   - repair: The first night on the old level again; nil while the step lasts.
  ///   - comparesEnds: False where the old build is gone once the step is confirmed.
  ///   - seed: That of the comparisons.
  init(
    _ values: [Double],
    step: (night: Int, ratio: Double)?,
    repair: Int = .max,
    comparesEnds: Bool = true,
    seed: UInt64
  ) {
    var history = NightlyHistory()
    var generator = SeededGenerator(seed: seed)
    for (index, value) in values.enumerated() {
      history.add([value])
      guard index >= Self.quiet else { continue }
      let isAfter = step.map { index >= $0.night } ?? false
      if !isAfter { judged += 1 }
      let known = history.alerts
      let nights = history.nights
      let requests = history.conclude { request in
        let good = nights.firstIndex { $0.run == request.good.run } ?? 0
        guard comparesEnds || delay == nil else { return .impossible(reason: "the build is gone") }
        let isAcross = step.map { good < $0.night && index >= $0.night && index < repair } ?? false
        let truth = isAcross ? step?.ratio ?? 1 : 1
        return .compared([
          NightlyHistory.key(): Self.proof(request, truth, tonight: nights[index], &generator)
        ])
      }
      comparisons += requests.count
      if !isAfter {
        suspicions += requests.count
        if history.alerts.contains(where: { $0.state == .suspected }) { unsettled += 1 }
      }
      count(history.alerts, known, at: index, step: step)
      if end == nil, let red, history.alerts.first(where: { $0.number == red })?.isRed == false {
        end = step.map { index - $0.night }
      }
    }
  }

  /// The number of the alert that the step was confirmed by.
  private var red: Int?

  private mutating func count(
    _ alerts: [Alert],
    _ known: [Alert],
    at index: Int,
    step: (night: Int, ratio: Double)?
  ) {
    for alert in alerts where alert.state == .confirmed {
      let before = known.first { $0.number == alert.number }
      guard before?.state != .confirmed else { continue }
      let isTrue = step.map { index >= $0.night } ?? false
      if isTrue, alert.cause == .code {
        delay = delay ?? step.map { index - $0.night }
        red = red ?? alert.number
      } else if !isTrue {
        if alert.cause == .code { falseCode += 1 } else { falseMachine += 1 }
      }
    }
  }

  /// Looks as a plan of 40 to 640 pairs does, and ends as soon as there is a verdict.
  private static func proof(
    _ request: ProofRequest,
    _ truth: Double,
    tonight: Night,
    _ generator: inout SeededGenerator
  ) -> Proof {
    let looks = [40, 57, 80, 113, 160, 226, 320, 453, 640, 905, 1_280, 1_810, 2_560]
      .filter { $0 <= 640 * request.effort }
    let rule = ComparisonRule(
      effectLimit: 0.02,
      confidence: BonferroniCorrection.confidence(0.95, looks: looks.count)
    )
    var pairs: [(baseline: Double, candidate: Double)] = []
    var proof = Proof.sample(.inconclusive, good: request.good, bad: tonight)
    for look in looks {
      while pairs.count < look { pairs.append(generator.nextRatio(truth)) }
      guard let ratio = try? PairedRatio(pairs) else { return proof }
      let comparison = PairedComparison(ratio, rule: rule)
      proof.verdict = comparison.verdict
      proof.ratio = comparison.ratio
      proof.low = comparison.interval?.low
      proof.high = comparison.interval?.high
      proof.pairs = look
      if comparison.verdict != .inconclusive { break }
    }
    return proof
  }
}
