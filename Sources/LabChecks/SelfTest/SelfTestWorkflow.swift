import Comparison
import Foundation
package import LaunchCore
import LaunchHost
import LaunchStore
package import Measuring
import Scenarios

/// Launches a program as A and as B in the same blocks, and concludes how noisy the host is.
///
/// It goes the way of every run, so that it measures what other runs meet: the same plan, launches,
/// controls and store.
package struct SelfTestWorkflow {
  private let request: SelfTestRequest
  private let context: WorkflowContext

  package init(_ request: SelfTestRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// Launches, concludes, and keeps the noise of the host in its store.
  ///
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when nothing could be measured.
  package func run() async throws -> SelfTestSummary {
    var request = request
    var refused: [MissingState] = []
    while true {
      do {
        let (run, store) = try await RunWorkflow(request.run, in: context).run()
        return try concluded(run, in: store, refused: refused)
      } catch let error as HostError {
        // The refusals come before the first launch, and one may hide another.
        let found = error.refusedStates
        guard request.leavesOutRefusedStates, !found.isEmpty else { throw error }
        request.scenario.states.removeAll { state in found.contains { $0.state == state } }
        guard !request.scenario.states.isEmpty else { throw error }
        refused += found
      }
    }
  }

  private func concluded(
    _ run: RunSummary,
    in store: Store,
    refused: [MissingState]
  ) throws -> SelfTestSummary {
    var pairs = LaunchPairs(
      plan: run.run.plan,
      baseline: SelfTestSummary.baseline,
      candidate: SelfTestSummary.candidate
    )
    try store.forEachLaunch(of: run.run.id) { pairs.add($0) }
    let summary = SelfTestSummary(
      run: run,
      pairs: pairs,
      command: request.command,
      refused: refused
    )
    if run.run.status == .complete { try store.saveNoise(summary.noise) }
    return summary
  }
}

extension HostError {
  /// The states that cannot be brought about, if nothing else stands in the way of a run.
  var refusedStates: [MissingState] {
    switch self {
    case .stateRefused(let state, _):
      return [MissingState(state: state, reason: diagnostics.map(\.problem).joined())]
    case .several(let errors):
      let states = errors.map(\.refusedStates)
      guard states.allSatisfy({ !$0.isEmpty }) else { return [] }
      return states.joined().reduce(into: []) { found, missing in
        if !found.contains(where: { $0.state == missing.state }) { found.append(missing) }
      }
    default: return []
    }
  }
}

/// What a self-test is asked to do.
package struct SelfTestRequest: Sendable {
  /// A program that is on every machine, and that rarely runs, so that its pages can be evicted.
  package static let usualCommand = ["true"]

  /// The states that are tested where none is named, as far as the host can create them: those that
  /// leave the page cache of other programs alone.
  package static let usualStates: [LaunchState] = [.reinstallCold, .warm]

  /// The program as the targets A and B.
  package var scenario: Scenario

  /// The absolute path of the SQLite file.
  package var store: String

  /// The seed of the blocks and of the resampling; drawn when nil.
  package var seed: UInt64?

  /// Whether a state that the host refuses is left out rather than an error.
  package var leavesOutRefusedStates: Bool

  /// Takes a command as `measure` does; without one, ``usualCommand`` is launched.
  ///
  /// - Parameters:
  ///   - options: Without states, ``usualStates`` are tested.
  ///   - store: The SQLite file; nil means that of the host.
  ///   - seed: Drawn when nil.
  ///   - context: Says where the store of the host is.
  /// - Throws: `ScenarioError` with every problem of the options;
  ///   ``WorkflowError/badOption(name:value:expected:)`` for a finding that doctor does not know.
  package init(
    options: MeasureOptions,
    store: String?,
    seed: UInt64?,
    in context: WorkflowContext
  ) throws {
    var options = options
    leavesOutRefusedStates = options.states.isEmpty
    if options.states.isEmpty { options.states = Self.usualStates.map(\.rawValue) }
    if options.command.isEmpty { options.command = Self.usualCommand }
    var scenario = try ScenarioFile.loadForLaunch(options: options)
    try Preflight.check(scenario.controls?.suppressed ?? [])
    scenario.name = "selftest"
    let names = [SelfTestSummary.baseline, SelfTestSummary.candidate]
    scenario.targets = scenario.targets.flatMap { target in
      names.map { name in
        var target = target
        target.name = name
        return target
      }
    }
    self.scenario = scenario
    self.store = try HostStore.path(store, in: context)
    self.seed = seed
  }

  /// The files of the self-test, for its output to be compared with.
  package var files: CommandFiles { CommandFiles().keeping(store: store).reading(scenario) }

  var command: [String] { scenario.targets.first?.command ?? [] }

  var run: RunRequest {
    RunRequest(
      scenario: scenario,
      store: store,
      seed: seed,
      purpose: .selftest,
      commandLine: ["launchlab", "selftest", "--"] + command
    )
  }
}

/// Compares the self-tests of several hosts, as each exported its own with `--json`.
package struct StabilityWorkflow {
  private let paths: [String]

  /// - Parameter paths: Files that `selftest --json` wrote.
  package init(paths: [String]) { self.paths = paths }

  /// Ranks the hosts, those that launched different commands apart.
  ///
  /// - Throws: ``WorkflowError`` when a file cannot be read, or holds something else.
  package func rankings() throws -> [StabilityRanking] {
    StabilityRanking.rankings(of: try paths.map(host))
  }

  private func host(_ path: String) throws -> HostStability {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw WorkflowError.cannotRead(path, because: error)
    }
    do throws(SelfTestDocument.Problem) {
      return try SelfTestDocument.host(data, name: path)
    } catch {
      throw WorkflowError.notASelfTest(path: path, reason: Self.reason(of: error))
    }
  }

  private static func reason(of problem: SelfTestDocument.Problem) -> String {
    switch problem {
    case .notJSON: "it is no JSON text"
    case .otherKind(nil): "it names no schema"
    case .otherKind(let schema?): "its schema is \"\(schema)\", not \"\(SelfTestDocument.schema)\""
    case .damaged(let reason): reason
    }
  }
}
