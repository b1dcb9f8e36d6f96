package import Foundation
package import LaunchCore
import LaunchStore
import Scenarios

/// What is known of a run before its first launch: a new one, or one that was cut off.
struct RunBeginning {
  let plan: Plan
  let firstBlock: Int

  /// How many of the newest runs the one that is to go on is looked for in.
  private static let searchedRuns = 100

  /// Whether a stored run goes on, even one whose first block was not complete.
  var isResumption: Bool { stored != nil }

  private let backdate: Date?
  private let build: BuildRecord?
  private let purpose: RunRecord.Purpose
  private let slot: FleetSlot?
  private let stored: RunRecord?

  init(request: RunRequest, source: SourceWorkflow.Built) throws {
    backdate = request.backdate
    // Whom it tells is no part of a run, and an address may be a secret.
    var source = source
    source.scenario.notifiers = nil
    build = source.build
    purpose = request.purpose
    slot = request.slot
    guard let name = request.resume else {
      let seed = request.seed ?? UInt64(UInt32.random(in: 0...(.max)))
      plan = Planner.plan(source.scenario, seed: seed)
      firstBlock = 0
      stored = nil
      return
    }
    let store = try Store(path: request.store, mode: .readOnly)
    let newest = try store.runs(limit: Self.searchedRuns, scenario: source.scenario.name)
      .first { $0.purpose == request.purpose }?.id
    guard let id = name == "last" ? newest : name else {
      throw WorkflowError.cannotResume(id: name, reason: "no run of this scenario is stored")
    }
    let run = try store.run(id)
    if let gone = try store.leftOutRuns().first(where: { $0.run == run.id }) {
      throw WorkflowError.isLeftOut(gone)
    }
    if let reason = Self.obstacle(to: run, source: source, purpose: request.purpose) {
      throw WorkflowError.cannotResume(id: run.id, reason: reason)
    }
    plan = run.plan
    firstBlock = try store.completeBlocks(of: run.id).count
    stored = run
  }

  /// Refuses a night that would stand in the wrong place of its history.
  ///
  /// - Parameters:
  ///   - request: The run.
  ///   - store: It is only read.
  ///   - now: What the clock says.
  /// - Throws: ``WorkflowError/nightInFuture(run:startedAt:now:)`` when a night that counts is more
  ///   than a day ahead, and `StoreError`.
  static func checkClock(for request: RunRequest, in store: Store, now: Date) throws {
    guard request.purpose == .night else { return }
    let leftOut = Set(try store.leftOutRuns(scenario: request.scenario.name).map(\.run))
    let future = try store.runs(limit: searchedRuns, scenario: request.scenario.name).first {
      $0.purpose == .night && $0.startedAt > now + 86_400 && !leftOut.contains($0.id)
    }
    guard let future else { return }
    throw WorkflowError.nightInFuture(run: future.id, startedAt: future.startedAt, now: now)
  }

  /// Makes the record of the run.
  ///
  /// - Parameters:
  ///   - laboratory: What it is launched on.
  ///   - now: When it begins, unless it is said to have begun before.
  /// - Returns: The record of a new run, or the stored one of before.
  /// - Throws: ``WorkflowError/cannotResume(id:reason:)`` on another host than that of the launches
  ///   that are stored, or where other controls can be had.
  func run(on laboratory: any LaunchLaboratory, at now: Date) throws -> RunRecord {
    if var stored {
      guard !stored.host.isOther(than: laboratory.host) else {
        throw WorkflowError.cannotResume(id: stored.id, reason: "the host has changed since")
      }
      if let reason = ControlReceipt.difference(of: laboratory.receipts, from: stored.controls) {
        throw WorkflowError.cannotResume(id: stored.id, reason: reason)
      }
      stored.status = .unfinished
      stored.finishedAt = nil
      return stored
    }
    let now = backdate ?? now
    var run = RunRecord(of: plan, on: laboratory, at: now)
    run.purpose = purpose
    run.build = build
    run.slot = slot
    return run
  }

  /// Why launches of today may not join those of a stored run, if so.
  private static func obstacle(
    to run: RunRecord,
    source: SourceWorkflow.Built,
    purpose: RunRecord.Purpose
  ) -> String? {
    if run.purpose != purpose {
      return "it was made for another purpose: \(run.purpose.rawValue)"
    }
    if run.status == .complete { return "it is complete" }
    if run.status == .failed { return "it failed, so a target must be fixed first" }
    if run.plan.scenario != source.scenario { return "the scenario has changed since" }
    if run.build?.tree != source.build?.tree { return "the source has changed since" }
    return nil
  }
}

extension ControlReceipt {
  /// The first control that was asked for and that fares otherwise than in a stored run, if any: the
  /// receipts of the run would not be true of the launches that are still to come.
  package static func difference(of now: [ControlReceipt], from stored: [ControlReceipt]) -> String?
  {
    for receipt in now where receipt.wanted != nil {
      guard let before = stored.first(where: { $0.name == receipt.name }),
        before.status != receipt.status
      else { continue }
      let reason = receipt.reason.map { " (\($0))" } ?? ""
      return "the control \(receipt.name) was \(before.status.rawValue) and is "
        + "\(receipt.status.rawValue) now\(reason)"
    }
    return nil
  }
}

/// Builds what a scenario measures, if it has a source, and adds its control.
package struct SourceWorkflow {
  private let request: RunRequest
  private let context: WorkflowContext

  package init(_ request: RunRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// A scenario whose paths lead to what was built.
  package struct Built {
    package var scenario: Scenario
    package let build: BuildRecord?
    var notes: [Diagnostic] = []
  }

  /// Builds the requested revision and that of the control, unless they are there already.
  package func scenario() async throws -> Built {
    let cache = CacheLocation(directory: request.storeDirectory)
    let control = try await ControlWorkflow(
      scenario: request.scenario,
      cache: cache,
      context: context
    ).control()
    var (scenario, build) = try await built(in: cache)
    if let control { scenario.targets.append(control.target) }
    let missing = (build?.missingSubmodules ?? []).map(Diagnostic.missing)
    return Built(scenario: scenario, build: build, notes: missing + (control?.notes ?? []))
  }

  private func built(in cache: CacheLocation) async throws -> (Scenario, BuildRecord?) {
    guard let source = request.scenario.source else { return (request.scenario, nil) }
    let build = try await cache.build(request.revision, of: source, in: context)
    context.observe(.built(build))
    return (request.scenario.rebased(from: source.repository, to: build.directory), build)
  }
}

extension Diagnostic {
  /// A warning of a submodule that a build was made without.
  package static func missing(_ submodule: MissingSubmodule) -> Self {
    Diagnostic(
      .warning,
      id: "submodule-missing",
      problem: "submodule \"\(submodule.path)\" is not available; built without it: "
        + submodule.reason,
      place: "commit \(submodule.commit.prefix(12)) of \(submodule.path)",
      remedy: "get it once with `git submodule update --init --recursive`, or say with "
        + "`submodules: required` or `off` what you want"
    )
  }
}

extension RunRecord {
  /// A run that begins, with an identifier of its own.
  package init(of plan: Plan, on laboratory: any LaunchLaboratory, at now: Date) {
    self.init(
      id: RunID.make(at: now, salt: .random(in: 0...(.max))),
      startedAt: now,
      plan: plan,
      host: laboratory.host,
      controls: laboratory.receipts,
      tool: LaunchlabVersion.current
    )
  }
}
