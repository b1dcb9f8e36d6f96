import LabAnalysis
import LabModel
import LabStatistics

/// Stages in the words that people read.
enum StageWords {
  private static let titles = [
    StageName.launch: "launch",
    StageName.exec: "program start",
    StageName.load: "library loading",
    StageName.fixup: "relocation",
    StageName.runtimeSetup: "runtime set-up",
    StageName.initializers: "initializers",
    StageName.libraryInitializers: "of libraries",
    StageName.programInitializers: "of the program",
    StageName.loaderOther: "other work of the loader",
    StageName.mainToReady: "main to ready",
    StageName.spawn: "spawn, before the launch",
  ]

  /// What a stage is called; one that is no fixed stage keeps its name.
  static func title(_ stage: StageSummary) -> String {
    (titles[stage.name] ?? stage.name).printable
  }

  /// The last component of a library's path; other names stay.
  static func shortTitle(_ stage: StageSummary) -> String {
    guard let place = stage.place, place.offset == nil, stage.name == place.file else {
      return title(stage)
    }
    return place.fileName.printable
  }

  static func collector(_ collector: StageCollector) -> String {
    switch collector {
    case .probe: "the probe"
    case .breakpoints: "breakpoints"
    case .statistics: "the loader's statistics"
    case .text: "what the target prints"
    case .marks: "launch marks"
    }
  }

  /// What a reader must know of a value, in a few words; empty when there is nothing.
  static func remarks(_ stage: StageSummary, of launches: Int) -> String {
    let flags = stage.flags.compactMap(phrase)
    let isPartial = stage.n > 0 && stage.n < launches
    return (flags + (isPartial ? ["in \(stage.n) of \(launches) launches"] : []))
      .joined(separator: ", ")
  }

  private static func phrase(_ flag: StageFlag) -> String? {
    switch flag {
    case .wrapped: "counter wrapped"
    case .repaired: "calculated"
    case .unfinished: "end not seen"
    case .folded: nil
    case .merged: "holds the next too"
    case .unavailable: "not available"
    }
  }

  static func median(_ stage: StageSummary) -> String {
    stage.median.map { Quantity.text($0, .nanoseconds) } ?? Quantity.none
  }

  /// The bounds of the 95 % interval, in the unit of the median; empty where there is none.
  static func interval(_ stage: StageSummary) -> String {
    guard let median = stage.median, let interval = stage.interval else { return "" }
    return bounds(interval, Scale(.nanoseconds, for: median))
  }

  private static func bounds(_ interval: Interval, _ scale: Scale) -> String {
    "\(scale.number(interval.low))…\(scale.number(interval.high))"
  }

  static func share(_ share: Double?) -> String { share.map(Quantity.percent) ?? "" }
}

// MARK: - The collector

extension StageWords {
  /// What the collector adds to a launch.
  static func cost(_ cost: StageCost, _ collector: StageCollector) -> String {
    let scale = Scale(.nanoseconds, for: cost.median)
    let interval = cost.interval.map { ", 95 % interval \(bounds($0, scale))" } ?? ""
    let share = cost.share.map { ", \(signed($0)) of a plain launch" } ?? ""
    let blocks = Quantity.count(cost.n, "block")
    let sign = cost.median < 0 ? "−" : ""
    let verb = [.breakpoints, .statistics, .marks].contains(collector) ? "add" : "adds"
    return "\(Self.collector(collector)) \(verb) \(sign)\(scale.text(abs(cost.median))) "
      + "(\(blocks)\(interval)\(share))"
  }

  /// Whether the stages add up.
  static func check(_ check: StageSumCheck) -> String {
    let worst = Quantity.percent(check.worstLaunch)
    let each =
      check.isIncomplete
      ? "stages are missing: in one launch they are off by \(worst)"
      : "in every launch the stages sum to it within \(worst)"
    let sum = Quantity.text(check.sum, .nanoseconds)
    let launch = Quantity.text(check.launch, .nanoseconds)
    let scatter = check.isOff ? ", since launches scatter" : ""
    let plain = check.plain.map { plain in
      let deviation = check.plainDeviation.map { " (\(signed($0)))" } ?? ""
      return "; a plain launch takes \(Quantity.text(plain, .nanoseconds))\(deviation)"
    }
    return "\(each); the shown ones sum to \(sum) of \(launch) (\(signed(check.deviation))"
      + "\(scatter))" + (plain ?? "")
  }

  private static func signed(_ share: Double) -> String {
    let text = Quantity.percent(abs(share))
    return text == Quantity.percent(0) ? text : (share < 0 ? "−" : "+") + text
  }
}
