// Measuring: a run from the lock to its report.
//
// `RunWorkflow` tells the story: `RunBeginning` loads, builds and checks; `LaunchLoop` prepares and launches
// in the order of the plan; `RunSink` stores each block; `RunAccumulator` (in `Summary`) turns launches into
// a `RunSummary` with its warnings. `PrecisionRule` ends a run that knows enough, `RetryBudget` repeats what
// the machine has spoilt. `Report` shows a summary as text, Markdown and JSON.
//
// What every way of measuring shares is here, too: `LabTurns` waits for the lab, `Preflight` warns of the
// machine, `CommandFiles` refuses outputs that would destroy inputs, `StoreLocation` finds the store, and
// `WorkflowError` says what went wrong. `Stages` has the run that looks into launches. Comparison, History
// and Bisection stand upon it.

package import Foundation
package import LaunchCore
import LaunchHost
package import LaunchStore

/// Runs a scenario: builds, checks, launches in blocks, stores, concludes and reports.
package struct RunWorkflow {
  private let request: RunRequest
  private let context: WorkflowContext

  package init(_ request: RunRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// Executes the run.
  ///
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way, and the
  ///   store that holds it, still open.
  /// - Throws: a ``LabError`` when nothing could be measured, or the run could not go on; what was
  ///   stored by then stays stored.
  package func run() async throws -> (summary: RunSummary, store: Store) {
    // From here on a signal ends the run in good order.
    let interrupt = try context.interrupt()
    return try await context.lab(for: request.commandLine) { session in
      try await run(in: session, interrupt: interrupt)
    }
  }

  private func run(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> (summary: RunSummary, store: Store) {
    try StoreFile(request.store).check()
    let source = try await SourceWorkflow(request, in: context).scenario()
    let beginning = try RunBeginning(request: request, source: source)
    let store = try Store.writable(at: request.store)
    try RunBeginning.checkClock(for: request, in: store, now: context.now())
    let kept = kept(of: beginning.plan, source)
    var preflight = Preflight(plan: beginning.plan).warnings
    var laboratory = try await context.laboratory(
      beginning.plan,
      request.storeDirectory,
      session,
      interrupt
    )
    defer { laboratory.close() }
    let began = context.now()
    var run = try beginning.run(on: laboratory, at: began)
    var sink = try RunSink(
      run: run,
      isResumption: beginning.isResumption,
      store: store,
      stoppingRule: request.stoppingRule ?? run.plan.precisionRule,
      observe: context.observe
    )
    try store.saveArtifacts(kept.artifacts, of: run.id)
    context.observe(.started(run: run, done: sink.done))
    let loop = LaunchLoop(
      plan: run.plan,
      firstBlock: beginning.firstBlock,
      stored: sink.retries
    )
    let ending = try launched(loop, on: &laboratory, into: &sink)
    laboratory.close()
    let changed = session.end()
    let now = request.backdate.map { $0 + context.now().timeIntervalSince(began) } ?? context.now()
    run.status = ending.status
    run.finishedAt = now
    try sink.flush()
    let concluded = sink.accumulator.summary(of: run)
    let symbols = await SymbolReader().symbols(for: Array(concluded.codePlaces))
    try store.saveSymbols(symbols.names, of: run.id)
    var summary = concluded.naming(symbols.names).foldingStages()
    let failure = ending.diagnostic(
      in: run.plan.scenario,
      resumption: request.resumption(of: run.id)
    )
    if failure != nil { summary.warnings.removeAll(where: \.tellsNoneReady) }
    summary.warnings.joinLoad(with: &preflight)
    let notes = laboratory.notes
    // What is launched matters more than how the numbers scatter.
    let launchers = notes.filter { $0.id == "launcher" }
    summary.warnings =
      [failure].compactMap(\.self) + changed + launchers + summary.warnings + preflight
      + source.notes + kept.notes + notes.filter { $0.id != "launcher" } + session.notes
    try store.saveSummaries(MetricRow.rows(of: summary), of: run.id)
    try store.saveCollectors(CollectorRow.rows(of: summary), of: run.id)
    // Only now, so that what is killed before goes on with `--resume`, and is told of the next night.
    try sink.finish(run.status, at: now)
    if let failure = writeReport(of: summary, in: store) { summary.warnings.append(failure) }
    return (summary, store)
  }

  /// Keeps what a night launches, for comparisons in later nights.
  private func kept(of plan: Plan, _ source: SourceWorkflow.Built) -> ArtifactWorkflow.Kept {
    guard request.purpose == .night else { return ArtifactWorkflow.Kept() }
    return ArtifactWorkflow(
      scenario: plan.scenario,
      isBuilt: source.build != nil,
      cache: CacheLocation(directory: request.storeDirectory)
    ).kept()
  }

  /// Launches the blocks, and closes the run when the machine fails.
  ///
  /// When the store fails, or somebody keeps killing the spawner, the run stays unfinished, to be
  /// resumed: no target has failed.
  private func launched(
    _ loop: LaunchLoop,
    on laboratory: inout any LaunchLaboratory,
    into sink: inout RunSink
  ) throws -> LaunchLoop.Ending {
    do {
      return try loop.run(on: &laboratory, into: &sink)
    } catch let error as StoreError {
      throw error
    } catch HostError.spawnerLost(let status, let times) {
      try? sink.flush()
      throw HostError.spawnerLost(status: status, times: times)
    } catch {
      try? sink.finish(.failed, at: context.now())
      throw error
    }
  }

  /// Writes the report, and says why if that cannot be done, since the result must be shown still.
  private func writeReport(of summary: RunSummary, in store: Store) -> Diagnostic? {
    var path = "run.md"
    do {
      guard let directory = try request.reportPlace(in: store) else { return nil }
      path = "\(directory)/run.md"
      try OwnPlace.makeWay(to: directory)
      try WholeFile(path).write { sink in
        try sink(RunMarkdown(summary, command: request.commandLine).rendered())
      }
      return nil
    } catch {
      return .reportNotWritten(to: path, because: error, option: "--report")
    }
  }
}

/// What a run tells while it goes on.
package enum RunEvent: Sendable {
  /// A build has begun; the log is kept beside the build.
  case building(BuildRecord)

  case built(BuildRecord)

  /// Two builds are launched in the same blocks next, to settle a suspicion about some arms, such as
  /// `server warm`. `good` and `bad` are the first digits of their commits or digests.
  case proving(arms: String, good: String, bad: String)

  /// Two builds are launched and traced next, to say why launches of an alert are slower.
  case explaining(alert: String, good: String, bad: String)

  /// The first launch comes next. `done` launches are stored from before, on resumption.
  case started(run: RunRecord, done: Int)

  /// A launch has ended. `total` counts the `repeated` launches too, and so grows with them.
  case launched(arm: Arm, outcome: Outcome, done: Int, total: Int, repeated: Int = 0)

  /// The launches scatter so much that no verdict is likely in the time that there is.
  case hopeless(ComparisonOutlook)
}

/// The identifier of a run: time-ordered, and unique among those of any number of hosts by 64 random
/// bits.
package enum RunID {
  /// Makes an identifier such as `20261121T043000Z-3fa29c0d11e07b55`.
  ///
  /// - Parameters:
  ///   - date: When the run begins.
  ///   - salt: A random number.
  /// - Returns: The time to the second in UTC, and 16 hexadecimal digits of the salt.
  package static func make(at date: Date, salt: UInt64) -> String {
    let time = date.formatted(.iso8601).filter { !"-:".contains($0) }
    let digits = String(salt, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    return "\(time)-\(padding)\(digits)"
  }

  /// Whether a text has the form of an identifier, which once had four random digits.
  package static func isOne(_ text: String) -> Bool {
    text.wholeMatch(of: /\d{8}T\d{6}Z-[0-9a-f]{4}([0-9a-f]{12})?/) != nil
  }
}

extension [Diagnostic] {
  /// Names a busy machine in the warning of noisy arms, which asks for the same remedy.
  mutating func joinLoad(with preflight: inout [Diagnostic]) {
    guard let noise = firstIndex(where: { $0.id == "high-variation" }),
      let load = preflight.firstIndex(where: { $0.id == "load" })
    else { return }
    self[noise].problem += " (\(preflight[load].problem))"
    self[noise].remedy = preflight[load].remedy
    preflight[load].severity = .note
    preflight[load].remedy = nil
  }
}
