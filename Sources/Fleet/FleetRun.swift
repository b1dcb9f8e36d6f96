// Fleet: a night of many hosts.
//
// `FleetRun` tells the story on the head: it compares what is wanted of a night with what the depot has and with
// the jobs of the engine (`FleetTurn`), asks for what is missing, and begins again until nothing is. It may be
// ended, started again, and run twice at once at any time: the depot is the truth. `SlotWorkflow` is what a job
// does on a host: it runs the scenarios that are missing there, and pushes them. `FleetBisect` has one host
// bisect, and others build for it.
//
// What hosts have measured is judged by `History/Fleet`.

import FleetEngines
import Foundation
package import History
package import LaunchCore
import LaunchDepot
import LaunchHost
package import Measuring
import Scenarios

/// Has the hosts of a fleet measure one night.
package struct FleetRun {
  let plan: FleetPlan
  let label: String
  var engine: any FleetEngine

  private let path: String
  let files: FleetFiles
  private let scenarios: [Scenario]
  let depot: Depot
  let context: WorkflowContext

  /// Whether a night was asked for.
  private let isNightGiven: Bool

  /// How long it waits between two turns.
  package var pause: Duration

  /// For how many turns it waits for hosts that take no jobs, when all others are done.
  private static let mostWaits = 6

  /// How many turns in a row may fail, because the depot or the engine is away.
  static let mostFailures = 30

  /// - Parameters:
  ///   - path: The fleet file.
  ///   - night: The label of the night; nil means the one of now.
  ///   - context: Says what time it is.
  /// - Throws: `ScenarioError` with everything that is wrong with the fleet file and the scenarios,
  ///   `DepotError` for an address that is none, ``WorkflowError/badOption(name:value:expected:)``.
  package init(_ path: String, night: String? = nil, in context: WorkflowContext) throws {
    self.path = path
    self.context = context
    plan = try FleetFile.load(path: path)
    depot = Depot(try DepotLocation.address(plan.depot))
    scenarios = try plan.scenarios.map { try ScenarioFile.load(path: $0) }
    try FleetError.checkNames(scenarios.map(\.name), in: plan.scenarios)
    files = try FleetFiles(of: plan, at: path)
    isNightGiven = night != nil
    label = try night.map(Self.checked) ?? FleetNight.label(at: context.now())
    switch plan.engine {
    case .slurm:
      engine = SlurmEngine(partition: plan.partition)
      pause = .seconds(10)
    case .local:
      engine = LocalEngine(
        hosts: plan.hosts + plan.builders,
        directory: "\(plan.directory)/.launchlab/jobs"
      )
      pause = .seconds(2)
    }
  }

  private static func checked(_ night: String) throws -> String {
    guard night.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}[A-Za-z0-9._-]{0,40}/) != nil else {
      throw WorkflowError.badOption(
        name: "--night",
        value: night,
        expected: "a date such as 2026-11-21, which a word may follow"
      )
    }
    return night
  }

  // MARK: - Turns

  /// Looks at how far the night is, and changes nothing.
  ///
  /// - Throws: `DepotError`, `FleetEngineError`.
  package func status() async throws -> FleetStatus {
    let turn = try await turn()
    return FleetStatus(fleet: plan.name, night: label, hosts: turn.hosts)
  }

  /// Asks for what is missing until the depot has all of it, or nothing more can be expected.
  ///
  /// - Parameter tell: Told after each turn how far the night is, and what failed.
  /// - Returns: How far it came.
  /// - Throws: `DepotError` or `FleetEngineError` where the depot or the engine cannot be used at the
  ///   first turn, or for many turns; ``FleetError/interrupted(path:)``, and then the jobs go on.
  package func measure(
    _ tell: (FleetStatus, [Diagnostic]) -> Void = { _, _ in }
  ) async throws -> FleetStatus {
    var asked: [String: FleetTurn.Asked] = [:]
    var (failures, waited) = (0, 0)
    var last: FleetStatus?
    while true {
      var problems: [Diagnostic] = []
      do {
        let turn = try await turn(asked)
        var isMended = false
        do {
          isMended = try await engine.mend(turn.known)
        } catch let error as FleetEngineError {
          // Whoever may not do it has a host less.
          problems += error.diagnostics
        }
        let status = FleetStatus(fleet: plan.name, night: label, hosts: turn.hosts)
        last = status
        // A host that the engine has just lost, or found, may take jobs in a moment.
        waited = turn.isOver && !isMended ? waited + 1 : 0
        if turn.isOver, waited > Self.mostWaits || !turn.hasAbsentHosts { return status }
        try await engine.cancel(turn.ghosts)
        problems += try await submit(turn, &asked)
        failures = 0
        tell(status, problems)
      } catch let error as any LabError {
        failures += 1
        guard let last, failures < Self.mostFailures else { throw error }
        tell(last, error.diagnostics)
      }
      try await rest()
    }
  }

  /// Asks the hosts that a turn wants.
  ///
  /// - Returns: Why some were refused.
  private func submit(
    _ turn: FleetTurn,
    _ asked: inout [String: FleetTurn.Asked]
  ) async throws -> [Diagnostic] {
    var problems: [Diagnostic] = []
    for host in turn.hosts where host.state == .wanted {
      do {
        try await engine.submit(work(for: host.name, of: turn.night))
      } catch let error as FleetEngineError where !error.mayPass {
        problems += error.diagnostics
      }
      asked[host.name] = FleetTurn.Asked(
        tries: turn.tries[host.name, default: 0] + 1,
        runs: host.runs
      )
    }
    return problems
  }

  /// Waits until the next turn.
  ///
  /// - Throws: ``FleetError/interrupted(path:)`` within a moment of a signal.
  func rest() async throws {
    if try await context.interrupt().heed(waiting: pause) {
      throw FleetError.interrupted(path: path)
    }
  }

  // MARK: - The report

  /// Prints and writes the combined verdict of the hosts.
  ///
  /// - Parameters:
  ///   - directory: Where the reports are written; nil means `report` beside the fleet file.
  ///   - isOfTonight: Whether only tonight counts where no night was asked for, and not the newest one that
  ///     has runs.
  /// - Returns: One part for each scenario that has a run of the night.
  /// - Throws: As `FleetReportWorkflow.report()`; where no scenario has one, too.
  package func report(
    into directory: String?,
    ofTonight isOfTonight: Bool
  ) async throws -> FleetReport {
    let night = isOfTonight || isNightGiven ? label : nil
    let report = try await FleetReportWorkflow(
      depot: plan.depot,
      scenarios: scenarios.map(\.name),
      night: night,
      output: directory ?? "\(plan.directory)/report",
      in: context
    ).report()
    // Where no host has run a scenario on the night, its part is of an earlier one.
    let parts = report.parts.filter { night == nil || $0.summary.night == night }
    guard !parts.isEmpty else {
      let address = depot.address.description
      throw DepotError.nothingThere(address: address, part: " of night \(label)")
    }
    return FleetReport(parts: parts)
  }

  // MARK: - What is asked for

  private func turn(_ asked: [String: FleetTurn.Asked] = [:]) async throws -> FleetTurn {
    let jobs = try await engine.jobs()
    let known = try await engine.hosts()
    let there = try await depot.night(label)
    return FleetTurn(night(of: known), known: known, jobs: jobs, depot: there, asked: asked)
  }

  private func night(of known: [FleetHost]) -> FleetNight {
    FleetNight(
      plan: plan,
      label: label,
      hosts: plan.measuring(of: known),
      scenarios: scenarios.map(\.name),
      timeLimit: timeLimit
    )
  }

  /// That of the plan, or three times as long as the scenarios are expected to take, and an hour for builds
  /// and proofs.
  private var timeLimit: Duration {
    if let limit = plan.timeLimit { return .nanoseconds(limit.count) }
    let forecast = scenarios.reduce(Nanoseconds.zero) { sum, scenario in
      sum + Forecast(RunRequest(scenario: scenario, store: nil, commandLine: [])).estimate
    }
    return .nanoseconds(3 * forecast.count) + .seconds(3600)
  }

  private func work(for host: String, of night: FleetNight) -> FleetWork {
    work(named: night.job(of: host), for: host, ["fleet", "slot"], [], limit: night.timeLimit)
  }

  /// A job of a host that runs a subcommand of launchlab.
  func work(
    named name: String,
    for host: String,
    _ subcommand: [String],
    _ options: [String],
    limit: Duration
  ) -> FleetWork {
    let common = [files.fleet, "--night", label, "--host", host, "--expect", files.digest]
    return work(named: name, for: host, [program] + subcommand + common + options, limit: limit)
  }

  /// A job of a host in the directory of the fleet.
  func work(
    named name: String,
    for host: String,
    _ command: [String],
    limit: Duration
  ) -> FleetWork {
    FleetWork(
      name: name,
      host: host,
      command: command,
      directory: plan.directory,
      environment: plan.namesHosts ? ["LAUNCHLAB_HOST_NAME": host] : [:],
      timeLimit: limit
    )
  }
}

