// History: nights, and what is concluded from them.
//
// `NightWorkflow` tells the story: a run, then verdicts (`VerdictWorkflow`), a proof of what is suspected
// (`ProofWorkflow`), alerts, why launches are slower (`NightExplanation`), what they consist of, notices
// (`NotificationWorkflow`) and the report. `Detection` decides, and is pure: `SeriesJudgement` compares
// tonight with its baseline, `StepLifeCycle`, `DriftLifeCycle` and `BudgetLifeCycle` open, confirm and
// close alerts, and `Replay` does so over a whole history to tune it.
//
// `Alerts` has the words and the JSON of an alert, `Trend` the report with its charts, `Dashboard` the page.
// `Import` and `Exchange` bring in and give out data of other tools. History does not know Bisection: the
// command gives a night what bisects its regressions.

import Explanation
import Foundation
import Gate
package import LaunchCore
package import LaunchHost
import LaunchStore
package import Measuring
package import Rendering

/// Runs a scenario as one night of its history: launches, verdicts, proof, alerts and report.
package struct NightWorkflow {
  private let request: RunRequest
  private let provesSuspicions: Bool
  private let context: WorkflowContext
  private let bisect: Bisect?
  private let rights: (String) throws(HostError) -> TracingRights

  /// Looks for the commits of regressions that a night has confirmed.
  ///
  /// It gets the alerts of the scenario after the night, and the night. It returns what is said of
  /// them, and whether somebody interrupted it.
  package typealias Bisect = ([Alert], RunRecord) async -> (
    notes: [Diagnostic], isInterrupted: Bool
  )

  /// - Parameters:
  ///   - request: What is run; its purpose decides whether it is a night.
  ///   - provesSuspicions: Whether builds are launched side by side to settle a suspicion.
  ///   - context: Where it is run.
  ///   - rights: Finds out what this host lets be traced, given a private directory.
  ///   - bisect: Nil where no commit is looked for.
  package init(
    _ request: RunRequest,
    provesSuspicions: Bool,
    in context: WorkflowContext,
    rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.init(in:),
    bisect: Bisect?
  ) {
    self.request = request
    self.provesSuspicions = provesSuspicions
    self.context = context
    self.rights = rights
    self.bisect = bisect
  }

  /// Executes the night.
  ///
  /// What fails after the launches is a warning of the result, which is never lost by it.
  ///
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when nothing could be measured, or the run could not go on.
  package func run() async throws -> NightResult {
    let (summary, store) = try await RunWorkflow(request, in: context).run()
    var result = NightResult(
      summary: summary,
      trend: nil,
      exitCode: summary.exitCode
    )
    do {
      if summary.run.purpose == .night { try await conclude(&result, in: store) }
    } catch {
      result.add(error)
    }
    do {
      let films = try store.films(of: summary.run.id)
      result.films = strip(of: films, summary.run)
      result.summary.warnings += Self.missing(films.map(\.arm), of: summary)
    } catch {
      result.add(error)
    }
    do {
      try store.save(result.outcome, of: summary.run.id)
    } catch {
      result.add(error)
    }
    return result
  }

  private func strip(of films: [(arm: Arm, film: Film)], _ run: RunRecord) -> FilmStrip? {
    guard !films.isEmpty else { return nil }
    let targets = run.plan.scenario.targets
    return FilmStrip(
      title: targets.count == 1 ? targets[0].name : run.plan.scenario.name,
      rows: films.map { arm, film in
        let target = targets.count == 1 ? "" : "\(arm.target) "
        return FilmStrip.Row(name: target + arm.state.rawValue, film: film)
      }
    )
  }

  /// Warns of arms that were to be filmed and have no film.
  private static func missing(_ filmed: [Arm], of summary: RunSummary) -> [Diagnostic] {
    summary.arms.filter { $0.arm.kind == .film && $0.launches > 0 && !filmed.contains($0.arm) }.map
    { arm in
      let isReady = arm.outcomes[Outcome.ready.name] != nil
      return Diagnostic(
        .warning,
        id: "no-film",
        problem: "there is no film of \(arm.arm.target) \(arm.arm.state.rawValue): "
          + (isReady
            ? "its window uses buffers of a GPU, which cannot be read"
            : "none of the filmed launches was ready")
      )
    }
  }

  private func conclude(_ result: inout NightResult, in store: Store) async throws {
    let run = result.summary.run
    let now = run.finishedAt ?? context.now()
    let host = NightChoice.host(identity: run.host.identity)
    let isNewest = try store.nights(scenario: run.plan.scenario.name, host).last?.run == run.id
    if run.status == .complete, isNewest, !result.summary.isTooDisturbed {
      let conclusion = try await VerdictWorkflow(store: store, run: run)
        .conclude(at: now) { proof, night in
          let answer = await self.proved(proof, run: run, night: night)
          if answer.isInterrupted { result.exitCode = .interrupted }
          return answer.outcome
        }
      result.summary.warnings += conclusion
      do {
        result.summary.warnings += try await explain(run, in: store)
      } catch {
        result.summary.warnings.append(.notExplained("a slower launch", because: error))
      }
    }
    if run.status == .complete, request.scenario.gate != nil {
      do {
        result.summary.warnings += try await count(run, in: store)
      } catch let error as any LabError where error.exitCode == .interrupted {
        result.exitCode = .interrupted
      } catch {
        // What the night has measured does not depend on it.
        result.summary.warnings.append(.notCounted(because: error))
      }
    }
    var trend = try TrendWorkflow(store: store, scenario: run.plan.scenario.name)
      .summary(of: run.id)
    // As it was named on the command line.
    let words = request.commandLine
    if words.count == 3, words[1] == "run" { trend.scenarioFile = words[2] }
    result.trend = trend
    result.exitCode = max(result.exitCode, trend.exitCode)
    // A run that fills the history is no news.
    if run.status != .interrupted, isNewest {
      let workflow = NotificationWorkflow(scenario: request.scenario, store: store, in: context)
      result.summary.warnings += await workflow.deliver(
        trend.alerts + trend.pastAlerts,
        summary: trend,
        at: now
      )
      if run.status == .failed {
        result.summary.warnings += await workflow.deliverFailure(trend)
      }
      result.summary.warnings += await workflow.deliverCounts(trend)
    }
    if isNewest, run.status == .complete, let bisected = await bisect?(trend.alerts, run) {
      result.summary.warnings += bisected.notes
      if bisected.isInterrupted { result.exitCode = .interrupted }
      let workflow = TrendWorkflow(store: store, scenario: trend.scenario.name)
      do {
        result.trend = try workflow.explained(trend)
      } catch {
        result.summary.warnings.append(.notExplained("a regression", because: error))
      }
    }
    result.summary.warnings += trim(store)
    if isNewest { writeReport(&result, in: store) }
  }

  private func explain(_ run: RunRecord, in store: Store) async throws -> [Diagnostic] {
    let scenario = run.plan.scenario.name
    let nights = try store.nights(scenario: scenario, .host(identity: run.host.identity))
    guard let night = nights.last else { return [] }
    let proof = ProofWorkflow(request: request, run: run, night: night, context: context)
    return await NightExplanation(proof: proof, store: store, rights: rights).explain(
      try CountedAlerts(of: scenario, in: store, nights: nights).alerts,
      nights: nights
    )
  }

  /// Counts what launches consist of, and stores it.
  private func count(_ run: RunRecord, in store: Store) async throws -> [Diagnostic] {
    let (inventories, problems) = try await InventoryWorkflow(
      of: run,
      for: request.commandLine,
      in: context
    ).inventories()
    try store.saveInventories(inventories, of: run.id)
    return problems.map { Diagnostic(.note, id: "not-counted", problem: $0) }
  }

  private func proved(
    _ proof: ProofRequest,
    run: RunRecord,
    night: Night
  ) async -> ProofWorkflow.Result {
    func impossible(_ reason: String, isInterrupted: Bool = false) -> ProofWorkflow.Result {
      let outcome = ProofOutcome(request: proof, answer: .impossible(reason: reason))
      return ProofWorkflow.Result(outcome: outcome, isInterrupted: isInterrupted)
    }
    guard provesSuspicions else { return impossible("no proof was wanted") }
    let own = proof.ofOneHost(run)
    guard !own.series.isEmpty else {
      return impossible("the hosts of the fleet prove it together, as `regression.hosts` has it")
    }
    let flag = try? context.interrupt()
    if flag?.heedIfSet() == true {
      return impossible("the proof was interrupted", isInterrupted: true)
    }
    var result = await ProofWorkflow(request: request, run: run, night: night, context: context)
      .result(of: own)
    result.outcome.request = proof
    return result
  }

  /// Makes room on the disk; while another lab is at work, it waits for the next night.
  ///
  /// - Returns: Why nothing was removed, and what of the machine could not be restored.
  private func trim(_ store: Store) -> [Diagnostic] {
    let trim = CacheTrim(
      store: store,
      cache: CacheLocation(directory: request.storeDirectory),
      limit: request.scenario.artifactLimit ?? CacheLocation.defaultLimit
    )
    var warnings: [Diagnostic] = []
    do {
      let session = try context.session(for: request.commandLine)
      do { try trim.run() } catch { warnings.append(.notTrimmed(because: error)) }
      warnings += session.notes + session.end()
    } catch HostError.labBusy {
      return []
    } catch {
      warnings.append(.notTrimmed(because: error))
    }
    return warnings
  }

  private func writeReport(_ result: inout NightResult, in store: Store) {
    guard let trend = result.trend else { return }
    var directory = "report"
    do {
      guard let place = try request.reportPlace(in: store) else { return }
      directory = place
      // The run is told of already, with the command that repeats it.
      let workflow = TrendWorkflow(store: store, scenario: trend.scenario.name)
      try ReportFiles.write(workflow.illustrated(trend), .newest, to: directory)
    } catch {
      result.summary.warnings.append(
        .reportNotWritten(to: directory, because: error, option: "--report")
      )
    }
  }
}

