import History
import LaunchCore
import Rendering

/// What a reader should know beside the answer: other changes, doubts, and how it was counted.
struct BisectRemarks {
  private let summary: BisectSummary
  private let words: BisectWords

  init(_ summary: BisectSummary) {
    self.summary = summary
    words = BisectWords(summary.start)
  }

  /// How likely two changes are before they are spoken of, and how far a share may be from 1.
  private static let likelyTwo = 0.2
  private static let hiddenShare = 1.3
  private static let fullShare = 0.75

  private var advice: MetricAdvice { MetricAdvice(summary) }

  /// Sentences without a full stop.
  var phrases: [Phrase] {
    otherCulprits + [share].compactMap(\.self) + summary.answer.notes.map(phrase)
      + unsearched
      + [help, advice.phrase, zero, advice.substitute, counting, timeouts].compactMap(\.self)
  }

  /// The most stretches that are named; JSON has all.
  private static let mostNamed = 6

  /// Where other changes may be, when all were asked for.
  private var unsearched: [Phrase] {
    let stretches = summary.answer.unsearched
    let open = stretches.filter { $0.reason != .equalEnds }
    let more: [Phrase] =
      open.count > Self.mostNamed
      ? [
        "\(raw: Quantity.count(open.count - Self.mostNamed, "more stretch", plural: "more stretches")) may hold changes: the JSON has them"
      ]
      : []
    let equal = stretches.count - open.count
    let size = BisectWords.size(summary.start.parameters.minimumEffect)
    let hidden: [Phrase] =
      equal > 0
      ? [
        "\(raw: Quantity.count(equal, "stretch", plural: "stretches")) whose ends differ by less than \(raw: size) \(raw: equal == 1 ? "was" : "were") not looked into: changes that cancel out may be inside"
      ]
      : []
    return open.prefix(Self.mostNamed).map(phrase) + more + hidden
  }

  private func phrase(_ stretch: UnsearchedStretch) -> Phrase {
    let revisions = words.range(
      summary.start.commits(changing: (stretch.good + 1)...stretch.bad)
    )
    let size = stretch.difference.map { ", whose ends differ by \(BisectWords.change($0))," } ?? ""
    guard let limit = stretch.limit else {
      return
        "Not established: whether \(revisions)\(raw: size) \(raw: stretch.bad - stretch.good == 1 ? "holds" : "hold") another change"
    }
    return
      "Not searched to the end: \(revisions)\(raw: size) because \(raw: BisectSentence.reason(limit, words.noun))"
  }

  /// The changes after the first one.
  private var otherCulprits: [Phrase] {
    // The table of changes has them, where all were asked for.
    guard !summary.start.parameters.findsAll else { return [] }
    let sentence = BisectSentence(summary)
    return summary.answer.culprits.dropFirst().map {
      "Another change: \(sentence.culprit($0, opens: false))"
    }
  }

  /// How much of the difference between the ends the first culprit explains.
  private var share: Phrase? {
    guard summary.answer.culprits.count == 1, let culprit = summary.answer.culprits.first,
      let share = culprit.share, share > 0, let difference = summary.answer.difference,
      // Where one may be as large as the other, nothing can be said.
      culprit.step.lower > difference.upper || culprit.step.upper < difference.lower
    else { return nil }
    if share > Self.hiddenShare {
      let other = culprit.step.estimate > 0 ? "an improvement" : "a regression"
      return
        "It is larger than the difference between good and bad: \(raw: other) in the range hides part of it"
    }
    guard share < Self.fullShare || share < 1 && summary.answer.twoChanges > Self.likelyTwo else {
      return nil
    }
    let others: Phrase =
      summary.answer.unsearched.contains { $0.reason != .equalEnds }
      ? "" : ", and no other change was found"
    let advice: Phrase =
      summary.hasLookedFurther
      ? others : "; a new bisection with \(code: "--all") looks for the rest"
    return
      "It explains about \(raw: Quantity.percent(min(share, 1))) of the difference between good and bad\(advice)"
  }

  private func phrase(_ note: BisectNote) -> Phrase {
    switch note {
    case .improvement(let revisions, let effect):
      let noun = effect.estimate < 0 ? "an improvement" : "a regression"
      return
        "There is \(raw: noun) too: \(words.range(revisions)) \(words.deed(effect)), interval \(raw: BisectWords.bounds(effect))"
    case .split(let revision):
      return
        "Two changes are likely, so the range was split at \(strong: words.short(revision)) and the larger one was looked for first"
    case .layoutNoise(let size):
      return
        "Neighbouring builds differ by about \(raw: BisectWords.percent(size)) for other reasons, such as code layout; smaller changes cannot be distinguished from that"
    case .spread:
      return
        "The difference is spread over many \(raw: words.noun)s; there is no single culprit"
    case .slowLaunches(let good, let bad) where !summary.answer.culprits.isEmpty:
      return
        "The typical launch is as before: bad is slow in \(raw: Quantity.percent(bad)) of launches, and good in \(raw: Quantity.percent(good)); the sizes are those of the mean launch"
    case .slowLaunches(let good, let bad):
      return
        "Bad is slow in \(raw: Quantity.percent(bad)) of launches, and good in \(raw: Quantity.percent(good)): a search by typical launches does not see that; compare two commits at a time with \(code: "launchlab compare --revisions A..B")"
    }
  }