extension FleetPlan {
  /// The names of the hosts that measure.
  func measuring(of known: [FleetHost]) -> [String] {
    hosts.isEmpty ? known.map(\.name).filter { !builders.contains($0) }.sorted() : hosts
  }
}

extension FleetRun {
  /// Where launchlab is on the hosts: by default where this one is.
  var program: String {
    let link = "/proc/self/exe"
    return plan.program ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: link))
      ?? CommandLine.arguments[0]
  }
}

extension FleetNight {
  /// The label of the night of an instant: a night is from noon to noon in UTC, and has the day of its
  /// beginning.
  static func label(at now: Date) -> String { (now - 12 * 3600).utcDay }
}

/// The files that every host of a fleet must have, and what is in them.
struct FleetFiles {
  /// The absolute path of the fleet file.
  let fleet: String

  /// Of each file its path, and the first digits of its digest: that of the fleet, then those of the
  /// scenarios.
  let digests: [(path: String, digest: String)]

  /// - Throws: `ScenarioError` for a file that cannot be read.
  init(of plan: FleetPlan, at path: String) throws {
    fleet = "\(plan.directory)/\((path as NSString).lastPathComponent)"
    digests = try ([fleet] + plan.scenarios).map { path in
      guard let content = FileManager.default.contents(atPath: path) else {
        throw FleetError.noFile(path: path)
      }
      return (path, String(SHA256(Array(content)).hexadecimal.prefix(12)))
    }
  }