extension Diagnostic {
  fileprivate static func notTrimmed(because error: any Error) -> Self {
    let known = all(of: error)[0]
    return Self(
      .warning,
      id: "not-trimmed",
      problem: "builds and executables of former nights are kept beyond their limit: "
        + known.problem,
      place: known.place,
      remedy: known.remedy
    )
  }

  fileprivate static func notCounted(because error: any Error) -> Self {
    let known = (error as? any LabError)?.diagnostics.first
    return Self(
      .warning,
      id: "not-counted",
      problem: "what launches consist of was not counted: \(known?.problem ?? "\(error)")",
      remedy: known?.remedy
    )
  }
}

/// What a night came to: its launches, and the verdicts against its history.
package struct NightResult: Sendable {
  package var summary: RunSummary

  /// Nil for a run that is no night, and when the history cannot be read.
  package var trend: TrendSummary?

  /// What the user saw, of runs that were filmed.
  package var films: FilmStrip?

  /// Of the run, the verdicts and the proofs, the one that `LabExitCode` puts first.
  package var exitCode: LabExitCode

  /// Warns of what failed after the launches.
  fileprivate mutating func add(_ error: any Error) {
    summary.warnings += Diagnostic.all(of: error)
    exitCode = max(exitCode, (error as? any LabError)?.exitCode ?? .couldNotMeasure)
  }

  /// What is stored of it with the run.
  var outcome: RunOutcome {
    RunOutcome(verdict: trend?.verdict, exitCode: Int(exitCode.rawValue))
  }
}
