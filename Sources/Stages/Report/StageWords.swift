import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// Stages in the words that people read.
package enum StageWords {
  private static let titles = [
    StageName.launch: "launch",
    StageName.launcher: "launcher",
    StageName.exec: "program start",
    StageName.load: "library loading",
    StageName.fixup: "relocation",
    StageName.runtimeSetup: "runtime set-up",
    StageName.initializers: "initializers",
    StageName.libraryInitializers: "of libraries",
    StageName.programInitializers: "of the program",
    StageName.loaderOther: "other work of the loader",
    StageName.mainToReady: "main to ready",
    StageName.MainPart.ownCode: "own code",
    StageName.MainPart.faults: "page faults that wait",
    StageName.MainPart.files: "files",
    StageName.MainPart.disk: "waiting for the disk",
    StageName.MainPart.sockets: "sockets",
    StageName.MainPart.starting: "starting processes and threads",
    StageName.MainPart.calls: "other system calls",
    StageName.MainPart.waits: "waiting in system calls",
    StageName.MainPart.threads: "other threads",
    StageName.MainPart.processes: "other processes",
    StageName.MainPart.queue: "waiting for a processor",
    StageName.MainPart.harness: "until launchlab noticed",
    StageName.MainPart.unknown: "not known",
    StageName.WindowPart.creation: "until the window was created",
    StageName.WindowPart.mapping: "until it was mapped",
    StageName.WindowPart.frame: "until it had content",
    StageName.WindowPart.settling: "until it had settled",
    StageName.afterProgram: "after the program",
    StageName.spawn: "spawn, before the launch",
  ]

  /// What a stage is called; one that is no fixed stage keeps its name.
  static func title(_ stage: StageSummary) -> String {
    (titles[stage.name] ?? stage.name).printable
  }

  /// What the stage of a stored path is called, such as `library loading › libfoo.so`.
  package static func title(path: String) -> String {
    let names = path.components(separatedBy: " > ")
    return names.map { titles[$0] ?? $0 }.joined(separator: " › ").printable
  }

  /// The last component of the path of a library, also of one that is loaded; other names stay.
  static func shortTitle(_ stage: StageSummary) -> String {
    guard let place = stage.place, place.offset == nil, stage.name.hasSuffix(place.file) else {
      return title(stage)
    }
    return (stage.name.dropLast(place.file.count) + place.fileName).printable
  }

  static func collector(_ collector: StageCollector) -> String {
    switch collector {
    case .auto: "the probe, the runtime's own text and tracing"
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
    case .merged: "includes the next stage"
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

extension StageWords {
  /// In how many launches a note was made, in parentheses; empty when it was in all.
  static func extent(of note: StageNote, in summary: StagesSummary) -> String {
    let launches = summary.seenLaunches
    return note.launches < launches ? " (\(note.launches) of \(launches) launches)" : ""
  }

  /// Which launches are left out; nil for none.
  static func leftOut(_ summary: StagesSummary) -> String? {
    guard summary.launches > 0, summary.notReady > 0 else { return nil }
    let count = Quantity.launches(summary.notReady)
    return "\(count) that did not become ready"
  }
}

// MARK: - The collector

extension StageWords {
  /// What the collector adds to a launch.
  static func cost(_ cost: StageCost, _ collector: StageCollector) -> String {
    let share = cost.share.map { ", \(signed($0)) of a plain one" } ?? ""
    let interval = cost.interval.map { interval in
      // Looking makes no launch faster, so that a negative cost is noise too.
      let isNoise = interval.low <= 0
      return "95 % interval \(time(interval.low)) to \(time(interval.high))"
        + (isNoise ? "; within noise" : "")
    }
    return "\(time(cost.median)) a launch with \(Self.collector(collector))\(share) "
      + "(\(Quantity.count(cost.n, "block")), \(interval ?? "too few for an interval"))"
  }

  /// Whether the stages add up.
  static func check(_ check: StageSumCheck, launches: Int) -> String {
    let worst = Quantity.percent(check.worstLaunch)
    let each =
      check.isIncomplete
      ? "stages are missing: in one launch they are off by \(worst)"
      : launches == 1
        ? "the stages sum to the launch within \(worst)"
        : "in every launch the stages sum to it within \(worst)"
    let plain = check.plain.map { plain in
      "\(compared(check.plainDeviation ?? 0)) a plain launch of \(Quantity.text(plain, .nanoseconds))"
    }
    guard launches > 1 else { return each + (plain.map { "; that is \($0)" } ?? "") }
    let scatter = check.isOff ? " (medians of launches that scatter need not add up)" : ""
    let launch = "the median launch of \(Quantity.text(check.launch, .nanoseconds))\(scatter)"
    return "\(each); the medians sum to \(Quantity.text(check.sum, .nanoseconds)), "
      + "\(compared(check.deviation)) \(launch)" + (plain.map { ", and \($0)" } ?? "")
  }

  /// How one time compares with another, such as `3.6 % more than`.
  private static func compared(_ deviation: Double) -> String {
    let text = Quantity.percent(abs(deviation))
    guard text != Quantity.percent(0) else { return "as much as" }
    return "\(text) \(deviation < 0 ? "less" : "more") than"
  }

  /// A difference of times, with its sign.
  private static func time(_ difference: Double) -> String {
    Quantity.signed(difference) { Quantity.text($0, .nanoseconds) }
  }

  private static func signed(_ share: Double) -> String {
    let text = Quantity.percent(abs(share))
    return text == Quantity.percent(0) ? text : Quantity.signed(share) { _ in text }
  }
}
