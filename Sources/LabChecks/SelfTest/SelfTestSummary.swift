package import Comparison
package import LaunchCore
package import Measuring

/// What a self-test concludes: how much the launches of one program differ from themselves.
package struct SelfTestSummary: Hashable, Sendable {
  /// The names of the two targets, which are the same program.
  package static let baseline = "A"
  package static let candidate = "B"

  package var run: RunSummary

  package var command: [String]

  package var rule: ComparisonRule

  /// In the order of the run's states.
  package var states: [StateNoise]

  /// The states that nothing can be said of, and why.
  package var missing: [MissingState]

  /// Concludes from the launches of a run with the targets A and B.
  ///
  /// - Parameters:
  ///   - run: What is concluded from the launches of each arm.
  ///   - pairs: The launches of A and B.
  ///   - command: What was launched.
  ///   - refused: The states that the host cannot bring about.
  ///   - rule: When A and B are called different.
  package init(
    run: RunSummary,
    pairs: LaunchPairs,
    command: [String],
    refused: [MissingState] = [],
    rule: ComparisonRule = ComparisonRule()
  ) {
    self.run = run
    self.command = command
    self.rule = rule
    states = []
    missing = refused
    for state in run.run.plan.scenario.states {
      let noise = StateNoise(
        of: state,
        pairs: pairs,
        run: run.run,
        command: command,
        rule: rule
      )
      if let noise {
        states.append(noise)
      } else {
        let count = pairs.pairs(in: state).count
        missing.append(
          MissingState(
            state: state,
            reason: "\(count == 1 ? "1 pair of launches is" : "\(count) pairs of launches are") "
              + "too few to compare",
            isRefused: false
          )
        )
      }
    }
  }

  /// What is kept of the host.
  package var noise: [HostNoise] { states.map(\.noise) }

  /// The states in which the program was called different from itself.
  package var deceptive: [StateNoise] { states.filter(\.comparison.isDifference) }

  /// The exit code that the self-test ends with: inconclusive when the host deceives, or when a state
  /// that it can bring about gave too few pairs.
  package var exitCode: LabExitCode {
    let isDoubtful = !deceptive.isEmpty || states.isEmpty || missing.contains { !$0.isRefused }
    return max(run.exitCode, isDoubtful ? .inconclusive : .done)
  }
}

/// A state that a self-test says nothing of.
package struct MissingState: Hashable, Sendable {
  package var state: LaunchState

  /// A sentence without a full stop.
  package var reason: String

  /// Whether the host cannot bring it about, so that nothing was launched.
  package var isRefused: Bool

  package init(state: LaunchState, reason: String, isRefused: Bool = true) {
    self.state = state
    self.reason = reason
    self.isRefused = isRefused
  }
}
