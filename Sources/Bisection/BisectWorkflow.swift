// Bisection: which commit made launches slower.
//
// `BisectWorkflow` tells the story: a `BisectRequest` becomes a range of commits (`RangeResolver`) and a
// `BisectPlan`; the engine asks for builds (`RevisionBuilder`) and launches (`BuildLauncher`) until it may
// name a culprit; `BisectRecord` stores each step, so that a bisection can be resumed; the report is written,
// and `CulpritTracing` says why the culprit is slower.
//
// `Engine` is pure, and simulated by the thousand in tests: `BisectEngine` chooses what to launch next,
// `ChangePosterior` holds the probability of each commit, `BuildLevels` what is known of each build,
// `BisectAnswer` what may be said. `Report` shows it as text, Markdown, JSON and as a log of git bisect.
// `BisectNight` bisects the regressions of a night. `BuildsAhead` says what other hosts may build meanwhile.

import Builds
import Explanation
import Foundation
import LaunchCore
package import LaunchHost
import LaunchStore
package import Measuring

/// Finds the change in a range: builds, launches side by side, decides, and logs all of it.
package struct BisectWorkflow {
  private let request: BisectRequest
  private let context: WorkflowContext
  private let rights: (String) throws(HostError) -> TracingRights

  /// - Parameters:
  ///   - request: What is bisected.
  ///   - context: Where it is launched.
  ///   - rights: Finds out what this host lets be traced, given a private directory.
  package init(
    _ request: BisectRequest,
    in context: WorkflowContext,
    rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.init(in:)
  ) {
    self.request = request
    self.context = context
    self.rights = rights
  }

  /// Bisects, from the start or from where a log ends.
  ///
  /// It has the machine while it launches, and gives it back while it builds.
  ///
  /// - Parameter observe: Told what goes on, never between the launches of a row.
  /// - Returns: What was found, also of a bisection that was interrupted and can go on.
  /// - Throws: a ``LabError`` when the work cannot begin or go on; the log stays.
  package func run(
    _ observe: @escaping (BisectProgressEvent) -> Void
  ) async throws -> BisectSummary {
    let interrupt = try context.interrupt()
    return try await LabTurns.use(command: request.commandLine, in: context) { turns in
      var beginning = try BisectBeginning(request: request, at: context.now())
      defer { beginning.log.close() }
      let start = beginning.course.start
      for note in beginning.notes { observe(.noted(note)) }
      observe(.started(start, plan: beginning.plan, events: beginning.eventCount))
      var builder = try request.builder(of: start, interrupt: interrupt)
      var launcher = try BuildLauncher(
        start: start,
        storeDirectory: request.storeDirectory,
        turns: turns,
        interrupt: interrupt,
        context: context
      )
      defer { launcher.close() }
      let load = MachineLoad.average
      let isInterrupted = try await Self.run(
        &beginning,
        builder: &builder,
        launcher: &launcher,
        now: context.now,
        observe
      )
      var summary = beginning.summary(isInterrupted: isInterrupted)
      summary.warnings += [beginning.course.builds[0].flatMap(DetachedTarget.warning)]
        .compactMap(\.self)
      summary.conditions = await Self.conditions(of: start, loadBefore: load)
      await explain(&summary, beginning.course, interrupt: interrupt) {
        try await turns.enter(waiting: "24h") { observe(.waiting($0)) }
      }
      summary.warnings += turns.notes
      writeReport(of: &summary)
      await trace(&summary, beginning, turns: turns, interrupt: interrupt, observe)
      return summary
    }
  }

  /// What the builds and launches were made with.
  private static func conditions(
    of start: BisectStart,
    loadBefore: Double?
  ) async -> BisectConditions {
    let loadAfter = MachineLoad.average
    var conditions = BisectConditions(
      loadBefore: loadBefore,
      loadAfter: loadAfter,
      processors: Doctor.facts.cpuCount
    )
    if start.artifacts == nil, let source = start.scenario.source {
      let tools = await BuildTools(of: source)
      conditions.compilers = tools.compilers
      conditions.variables = tools.variables
    }
    return conditions
  }

  /// Adds what the culprits change, in their files and in the stages of launches; an answer is not
  /// lost when that cannot be told.
  private func explain(
    _ summary: inout BisectSummary,
    _ course: BisectCourse,
    interrupt: InterruptFlag,
    in session: () async throws -> LabSession
  ) async {
    await CulpritChanges.add(to: &summary)
    let known = summary.details.indices.filter { summary.details[$0].builds != nil }
    guard !known.isEmpty else { return }
    do {
      let stages = CulpritStages(
        start: course.start,
        pairs: known.compactMap { summary.details[$0].builds },
        launchSeconds: course.engine.launchSeconds,
        context: context
      )
      let found = try await stages.differences(in: try await session(), interrupt: interrupt)
      for (index, differences) in zip(known, found) {
        summary.details[index].stageChanges = differences ?? []
        guard differences?.isEmpty != false else { continue }
        let revision = summary.answer.culprits[index].newest
        let reason =
          differences == nil
          ? "no collector saw enough launches"
          : "no stage differs by more than its noise and a thousandth of the launch"
        let name =
          course.start.artifacts == nil
          ? String(course.start.revisions[revision].id.prefix(12))
          : course.start.revisions[revision].id
        summary.warnings.append(Self.noStages(at: known.count > 1 ? name : nil, because: reason))
      }
    } catch {
      let problem = (error as? any LabError)?.diagnostics.first?.problem
      summary.warnings.append(Self.noStages(at: nil, because: problem ?? "\(error)"))
    }
  }

  private static func noStages(at revision: String?, because reason: String) -> Diagnostic {
    Diagnostic(
      .note,
      id: "no-stages",
      problem:
        "what changed in the stages\(revision.map { " at \($0)" } ?? "") is not known: \(reason)"
    )
  }

  /// Finds out why the culprit is slower or faster than its parent, and writes the report again.
  ///
  /// All else is kept and written by then, and stays as it is where this cannot be found out.
  private func trace(
    _ summary: inout BisectSummary,
    _ beginning: BisectBeginning,
    turns: LabTurns,
    interrupt: InterruptFlag,
    _ observe: @escaping (BisectProgressEvent) -> Void
  ) async {
    guard request.explains, !interrupt.heedIfSet(),
      let tracing = CulpritTracing(of: summary, beginning.course, in: context, rights, observe)
    else { return }
    if let obstacle = tracing.obstacle {
      summary.explanationFailure = "not traced here (\(obstacle))"
      return
    }
    let known = turns.notes
    do {
      // The former lab has ended with its launches.
      turns.leave()
      let session = try await turns.enter(waiting: "60s") { observe(.waiting($0)) }
      let result = try await tracing.result(in: session, interrupt: interrupt)
      if let kept = KeptExplanation(result) {
        summary.explanation = try CulpritExplanation.keeping(
          kept,
          of: tracing.culprit,
          in: beginning.log,
          at: beginning.path
        )
        summary.warnings += storeWithAlert(kept, summary.start)
      } else {
        summary.explanationFailure = "launches do not differ when they are traced"
      }
    } catch HostError.tracing(let failures) {
      let reasons = failures.map(\.reason).joined(separator: "; ")
      summary.explanationFailure = "not traced here (\(reasons))"
    } catch {
      let problem = (error as? any LabError)?.diagnostics.first?.problem
      summary.explanationFailure = "not traced here (\(problem ?? "\(error)"))"
    }
    summary.warnings += turns.notes.filter { !known.contains($0) }
    if summary.explanation != nil { writeReport(of: &summary) }
  }

  /// Keeps why a culprit is slower with the alert that asked for it.
  ///
  /// - Returns: Why that cannot be done.
  private func storeWithAlert(_ kept: KeptExplanation, _ start: BisectStart) -> [Diagnostic] {
    guard let alert = start.alert else { return [] }
    do {
      try Store.writable(at: request.store)
        .explain(alert: alert, by: kept.explanation(by: start.id), kept.documents)
      return []
    } catch {
      return [.notExplained("R-\(alert)", because: error)]
    }
  }

  /// Writes the culprit report beside the log, and says why if that cannot be done.
  private func writeReport(of summary: inout BisectSummary) {
    let path = LogLocation(.bisection, storeDirectory: request.storeDirectory).report(
      of: summary.start.id
    )
    do {
      let text = BisectMarkdown(summary, isBesideLog: true).rendered()
      try WholeFile(path).write { try $0(text) }
    } catch {
      let warning = Diagnostic.reportNotWritten(to: path, because: error, option: "--markdown")
      if !summary.warnings.contains(warning) { summary.warnings.append(warning) }
    }
  }

  /// Goes on until the end, or until a signal asks to stop.
  ///
  /// - Returns: Whether it was interrupted.
  static func run(
    _ beginning: inout BisectBeginning,
    builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    now: @escaping () -> Date,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws -> Bool {
    var loop = BisectLoop(course: beginning.course, log: beginning.log, now: now)
    defer { beginning.course = loop.course }
    do {
      try await loop.run(builder: &builder, launcher: &launcher, observe)
      return false
    } catch let error as any LabError where error.exitCode == .interrupted {
      return true
    }
  }
}

/// Does what a course says is due, and logs each step before the next one.
struct BisectLoop {
  private(set) var course: BisectCourse
  let log: BisectLog

  /// The time of day.
  let now: () -> Date

  /// Works until the course ends.
  ///
  /// - Throws: what the builder, the launcher and the log throw.
  mutating func run(
    builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    while true {
      switch course.action {
      case .build(let revision):
        launcher.close()
        try await build(revision, by: &builder, observe)
      case .launch(let arms, let rows):
        try await restore(arms, by: &builder, launcher: &launcher, observe)
        try await launcher.open(within: course.secondsLeft) { observe(.waiting($0)) }
        try await launch(arms, rows: rows, by: &launcher, observe)
      case .done(let answer):
        guard !course.hasEnded else { return }
        let culprits = answer.culprits.map(\.revisions)
        try log.append(
          .ended(BisectEnd(endedAt: now(), outcome: answer.outcome.name, culprits: culprits))
        )
        return
      }
      observe(.decided(course.engine.progress))
    }
  }

  private mutating func build(
    _ revision: Int,
    by builder: inout some BisectBuilder,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    let number = course.builds.count + course.failures.count + 1
    observe(.building(course.start.revisions[revision], number: number))
    let ahead = course.engine.ahead(of: revision, count: builder.buildsAhead)
    let built = try await builder.build(revision, ahead: ahead, within: course.secondsLeft)
    let known = course.missingSubmodules
    try take(.built(built))
    observe(.built(built, course.start.revisions[revision]))
    for missing in built.missingSubmodules ?? [] where known[missing.path] == nil {
      observe(.noted(.missing(missing)))
    }
    if course.builds.count == 1, let warning = DetachedTarget.warning(on: built) {
      observe(.noted(warning))
    }
  }

  /// Builds again what was removed since it was built, as after a resumption.
  ///
  /// The time that takes is not counted.
  private mutating func restore(
    _ arms: [Int],
    by builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    for arm in arms {
      guard let known = course.builds[arm], !builder.isLaunchable(known) else { continue }
      launcher.close()
      let revision = course.start.revisions[arm]
      observe(.building(revision, number: course.builds.count + course.failures.count))
      let built = try await builder.build(arm, ahead: [], within: nil)
      // A build may hold the time at which it was made.
      let isArtifact = course.start.artifacts != nil
      let isSame =
        (built.digest == known.digest || !isArtifact) && built.target == known.target
        && built.missingSubmodules?.map(\.path) == known.missingSubmodules?.map(\.path)
      guard built.failure == nil, isSame else {
        throw WorkflowError.cannotGoOn(
          .bisection,
          id: course.start.id,
          reason: "the build of \(revision.id.prefix(12)) is gone, and building it again gives "
            + (built.failure ?? "another executable")
        )
      }
    }
  }

  private mutating func launch(
    _ arms: [Int],
    rows: Int,
    by launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    let targets = arms.compactMap { arm in course.builds[arm]?.target.map { (arm, $0) } }
    let launched = course.launched
    let done = course.rows.count
    var taken = 0
    var failure: (revision: Int, reason: String)?
    do {
      failure = try await launcher.launch(
        targets,
        rows: done..<rows,
        isNew: { !launched.contains($0) },
        take: { row in
          try take(.row(row))
          taken += 1
          observe(.launched(done: done + taken, of: rows, course.engine.progress))
          let isDue = course.action == .launch(arms: arms, rows: rows)
          guard isDue || done + taken == rows else { throw Settled() }
        }
      )
    } catch is Settled {
      return
    }
    if let failure {
      try take(.unlaunchable(revision: failure.revision, reason: failure.reason))
    }
  }

  /// Logs an event, and then reckons with it.
  private mutating func take(_ event: BisectEvent) throws {
    try log.append(event)
    if let reason = course.apply(event) {
      preconditionFailure("what was done is not what was due: \(reason)")
    }
  }
}

/// What is launched is not worth the rest of its rows.
private struct Settled: Error {}
