import Builds
import Foundation
package import LaunchCore
import LaunchHost
import LaunchStore
import Scenarios

/// What a run would stumble over on this machine; nothing is built, launched or written to find out.
package struct RunCheck {
  private let request: RunRequest
  private let plan: Plan
  private let context: WorkflowContext

  /// Why this machine cannot do a control that is asked for, or not wholly.
  package let obstacles: [ControlName: String]

  /// - Parameters:
  ///   - request: The run.
  ///   - plan: What would be launched, as ``Forecast`` plans it.
  ///   - context: Where it would run.
  package init(_ request: RunRequest, plan: Plan, in context: WorkflowContext) {
    self.request = request
    self.plan = plan
    self.context = context
    obstacles = plan.scenario.controls.map { ControlOutlook.obstacles(to: $0) } ?? [:]
  }

  /// What was found, and the exit code that the run would end with.
  package struct Result: Sendable {
    package var diagnostics: [Diagnostic] = []
    package var exitCode = LabExitCode.done

    /// Takes an error that would end the run.
    mutating func take(_ error: any Error, at place: String) {
      guard let error = error as? any LabError else {
        diagnostics.append(Diagnostic(.error, id: "unexpected", problem: "\(error)", place: place))
        exitCode = max(exitCode, .couldNotMeasure)
        return
      }
      exitCode = max(exitCode, error.exitCode)
      for var diagnostic in error.diagnostics {
        if let own = diagnostic.place, own != place {
          diagnostic.place = "\(place): \(own)"
        } else {
          diagnostic.place = place
        }
        if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
      }
    }
  }

  /// Looks at everything that the run needs, in the order in which it would need it.
  package func result() async -> Result {
    var result = Result()
    await checkSource(&result)
    for target in plan.scenario.targets where !isBuilt(target) {
      let isControl = target.name == Arm.controlTarget
      do {
        _ = try LaunchedFiles(of: target, in: plan.scenario)
      } catch {
        result.take(error, at: isControl ? "baseline.control" : "target \"\(target.name)\"")
      }
    }
    for refusal in LaunchTools.refusals(of: plan) { result.take(refusal, at: "states") }
    do { try checkStore() } catch { result.take(error, at: request.store) }
    checkControls(&result)
    if request.purpose == .night { result.diagnostics += unreachable }
    result.diagnostics += Preflight(plan: plan).warnings
    return result
  }

  /// Warns of controls that are not available here, and refuses those that are required.
  private func checkControls(_ result: inout Result) {
    let required = obstacles.filter { plan.scenario.controls?.required.contains($0.key) == true }
    if !required.isEmpty { result.take(HostError.controlsRefused(required), at: "controls") }
    let others = obstacles.filter { required[$0.key] == nil }
    result.diagnostics += [UnmetControls(obstacles: others).warning].compactMap(\.self)
  }

  /// Refuses a store that the run cannot use.
  private func checkStore() throws {
    try StoreFile(request.store).check()
    guard FileManager.default.fileExists(atPath: request.store) else { return }
    do {
      let store = try Store(path: request.store, mode: .readOnly)
      try RunBeginning.checkClock(for: request, in: store, now: context.now())
    } catch StoreError.olderSchema, StoreError.missingStore {
      // The run migrates it, or makes one in an empty file.
    }
  }

  // MARK: - The source

  private func checkSource(_ result: inout Result) async {
    guard let source = plan.scenario.source else { return }
    do {
      try await LaunchTools.check(source, revision: request.revision)
      if case .revision(let revision, _) = plan.scenario.control {
        try await LaunchTools.check(source, revision: revision)
      }
    } catch {
      result.take(error, at: "source")
    }
  }

  /// Whether a program comes out of the build, so that nobody can know yet whether it is there.
  private func isBuilt(_ target: Target) -> Bool {
    guard let source = plan.scenario.source else { return false }
    let command = target.command.first ?? ""
    let directory = target.directory.hasSuffix("/") ? target.directory : target.directory + "/"
    let program = command.hasPrefix("/") ? command : directory + command
    let path = target.environment["PATH"] ?? ""
    let top = source.repository + "/"
    return command.contains("/")
      ? URL(filePath: program).standardized.path.hasPrefix(top)
      : path.split(separator: ":").contains { "\($0)/".hasPrefix(top) }
  }

  // MARK: - Notifiers

  /// The notifiers that could tell nobody: a warning each, since the night is judged all the same.
  private var unreachable: [Diagnostic] {
    let notifiers = plan.scenario.notifiers ?? []
    let sender = NoticeSender(
      directory: plan.scenario.directory,
      environment: context.environment
    )
    return Notifier.named(notifiers).compactMap { notifier, name in
      let (obstacle, remedy): (NoticeFailure?, String) =
        switch notifier {
        case .command(let command):
          (sender.obstacle(toRunning: command), "give the whole path of a program, or install it")
        case .webhook(let address):
          (
            sender.obstacle(toPosting: address),
            sender.hasCurl ? "set the variable, or correct the URL" : "install curl"
          )
        case .email:
          (sender.obstacleToMail, "install sendmail, such as the package msmtp-mta")
        case .githubSummary: (nil, "")
        }
      return obstacle.map {
        Diagnostic(
          .warning,
          id: "cannot-notify",
          problem: "notifier \(name) does not work: \($0.reason)",
          place: "notify",
          remedy: remedy
        )
      }
    }
  }
}

/// What a run would do, and how long it may take; nothing is touched to find out.
package struct Forecast {
  package let plan: Plan

  /// How long the run may take.
  package let estimate: Nanoseconds

  /// Plans the run that is requested.
  ///
  /// The estimate is the pace of the newest complete run of the scenario in its store, or else a
  /// rough assumption: 0.1 s for a warm launch and 0.5 s for a cold one.
  package init(_ request: RunRequest) {
    let seed = request.seed ?? UInt64(UInt32.random(in: 0...(.max)))
    var scenario = request.scenario
    if let control = ControlWorkflow.target(of: scenario) { scenario.targets.append(control) }
    let plan = Planner.plan(scenario, seed: seed)
    self.plan = plan
    estimate =
      Self.pace(of: request.scenario.name, store: request.store)
      .map { $0.times(Int64(plan.launchCount)) } ?? Self.assumption(for: plan)
  }

  private static func pace(of scenario: String, store: String) -> Nanoseconds? {
    guard FileManager.default.fileExists(atPath: store),
      let runs = try? Store(path: store, mode: .readOnly).runs(limit: 5, scenario: scenario),
      let run = runs.first(where: { $0.status == .complete && $0.launches > 0 }),
      let finishedAt = run.finishedAt
    else { return nil }
    let seconds = finishedAt.timeIntervalSince(run.startedAt)
    return Nanoseconds(Int64(clamping: seconds * 1e9 / Double(run.launches)))
  }

  private static func assumption(for plan: Plan) -> Nanoseconds {
    plan.arms.reduce(.zero) { sum, arm in
      let launches = plan.launches(of: arm.kind)
      return sum + .milliseconds(Int64(launches) * (arm.state.isCold ? 500 : 100))
    }
  }
}
