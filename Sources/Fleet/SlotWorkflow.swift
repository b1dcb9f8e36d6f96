import Bisection
import Foundation
import History
package import LaunchCore
import LaunchDepot
import LaunchStore
package import Measuring
import Scenarios

/// What a host does for one night of a fleet: it runs what is missing, and pushes it.
///
/// It may be killed at any time and asked again: a run that is complete is not repeated, one that was cut off
/// is resumed, and what could not be pushed is pushed first.
package struct SlotWorkflow {
  let slot: FleetSlot
  let context: WorkflowContext

  private let path: String
  private let plan: FleetPlan
  private let expected: String
  private let depot: Depot

  /// - Parameters:
  ///   - path: The fleet file.
  ///   - slot: Which night, and which host this is.
  ///   - expected: The digests of the files of the head.
  ///   - context: Where it is run.
  /// - Throws: `ScenarioError`, `DepotError`, ``FleetError``.
  package init(
    _ path: String,
    slot: FleetSlot,
    expected: String,
    in context: WorkflowContext
  ) throws {
    self.path = path
    plan = try FleetFile.load(path: path)
    depot = Depot(try DepotLocation.address(plan.depot))
    self.slot = slot
    self.expected = expected
    self.context = context
  }

  /// Runs the scenarios in turn.
  ///
  /// - Parameter tell: Told what goes wrong.
  /// - Returns: 0 when the depot has all runs, whatever they came to.
  package func run(_ tell: ([Diagnostic]) -> Void) async -> LabExitCode {
    do {
      try checkFiles()
    } catch {
      return await told(error, scenario: nil, tell)
    }
    var code = LabExitCode.done
    do {
      try await push(tell)
    } catch {
      // It is tried again after each run.
      tell(Diagnostic.all(of: error))
    }
    for path in plan.scenarios where code != .interrupted {
      var name: String?
      do {
        let request = try request(for: path)
        name = request.scenario.name
        if try await measure(request) == .interrupted { code = .interrupted }
        try await push(tell)
      } catch {
        code = max(code, await told(error, scenario: name, tell))
      }
    }
    return code
  }

  /// - Throws: ``FleetError/otherFile(path:)`` where this host has other files than the head.
  func checkFiles() throws { try FleetFiles(of: plan, at: path).check(against: expected) }

  /// Tells what went wrong, here and to the depot.
  ///
  /// - Returns: What to end with.
  func told(
    _ error: any Error,
    scenario: String?,
    _ tell: ([Diagnostic]) -> Void
  ) async -> LabExitCode {
    let known = error as? any LabError
    let diagnostics = Diagnostic.all(of: error)
    tell(diagnostics)
    if known?.exitCode == .interrupted { return .interrupted }
    do {
      try await depot.tell(diagnostics.first?.problem ?? "", of: slot, scenario: scenario)
    } catch {
      // Whoever cannot reach the depot is seen from the head by what is missing.
      tell(Diagnostic.all(of: error))
    }
    return .couldNotMeasure
  }

  /// One for each scenario, in their order.
  func requests() throws -> [RunRequest] { try plan.scenarios.map(request) }

  private func request(for path: String) throws -> RunRequest {
    let store = plan.store(of: slot.host)
    var request = try RunRequest(
      scenarioPath: path,
      store: store,
      seed: nil,
      revision: nil,
      resume: nil,
      reportDirectory: "\((store as NSString).deletingLastPathComponent)/report"
    )
    request.slot = slot
    return request
  }

  /// Runs a scenario, unless its run is complete already.
  private func measure(_ request: RunRequest) async throws -> LabExitCode {
    let name = request.scenario.name
    let store = try Store.writable(at: request.store)
    let runs = try store.runs(of: slot, scenario: name)
    if let complete = runs.first(where: { $0.status == .complete }) {
      if complete.isConcluded { return .done }
      // It was ended before it was judged, and would wait for a day to be pushed.
      let outcome = RunOutcome(exitCode: Int(LabExitCode.inconclusive.rawValue))
      try store.save(outcome, of: complete.id)
      return .done
    }
    guard let begun = runs.last(where: { $0.status == .unfinished || $0.status == .interrupted })
    else { return try await night(request) }
    var resumed = request
    resumed.resume = begun.id
    do {
      return try await night(resumed)
    } catch WorkflowError.cannotResume {
      return try await night(request)
    }
  }

  private func night(_ request: RunRequest) async throws -> LabExitCode {
    let bisection = BisectNight(request, in: context)
    let result = try await NightWorkflow(
      request,
      provesSuspicions: true,
      in: context,
      bisect: { await bisection.notes(on: $0, after: $1) }
    ).run()
    guard result.summary.run.status != .failed else {
      let reason = result.summary.warnings.first { $0.severity == .error }?.problem
      throw FleetError.failed(run: result.summary.run.id, reason: reason ?? "a target failed")
    }
    return result.exitCode
  }

  /// Sends what the depot does not have.
  func push(_ tell: ([Diagnostic]) -> Void) async throws {
    let store = plan.store(of: slot.host)
    guard FileManager.default.fileExists(atPath: store) else { return }
    let summary = try await PushWorkflow(to: plan.depot, store: store, in: context).push { _, _ in }
    tell(summary.problems)
    if let problem = summary.problems.first(where: { $0.severity == .error }) {
      throw FleetError.notPushed(reason: problem.problem)
    }
  }
}
