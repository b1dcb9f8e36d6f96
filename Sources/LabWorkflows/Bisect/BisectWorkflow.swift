import Foundation
package import LabAnalysis
import LabHost
import LabModel
import LabReport

/// Finds the change in a range: builds, launches side by side, decides, and logs all of it.
package struct BisectWorkflow {
  private let request: BisectRequest

  package init(request: BisectRequest) { self.request = request }

  /// Bisects, from the start or from where a log ends.
  ///
  /// - Parameter observe: Told what goes on, never between the launches of a row.
  /// - Returns: What was found, also of a bisection that was interrupted and can go on.
  /// - Throws: a ``LabError`` when the work cannot begin or go on; the log stays.
  package func run(_ observe: (BisectProgressEvent) -> Void) async throws -> BisectSummary {
    let interrupt = try InterruptFlag.onSignals.get()
    return try await LabSession.use(command: request.commandLine) { session in
      var beginning = try BisectBeginning(request: request)
      defer { beginning.log.close() }
      let start = beginning.course.start
      for note in beginning.notes { observe(.noted(note)) }
      observe(.started(start, plan: beginning.plan, events: beginning.eventCount))
      var builder = try request.builder(of: start, interrupt: interrupt)
      var launcher = try BuildLauncher(
        start: start,
        storeDirectory: request.storeDirectory,
        session: session,
        interrupt: interrupt
      )
      defer { launcher.close() }
      let isInterrupted = try await Self.run(
        &beginning,
        builder: &builder,
        launcher: &launcher,
        observe
      )
      var summary = beginning.summary(isInterrupted: isInterrupted)
      summary.warnings += [beginning.course.builds[0].flatMap(DetachedTarget.warning)]
        .compactMap(\.self)
      await explain(&summary, beginning.course, in: session, interrupt: interrupt)
      summary.warnings += session.notes
      writeReport(of: &summary)
      return summary
    }
  }

  /// Adds what changed in the stages; an answer is not lost when that cannot be told.
  private func explain(
    _ summary: inout BisectSummary,
    _ course: BisectCourse,
    in session: LabSession,
    interrupt: InterruptFlag
  ) async {
    guard let culprit = summary.answer.culprits.first,
      let before = course.builds[culprit.parentBuild]?.target,
      let after = course.builds[culprit.build]?.target
    else { return }
    do {
      let stages = CulpritStages(
        start: course.start,
        parent: before,
        culprit: after,
        launchSeconds: course.engine.launchSeconds
      )
      let differences = try await stages.differences(in: session, interrupt: interrupt)
      summary.stageChanges = differences ?? []
      if differences?.isEmpty != false {
        let reason =
          differences == nil
          ? "no collector saw enough launches"
          : "no stage differs by more than its noise and a thousandth of the launch"
        summary.warnings.append(Self.noStages(because: reason))
      }
    } catch {
      let known = (error as? any LabError)?.diagnostics.first?.problem
      summary.warnings.append(Self.noStages(because: known ?? "\(error)"))
    }
  }

  private static func noStages(because reason: String) -> Diagnostic {
    Diagnostic(
      .note,
      id: "no-stages",
      problem: "what changed in the stages is not known: \(reason)"
    )
  }

  /// Writes the culprit report beside the log, and says why if that cannot be done.
  private func writeReport(of summary: inout BisectSummary) {
    let path = BisectLocation(storeDirectory: request.storeDirectory).report(of: summary.start.id)
    do {
      let text = BisectMarkdown(summary).rendered()
      try WholeFile(path).write { try $0(text) }
    } catch {
      summary.warnings.append(.reportNotWritten(to: path, because: error, option: "--markdown"))
    }
  }

  /// Goes on until the end, or until a signal asks to stop.
  ///
  /// - Returns: Whether it was interrupted.
  static func run(
    _ beginning: inout BisectBeginning,
    builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws -> Bool {
    var loop = BisectLoop(course: beginning.course, log: beginning.log)
    defer { beginning.course = loop.course }
    do {
      try await loop.run(builder: &builder, launcher: &launcher, observe)
      return false
    } catch let error as any LabError where error.exitCode == .interrupted {
      return true
    }
  }
}
