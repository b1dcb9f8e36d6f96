package import LaunchCore
import LaunchHost
import Measuring

/// Finds what `--metric` names, and how it can be counted here.
package struct MeasureResolver {
  /// Whether the processor's instructions can be counted.
  private let countsByProcessor: Bool

  private let hasValgrind: Bool

  /// Looks what this machine can count.
  package init() {
    self.init(
      countsByProcessor: ProcessorCounters.countInstructions,
      hasValgrind: ValgrindCount.isInstalled
    )
  }

  init(countsByProcessor: Bool, hasValgrind: Bool) {
    self.countsByProcessor = countsByProcessor
    self.hasValgrind = hasValgrind
  }

  // MARK: - Names

  /// The name of the time from the `execve` request until `main` is about to run.
  static let preMain = "pre_main"

  private static let stages = [
    preMain, StageName.launcher, StageName.exec, StageName.load, StageName.fixup,
    StageName.runtimeSetup, StageName.initializers, StageName.libraryInitializers,
    StageName.programInitializers, StageName.loaderOther, StageName.mainToReady,
    StageName.afterProgram,
  ]

  /// Every name, for completion and for messages: metrics, counters, stages, then what collectors
  /// count.
  package static let names =
    Metric.ofNights.map(\.rawValue) + CounterEvent.allCases.map(\.rawValue) + stages
    + LaunchTally.names

  /// Finds a measure.
  ///
  /// - Parameters:
  ///   - name: A name of ``names``; a hyphen may stand for an underscore, and the reverse.
  ///   - state: The state that is launched.
  /// - Returns: The measure, and how it is counted if it is a counter.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` when there is no such measure, or
  ///   it is not to be had here; `HostError.toolMissing` when instructions can only be counted by
  ///   valgrind, and there is none.
  package func measure(
    _ name: String,
    state: LaunchState
  ) throws -> (measure: BisectMeasure, counting: CountingMethod?) {
    guard let measure = Self.known(name) else { throw Self.unknown(name) }
    if measure == .tally(LaunchTally.pageIns), !state.isCold {
      throw WorkflowError.badOption(
        name: "--metric",
        value: name,
        expected: "a cold state with --state, since a warm launch brings no pages in"
      )
    }
    guard case .counter(let event) = measure else { return (measure, nil) }
    return (measure, try counting(of: event))
  }

  private func counting(of event: CounterEvent) throws -> CountingMethod {
    guard event.isOfProcessor else { return .software }
    if countsByProcessor { return .hardware }
    guard event == .instructions else {
      throw WorkflowError.badOption(
        name: "--metric",
        value: event.rawValue,
        expected: "another measure, since the processor's events cannot be counted here"
          + " (see `launchlab doctor`); instructions can be, by valgrind"
      )
    }
    guard hasValgrind else { throw ValgrindCount.missing }
    return .valgrind
  }

  // MARK: - Spelling

  private static func known(_ name: String) -> BisectMeasure? {
    exact(name) ?? exact(name.replacing("-", with: "_")) ?? exact(name.replacing("_", with: "-"))
  }

  private static func exact(_ name: String) -> BisectMeasure? {
    // Slow launches are found by the times of launches.
    if name == Metric.slowShare.rawValue { return .metric(.launch) }
    if let metric = Metric(judged: name) { return .metric(metric) }
    if let event = CounterEvent(rawValue: name) { return .counter(event) }
    if stages.contains(name) { return .stage(name) }
    return LaunchTally.names.contains(name) ? .tally(name) : nil
  }

  private static func unknown(_ name: String) -> WorkflowError {
    let all = "one of: \(names.joined(separator: ", "))"
    let nearest = nearestWord(to: name, in: names)
    return .badOption(
      name: "--metric",
      value: name,
      expected: nearest.map { "\($0), or \(all)" } ?? all
    )
  }
}

extension CounterEvent {
  /// Whether it is counted by the processor, which virtual machines often do not show.
  private static let ofProcessor: Set<Self> = [
    .instructions, .cycles, .branches, .branchMisses, .cacheMisses, .cacheReferences,
  ]

  fileprivate var isOfProcessor: Bool { Self.ofProcessor.contains(self) }
}
