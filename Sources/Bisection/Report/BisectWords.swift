import Foundation
import History
import LaunchCore
import Rendering

/// What is bisected, in the words that every format for people shares.
struct BisectWords {
  let start: BisectStart

  init(_ start: BisectStart) { self.start = start }

  /// The heading of what a culprit changes in the stages of the launch; nil names the only one.
  static func stagesTitle(of culprit: String?) -> String {
    culprit.map { "What \($0) changed in the launch" }
      ?? "What changed between the parent and the culprit"
  }

  // MARK: - Revisions

  /// The first digits of a commit, or the name of an artifact.
  func short(_ revision: Int) -> String {
    short(id: start.revisions[revision].id)
  }

  func short(id: String) -> String {
    start.artifacts == nil ? String(id.prefix(12)) : id.truncated(to: 40)
  }

  /// A revision as a sentence names it: its id, day, author and subject.
  func name(_ revision: Int) -> Phrase {
    let facts = start.revisions[revision]
    guard start.artifacts == nil else { return "\(strong: short(revision))" }
    let author = facts.author.map { $0.truncated(to: 40) }
    let origin = [facts.authoredAt.map(\.utcDay), author].compactMap(\.self)
    let subject: Phrase = facts.subject.isEmpty ? "" : " “\(facts.subject.truncated(to: 80))”"
    let brackets: Phrase = origin.isEmpty ? "" : " (\(origin.joined(separator: ", ")))"
    return "\(strong: short(revision))\(subject)\(brackets)"
  }

  /// Such as `3 commits` or `1 artifact`.
  func count(_ number: Int) -> String {
    Quantity.count(number, start.artifacts == nil ? "commit" : "artifact")
  }

  var noun: String { start.artifacts == nil ? "commit" : "artifact" }

  /// The first and the last of some revisions, with their number.
  func range(_ revisions: ClosedRange<Int>) -> Phrase {
    guard revisions.count > 1 else { return "\(strong: short(revisions.lowerBound))" }
    return
      "\(strong: short(revisions.lowerBound)) to \(strong: short(revisions.upperBound)) (\(raw: count(revisions.count)))"
  }

  // MARK: - What is measured

  /// Such as `app (warm)`.
  var arm: String {
    let target = start.scenario.targets.first?.name ?? start.scenario.name
    return "\(target) (\(start.scenario.states.first?.rawValue ?? ""))"
  }

  /// Such as `launch time`, `the stage fixup` or `the number of relocations`.
  var measure: String {
    switch start.measure {
    case .metric(.launch): "launch time"
    case .metric(let metric): TrendWords.name(metric)
    case .counter(let event): event.rawValue
    case .stage(let path): "the stage \(path)"
    case .tally(let name): "the number of \(name.replacing("_", with: " "))"
    }
  }

  var isLaunchTime: Bool { start.measure == .metric(.launch) }

  /// What a change did, such as `made launches of app (warm) 5.2 % slower`.
  func deed(_ effect: LogInterval) -> Phrase {
    let size = Self.size(effect.estimate)
    let isMore = effect.estimate > 0
    if isLaunchTime {
      return "made launches of \(arm) \(raw: size) \(raw: isMore ? "slower" : "faster")"
    }
    return "\(raw: isMore ? "raised" : "lowered") \(measure) of \(arm) by \(raw: size)"
  }

  /// How the bad end compares, such as `slower`.
  func comparative(_ estimate: Double) -> String {
    isLaunchTime ? (estimate > 0 ? "slower" : "faster") : estimate > 0 ? "higher" : "lower"
  }

  // MARK: - Numbers

  /// What stands for the ends, such as `12.3 ms good, 12.9 ms bad`; nil before there are any.
  ///
  /// Of times the bad end is the median of the good one times the ratio of pairs, since medians of all
  /// launches may say something else.
  func medians(of summary: BisectSummary) -> String? {
    guard let medians = summary.medians else { return nil }
    let unit = start.measure.unit
    let ratio = unit == .count ? nil : summary.answer.difference.map { exp($0.estimate) }
    let bad = ratio.map { medians.good * $0 } ?? medians.bad
    let texts = Quantity.texts([medians.good, bad], unit)
    return "\(texts[0]) good, \(texts[1]) bad"
  }

  /// The size of a log ratio without its sign, such as `5.2 %`; small ones keep two digits.
  static func size(_ logarithm: Double) -> String { percent(abs(expm1(logarithm))) }

  /// A log ratio above 0 as an option takes it, such as `0.5%`.
  static func option(_ logarithm: Double) -> String {
    String(format: "%.3g%%", expm1(logarithm) * 100)
  }

  /// A share as a percentage with two significant digits, and at most five decimals.
  static func percent(_ share: Double) -> String {
    let percent = share * 100
    guard percent >= 0.000_005 else { return none }
    guard percent < 0.095 else { return Quantity.percent(share) }
    let decimals = min(5, 1 - Int(clamping: log10(percent).rounded(.down)))
    return String(format: "%.\(decimals)f %%", percent)
  }

  /// What is too small to be shown.
  private static let none = "0 %"

  /// A log ratio with its sign, such as `+5.2 %`.
  static func change(_ logarithm: Double) -> String {
    let text = size(logarithm)
    return text == none ? text : Quantity.signed(logarithm) { _ in text }
  }

  /// Such as `+4.8 % to +5.6 %`; of equal ones, as of counts, `+5.2 % at both ends`.
  static func bounds(_ interval: LogInterval) -> String {
    let (lower, upper) = (change(interval.lower), change(interval.upper))
    return lower == upper ? "\(lower) at both ends" : "\(lower) to \(upper)"
  }

  /// How long something will take, as ``Quantity`` says it.
  static func estimate(_ seconds: Double) -> String {
    let most = 1e8
    let bounded = seconds.isNaN ? most : min(max(0, seconds), most)
    return Quantity.estimate(Nanoseconds(Int64(clamping: bounded * 1e9)))
  }

  /// Between what something will take, such as `about 20 seconds to about 2 minutes`.
  static func estimate(_ seconds: ClosedRange<Double>) -> String {
    let (least, most) = (estimate(seconds.lowerBound), estimate(seconds.upperBound))
    if least == most { return most }
    return seconds.lowerBound < 10 ? "up to \(most)" : "\(least) to \(most)"
  }

  /// A probability that is never rounded to certainty.
  static func probability(_ value: Double) -> String {
    switch value {
    case 0.9995...: "more than 99.9 %"
    case ..<0.0005: "less than 0.1 %"
    default: String(format: "%.1f %%", value * 100)
    }
  }
}
