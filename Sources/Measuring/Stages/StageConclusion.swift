package import LaunchCore
import Stages

/// Concludes how collector launches were spent.
package struct StageConclusion {
  /// For lines of the target's own; those that cannot be read were refused with the scenario.
  private let patterns: [StagePattern]

  package init(_ plan: StagePlan?) {
    patterns = (plan?.patterns ?? []).compactMap { try? StagePattern($0) }
  }

  /// The stages of a launch.
  ///
  /// - Parameters:
  ///   - result: The launch.
  ///   - collector: What its arm asked for.
  ///   - readiness: What made it ready.
  /// - Returns: The stages, all of them; nil when nothing was collected.
  package func stages(
    of result: LaunchResult,
    by collector: StageCollector,
    readiness: Readiness = .exit
  ) -> LaunchStages? {
    var stages =
      switch collector {
      case .probe, .breakpoints, .marks: StageTree.stages(of: result)
      case .auto: runtimeStages(of: result)
      case .statistics: loaderStages(of: result)
      case .text: printedStages(of: result)
      }
    if let timeline = result.timeline {
      if timeline.lostEvents == 0 {
        let path = LaunchPath(timeline, readiness: readiness)
        stages = stages?.dividing(by: path, launched: timeline.process, since: timeline.begin)
      } else {
        stages?.notes.append("main to ready is not divided: there was no room for all events")
      }
    }
    stages?.pageIns = result.pageIns
    stages?.processes = result.processes
    return stages
  }

  private func loaderStages(of result: LaunchResult) -> LaunchStages? {
    guard let seen = result.observation else { return nil }
    let options = LoaderLogOptions(
      glibc: seen.loader?.glibc,
      cyclesPerSecond: seen.loader?.cyclesPerSecond
    )
    let text = LoaderLog.parse(seen.loaderText, name: "LD_DEBUG=statistics", options: options)
    return laid([text], by: .statistics, of: result, notes: seen.notes)
  }

  /// What the probe saw, and in it what the runtime printed.
  private func runtimeStages(of result: LaunchResult) -> LaunchStages? {
    let printed = texts(of: result).flatMap(\.blocks).flatMap(\.launchStages)
    return StageTree.stages(of: result)?.adding(printed: printed)
  }

  private func texts(of result: LaunchResult) -> [LoaderLogResult] {
    let options = LoaderLogOptions(patterns: patterns)
    return OutputStream.allCases.map { stream in
      let captured = stream == .stdout ? result.output.stdout : result.output.stderr
      return LoaderLog.parse(
        captured.head + captured.tail,
        name: stream.rawValue,
        options: options
      )
    }
  }

  private func printedStages(of result: LaunchResult) -> LaunchStages? {
    let texts = texts(of: result)
    var notes = result.observation?.notes ?? []
    if texts.allSatisfy(\.isEmpty) { notes.append("the target printed no stages") }
    if result.flags.contains(.outputTruncated) {
      notes.append("the middle of the output was not kept, so stages may be missing")
    }
    return laid(texts, by: .text, of: result, notes: notes)
  }

  private func laid(
    _ texts: [LoaderLogResult],
    by collector: StageCollector,
    of result: LaunchResult,
    notes: [String]
  ) -> LaunchStages {
    // That a stream says nothing is worth no word beside what was found, or said already.
    let spoken = texts.filter { !$0.isEmpty }
    return StageTree.stages(
      printed: spoken.flatMap(\.blocks).flatMap(\.launchStages),
      by: collector,
      result: result,
      notes: notes + spoken.flatMap(\.diagnostics).map(\.problem)
    )
  }
}

/// What went wrong with launches that are not stored, so that nobody can look at them later.
struct StagesFailures {
  let ending: LaunchLoop.Ending

  /// The last launch that was not ready.
  let unready: (arm: Arm, record: LaunchRecord)?

  let scenario: Scenario

  /// The warnings of the launches, the gravest first.
  ///
  /// - Parameter warnings: Those that are concluded from the launches alone.
  /// - Returns: The same, but with what the target printed instead of where it is stored.
  func told(with warnings: [Diagnostic]) -> [Diagnostic] {
    let isFailure = warnings.contains(where: \.tellsNoneReady)
    var told = warnings.filter { !$0.tellsNoneReady }
    for index in told.indices where told[index].remedy?.contains("launchlab export") == true {
      told[index].remedy = "run the command by hand, and see why it fails"
    }
    return [self.ending(isFailure)].compactMap(\.self) + told
  }

  private func ending(_ isFailure: Bool) -> Diagnostic? {
    switch ending {
    case .failed, .unprepared: return ending.diagnostic(in: scenario)
    case .interrupted:
      return Diagnostic(
        .warning,
        id: "interrupted",
        problem: "interrupted; only the launches before it are shown"
      )
    case .complete:
      guard isFailure, let unready else { return nil }
      return FailureDiagnostic.make(
        unready: unready.arm,
        ready: scenario.readiness(of: unready.arm.target),
        record: unready.record
      )
    }
  }
}
