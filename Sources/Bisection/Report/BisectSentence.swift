import History
import LaunchCore
import Rendering

/// The one sentence that a bisection answers with, for every way that it can end.
struct BisectSentence {
  private let summary: BisectSummary
  private let words: BisectWords

  init(_ summary: BisectSummary) {
    self.summary = summary
    words = BisectWords(summary.start)
  }

  /// A sentence without a full stop.
  var answer: Phrase {
    switch summary.answer.outcome {
    case .found: found
    case .refused(let refusal): refused(refusal)
    case .inconclusive(let obstacle): inconclusive(obstacle)
    case .failed(let end): failed(end)
    }
  }

  /// Such as `8 builds and 212 launches`.
  var effort: String {
    Quantity.count(summary.builds, "build") + " and "
      + Quantity.launches(summary.launches)
  }

  /// The effort with the builds that failed among it, and how long all took.
  var work: String {
    let failed =
      summary.failedBuilds > 0 ? ", \(Quantity.count(summary.failedBuilds, "failed build"))" : ""
    return "\(effort)\(failed) in \(Quantity.duration(seconds: summary.seconds))"
  }

  // MARK: - Found

  private var found: Phrase {
    guard let first = summary.answer.culprits.first else { return "Nothing was found" }
    return "\(culprit(first))\(rest); \(raw: effort)"
  }

  /// That the changes are not what the alert is of, where they explain less than half of it.
  private var rest: Phrase {
    guard summary.leavesAlert, let alert = summary.start.alert,
      let effect = summary.start.parameters.alertEffect, let share = summary.alertShare
    else { return "" }
    let hasLimit = summary.answer.unsearched.contains { $0.limit != nil }
    let search = hasLimit ? "a limit ended the search for the rest" : "no other change was found"
    let whole = summary.answer.difference.map {
      ", and bad differs from good by \(BisectWords.change($0.estimate))"
    }
    return
      ". \(raw: summary.answer.culprits.count > 1 ? "All changes explain" : "This explains") \(raw: BisectWords.percent(max(0, share))) of \(raw: "R-\(alert)"), which is of \(raw: BisectWords.change(effect))\(raw: whole ?? ""); \(raw: search)"
  }

  /// What one change is, and how sure that is; as the beginning of a sentence, or within one.
  func culprit(_ culprit: BisectCulprit, opens: Bool = true) -> Phrase {
    let facts: Phrase =
      "95 % interval \(raw: BisectWords.bounds(culprit.effect)), probability \(raw: BisectWords.probability(culprit.probability))"
    let deed = words.deed(culprit.effect)
    let side = culprit.isOnlyInGood ? ", which good has and bad has not," : ""
    guard culprit.revisions.count > 1 else {
      return "\(words.name(culprit.newest))\(raw: side) \(deed): \(facts)"
    }
    let other = culprit.side == .both ? ", or as much the other way where only good has it" : ""
    let members = culprit.revisions.map { revision -> Phrase in
      "\(strong: words.short(revision))"
    }
    let shown = Phrase(Array(members.prefix(6)), separator: ", ")
    let more = members.count > 6 ? " and \(members.count - 6) more" : ""
    return
      "\(raw: opens ? "One" : "one") of these \(raw: words.count(members.count))\(raw: unusable(culprit.revisions))\(raw: side) \(deed)\(raw: other): \(shown)\(raw: more); \(facts)"
  }

  /// Such as `, 2 of which do not build,`.
  private func unusable(_ revisions: ClosedRange<Int>) -> String {
    let broken = summary.skipped.filter(revisions.contains).count
    guard broken > 0 else { return "" }
    let isMixed = revisions.contains {
      summary.unlaunchable.contains($0) || summary.start.skips.contains($0)
    }
    let fault = isMixed ? "cannot be used" : broken == 1 ? "does not build" : "do not build"
    return ", \(broken) of which \(fault),"
  }

  // MARK: - Refused

  private func refused(_ refusal: BisectRefusal) -> Phrase {
    guard let difference = summary.answer.difference else {
      return "Good and bad could not be compared; \(raw: effort)"
    }
    let size = BisectWords.size(difference.estimate)
    let bounds = BisectWords.bounds(difference)
    let way = words.comparative(difference.estimate)
    let smallest = BisectWords.size(summary.start.parameters.minimumEffect)
    switch refusal {
    case .same:
      let noun = summary.start.parameters.direction.noun
      let isTypical = summary.answer.notes.contains {
        if case .slowLaunches = $0 { true } else { false }
      }
      let head = isTypical ? "The typical launch shows" : "There is"
      return
        "\(raw: head) no \(raw: noun) between good and bad: \(measured) differs by \(raw: BisectWords.change(difference.estimate)), 99 % interval \(raw: bounds), which is within ±\(raw: smallest); \(raw: effort)"
    case .tooSmall:
      return
        "Bad is \(raw: size) \(raw: way) than good in \(measured), 99 % interval \(raw: bounds), which is less than the minimum of \(raw: smallest) (--min-effect); \(raw: effort)"
    case .opposite:
      let other = summary.start.parameters.direction.other
      return
        "Bad is \(raw: way) than good by \(raw: size) in \(measured), 99 % interval \(raw: bounds): are they swapped? Or use \(code: "--find \(other.rawValue)"); \(raw: effort)"
    case .notEstablished:
      return
        "It is not established that good and bad differ in \(measured): any difference is within \(raw: bounds) (99 % interval); \(raw: effort)"
    }
  }

  /// Such as `launch of app (warm)`.
  private var measured: Phrase { "\(words.measure) of \(words.arm)" }

  // MARK: - Inconclusive

  private func inconclusive(_ obstacle: BisectObstacle) -> Phrase {
    if obstacle == .interrupted { return interrupted }
    let reason = Self.reason(obstacle, words.noun)
    guard let interval = summary.answer.interval else {
      return "No \(raw: words.noun) can be named: \(raw: reason); \(raw: effort)"
    }
    return
      "No \(raw: words.noun) can be named: \(raw: reason). With a probability of 95 % the change is in \(words.range(interval)); \(raw: effort)"
  }

  static func reason(_ obstacle: BisectObstacle, _ noun: String) -> String {
    switch obstacle {
    case .launchesSpent: "the launch limit was reached"
    case .buildsSpent: "the build limit was reached"
    case .timeSpent: "the time limit was reached"
    case .nothingToLearn: "more launches of any \(noun) would not help"
    case .notConfirmed: "the suspected change was not confirmed by new launches"
    case .interrupted: "the bisection was interrupted"
    }
  }

  private var interrupted: Phrase {
    guard let interval = summary.answer.interval else {
      return "Interrupted before anything was found out; \(raw: effort)"
    }
    return
      "Interrupted; so far, with a probability of 95 %, the change is in \(words.range(interval)); \(raw: effort)"
  }

  // MARK: - Failed

  private func failed(_ end: Int) -> Phrase {
    let name = end == 0 ? "good" : "bad"
    let fault = summary.unlaunchable.contains(end) ? "cannot be launched" : "cannot be built"
    let reason: Phrase = summary.failures[end].map { ": \($0)" } ?? ""
    return
      "The \(raw: name) end \(strong: words.short(end)) \(raw: fault), so there is nothing to compare with\(reason)"
  }
}

extension BisectParameters.Direction {
  fileprivate var noun: String {
    switch self {
    case .regression: "regression"
    case .improvement: "improvement"
    case .any: "change"
    }
  }

  fileprivate var other: Self { self == .improvement ? .regression : .improvement }
}