  /// All of them in one word.
  var digest: String { digests.map(\.digest).joined(separator: ",") }

  /// Refuses files that are others than those of the head.
  ///
  /// - Throws: ``FleetError/otherFile(path:)``.
  func check(against expected: String) throws(FleetError) {
    let words = expected.split(separator: ",", omittingEmptySubsequences: false)
    guard words.count == digests.count else { throw .otherFile(path: fleet) }
    for (own, word) in zip(digests, words) where own.digest != word {
      throw .otherFile(path: own.path)
    }
  }
}

/// Why a fleet cannot measure.
package enum FleetError: LabError, Equatable {
  case noFile(path: String)

  /// A file of this host is another one than that of the head.
  case otherFile(path: String)

  /// Two scenarios have one name.
  case sameName(String, paths: [String])

  /// A run of a host ended because a target failed.
  case failed(run: String, reason: String)

  /// A run stays on its host.
  case notPushed(reason: String)

  /// A host could not settle what is suspected.
  case notProved(scenario: String, reason: String)

  /// Somebody interrupted the head.
  case interrupted(path: String)

  /// - Throws: ``sameName(_:paths:)``.
  static func checkNames(_ names: [String], in paths: [String]) throws(Self) {
    for (name, group) in Dictionary(grouping: zip(names, paths), by: \.0) where group.count > 1 {
      throw .sameName(name, paths: group.map(\.1))
    }
  }

  package var diagnostics: [Diagnostic] {
    let (problem, remedy) =
      switch self {
      case .noFile(let path):
        ("the file \"\(path)\" cannot be read", "every host needs it at the same path")
      case .otherFile(let path):
        (
          "\"\(path)\" is not the file that the head of the fleet has",
          "bring all hosts to the same version of it, and of the files beside it"
        )
      case .sameName(let name, let paths):
        (
          "\(paths.joined(separator: " and ")) have the same name, \(name)",
          "give one of them another name in `scenario:`"
        )
      case .failed(let run, let reason):
        ("run \(run) failed: \(reason)", "fix the target; the run is tried again")
      case .notPushed(let reason):
        ("a run stays here: \(reason)", "push it from the host with `launchlab push`")
      case .notProved(let scenario, let reason):
        ("no proof of \(scenario): \(reason)", "compare the builds by `launchlab compare`")
      case .interrupted(let path):
        ("interrupted; the jobs go on", "follow them with `launchlab fleet run \(path)`")
      }
    return [Diagnostic(.error, id: id, problem: problem, remedy: remedy)]
  }

  private var id: String {
    switch self {
    case .noFile: "missing-file"
    case .otherFile: "other-file"
    case .sameName: "contradiction"
    case .failed: "failed-run"
    case .notPushed: "not-pushed"
    case .notProved: "not-proved"
    case .interrupted: "interrupted"
    }
  }

  package var exitCode: LabExitCode {
    switch self {
    case .noFile, .sameName: .usage
    case .otherFile, .failed, .notPushed, .notProved: .couldNotMeasure
    case .interrupted: .interrupted
    }
  }
}
