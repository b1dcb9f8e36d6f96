import LabAnalysis
import LabModel

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
