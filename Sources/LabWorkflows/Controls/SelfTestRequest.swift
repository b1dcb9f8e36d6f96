import Foundation
import LabAnalysis
package import LabModel
import LabScenarios

/// What a self-test is asked to do.
package struct SelfTestRequest: Sendable {
  /// A program that is on every machine, and that rarely runs, so that its pages can be evicted.
  package static let usualCommand = ["true"]

  /// The states that are tested where none is named, as far as the host can bring them about.
  package static let usualStates: [LaunchState] = [.rebootCold, .reinstallCold, .warm]

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
  /// - Throws: `ScenarioError` with every problem of the options;
  ///   ``WorkflowError/badOption(name:value:expected:)`` for a finding that doctor does not know.
  package init(options: MeasureOptions, store: String?, seed: UInt64?) throws {
    var options = options
    leavesOutRefusedStates = options.states.isEmpty
    if options.states.isEmpty { options.states = Self.usualStates.map(\.rawValue) }
    if options.command.isEmpty { options.command = Self.usualCommand }
    var scenario = try ScenarioFile.loadForLaunch(options: options)
    try DoctorWorkflow.check(scenario.controls?.suppressed ?? [])
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
    self.store = try HostStore.path(store, environment: ProcessInfo.processInfo.environment)
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
