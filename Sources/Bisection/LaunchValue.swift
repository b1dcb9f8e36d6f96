import Foundation
import LaunchCore
import LaunchHost
import Measuring

/// Reads what a bisection measures from a launch that has ended.
struct LaunchValue {
  let measure: BisectMeasure
  let arm: Arm

  /// What has counted the launch, if it is valgrind.
  let valgrind: ValgrindCount?

  private let conclusion: StageConclusion

  init(_ measure: BisectMeasure, arm: Arm, stages: StagePlan?, valgrind: ValgrindCount? = nil) {
    self.measure = measure
    self.arm = arm
    self.valgrind = valgrind
    conclusion = StageConclusion(stages)
  }

  /// What one launch gave.
  enum Reading: Equatable {
    /// In the unit of the measure.
    case value(Double)

    /// It was not ready in time, which counts as slow.
    case timedOut

    /// A sentence without a full stop.
    case failed(reason: String)
  }

  /// The value of a launch.
  ///
  /// A time-out is a value of the launch time only: how many pages or instructions there would have
  /// been it does not say.
  ///
  /// - Parameter result: A launch of ``arm``.
  /// - Returns: The value, or why there is none.
  func reading(of result: LaunchResult) -> Reading {
    guard result.outcome == .ready else {
      let isSlow = result.outcome == .timedOut && measure == .metric(.launch)
      return isSlow ? .timedOut : .failed(reason: Self.fate(of: result))
    }
    switch measure {
    case .metric(let metric):
      return Self.reading(
        result.reliableValue(of: metric),
        of: measure,
        missing: result.missingReason(of: metric)
      )
    case .counter(let event):
      guard let valgrind else {
        let figures = result.figures
        let missing = figures.missing[event.rawValue]
        return Self.reading(figures.counters[event.rawValue], of: measure, missing: missing)
      }
      let missing = "a process was killed before it was counted; raise `grace` of the target's stop"
      return Self.reading(valgrind.instructions(), of: measure, missing: missing)
    case .stage(let name): return stage(name, of: result)
    case .tally(let name):
      guard let stages = stages(of: result) else {
        return Self.reading(nil, of: measure, missing: "the launch could not be observed")
      }
      let missing = stages.notes.first
      return Self.reading(
        LaunchTally.value(name, of: result, stages),
        of: measure,
        missing: missing
      )
    }
  }

  /// The CPU time of a launch whose time is measured, in nanoseconds; nil where it is not known.
  func processorTime(of result: LaunchResult) -> Double? {
    guard measure == .metric(.launch), result.outcome == .ready else { return nil }
    return result.value(of: .cpuTime).map(Double.init)
  }

  private static func reading(
    _ value: Int64?,
    of measure: BisectMeasure,
    missing reason: String?
  ) -> Reading {
    guard let value else {
      return .failed(reason: "\(measure.name) is not available: \(reason ?? "it was not observed")")
    }
    return .value(Double(value))
  }

  // MARK: - Stages

  private func stages(of result: LaunchResult) -> LaunchStages? {
    arm.kind.collector.flatMap { conclusion.stages(of: result, by: $0) }
  }

  private func stage(_ name: String, of result: LaunchResult) -> Reading {
    guard let stages = stages(of: result) else {
      return Self.reading(nil, of: measure, missing: "the launch could not be observed")
    }
    if name == MeasureResolver.preMain {
      return Self.reading(stages.preMain?.count, of: measure, missing: stages.notes.first)
    }
    let found = Self.part(name, of: stages.launch)
    if found?.flags.contains(.merged) == true {
      let missing = "its end was not seen, so that it holds the next stage too"
      return Self.reading(nil, of: measure, missing: missing)
    }
    return Self.reading(found?.duration?.count, of: measure, missing: stages.notes.first)
  }

  /// The first part of a stage, or part of its parts, that has a name.
  private static func part(_ name: String, of stage: Stage) -> Stage? {
    let parts = stage.children.filter { $0.kind == .part }
    return parts.first { $0.name == name } ?? parts.lazy.compactMap { part(name, of: $0) }.first
  }

  // MARK: - Launches that were not ready

  /// The outcome, and the last line that the target wrote to stderr.
  private static func fate(of result: LaunchResult) -> String {
    let stream = result.output.stderr
    let bytes = stream.tail.isEmpty ? stream.head : stream.tail
    let line = String(decoding: bytes.suffix(4_096), as: UTF8.self)
      .split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
    return ["\(result.outcome)", line.map(String.init)].compactMap(\.self).joined(separator: ": ")
  }
}

/// A launch that has nothing to do with the build that it is for.
enum DetachedTarget {
  /// Warns when neither the program nor a file among its arguments lies in the build.
  ///
  /// A name without a slash is looked up in PATH, where an installed program may be found instead of
  /// the one that was built.
  ///
  /// - Returns: Nil for a launch of the build, and where nothing is built.
  static func warning(on built: BisectBuilt) -> Diagnostic? {
    guard let target = built.target, let log = built.log,
      let program = try? ExecutableLookup.program(of: target)
    else { return nil }
    let room = (log as NSString).deletingLastPathComponent + "/"
    let files = target.command.dropFirst()
      .map { $0.hasPrefix("/") ? $0 : "\(target.directory)/\($0)" }
      .filter(FileManager.default.fileExists(atPath:))
    let isOfBuild = ([program] + files).contains {
      URL(filePath: $0).standardized.path.hasPrefix(room)
    }
    guard !isOfBuild else { return nil }
    return Diagnostic(
      .warning,
      id: "program-outside",
      problem: "\(program) is no part of what is built, so every commit may launch the same",
      remedy: "name the program by its path in the repository, such as `./app`"
    )
  }
}