  /// What would help where nothing was found.
  private var help: Phrase? {
    switch summary.answer.outcome {
    case .refused(.same) where summary.answer.unsearched.isEmpty:
      return
        "Changes that cancel out are invisible at the ends: a new bisection with \(code: "--all") looks inside"
    case .refused(.tooSmall):
      return "Give a smaller \(code: "--min-effect") to look for it, in a new bisection"
    case .inconclusive(.notConfirmed), .inconclusive(.nothingToLearn): return quieter
    case .refused(.notEstablished) where summary.limitReached == nil: return quieter
    case .found, .refused, .inconclusive, .failed: return prolongation
    }
  }

  private var quieter: Phrase { "A quieter machine would help" }

  /// Which limit to raise, and how.
  private var prolongation: Phrase? {
    guard BisectCommands(summary).prolongation != nil else {
      return summary.limitReached == .timeSpent
        ? "More time would help; \(code: "--max-time") is at most 24h" : nil
    }
    let what =
      switch summary.limitReached {
      case .buildsSpent?: "builds"
      case .timeSpent?: "time"
      default: "launches"
      }
    return "More \(raw: what) would help: the command below goes on with them"
  }

  /// What percentages mean where one end has nothing of what is counted.
  private var zero: Phrase? {
    guard let medians = summary.medians, min(medians.good, medians.bad) < 0.5 else { return nil }
    return
      "Changes are ratios in which 0 counts as one half: use the medians, not the percentages"
  }

  private var counting: Phrase? {
    switch summary.start.counting {
    case .valgrind:
      "Counted by valgrind: user mode only, children of the program included, without the kernel"
    case .hardware: "Counted by the processor, the kernel's part included"
    case .software: "Counted by the kernel"
    case nil: nil
    }
  }

  private var timeouts: Phrase? {
    guard summary.timeouts > 0 else { return nil }
    let count = Quantity.launches(summary.timeouts)
    return "\(raw: count) timed out; each counts as the time limit"
  }
}

/// Which other metric would tell where launch times did not, and what the one that was measured does
/// not see.
struct MetricAdvice {
  private let summary: BisectSummary

  init(_ summary: BisectSummary) { self.summary = summary }

  private static let counted = "`--metric cpu_time` and `--metric instructions`"

  /// What scatters less than launch times, for a plan that cannot succeed.
  static let beforehand =
    "measure what scatters less with \(counted) (neither sees waits, and instructions are not time)"

  /// A sentence without a full stop; nil where another metric would not help.
  var phrase: Phrase? {
    guard summary.start.measure == .metric(.launch), isUndecided else { return nil }
    let effect = summary.start.parameters.minimumEffect
    guard let time = summary.processorTime else {
      return
        "CPU time and counts scatter less: a new bisection with \(code: "--metric cpu_time") or \(code: "--metric instructions") may tell. Neither sees waits for the disk, the page cache or other processes, and instructions are not time"
    }
    let size = BisectWords.change(time.difference.estimate)
    let bounds = BisectWords.bounds(time.difference)
    let pairs = Quantity.count(time.pairs, "pair")
    if time.isClear(effect) {
      return
        "CPU time does tell good from bad: \(raw: size), 99 % interval \(raw: bounds), in the same \(raw: pairs) of launches. A new bisection with \(code: "--metric cpu_time") looks for that change; it does not see waits for the disk, the page cache or other processes"
    }
    if time.isSame(within: effect) {
      return
        "CPU time is the same within ±\(raw: BisectWords.size(effect)) (99 % interval \(raw: bounds), \(raw: pairs)): a change of launch time would be in waits, which neither \(code: "--metric cpu_time") nor \(code: "--metric instructions") sees"
    }
    return
      "CPU time does not tell either (\(raw: bounds), \(raw: pairs)). Counts hardly scatter: a new bisection with \(code: "--metric instructions") would tell, but instructions are not time, and waits are not seen"
  }

  /// What was counted or measured in place of launch time; nil where it was launch time, or memory.
  var substitute: Phrase? {
    let unseen =
      "waits for the disk, the page cache or other processes are not seen"
    switch summary.start.measure {
    case .counter(let event) where event.unit == .nanoseconds:
      return "CPU time was measured, not launch time: \(raw: unseen)"
    case .counter(let event):
      let name = event.rawValue.prefix(1).uppercased() + event.rawValue.dropFirst()
      return
        "\(raw: name) were counted, not time: launches need not be slower by as much, and \(raw: unseen)"
    case .metric(.cpuTime), .metric(.userTime), .metric(.systemTime):
      return "CPU time was measured, not launch time: \(raw: unseen)"
    case .metric, .stage, .tally: return nil
    }
  }

  /// Whether the search has ended without telling what there is.
  private var isUndecided: Bool {
    switch summary.answer.outcome {
    case .refused(.notEstablished), .inconclusive(.notConfirmed), .inconclusive(.nothingToLearn),
      .inconclusive(.launchesSpent), .inconclusive(.timeSpent):
      true
    case .found, .refused, .inconclusive, .failed: false
    }
  }
}

extension CounterEvent {
  fileprivate var unit: Metric.Unit { BisectMeasure.counter(self).unit }
}
