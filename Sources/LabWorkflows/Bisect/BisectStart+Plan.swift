import LabHost
import LabModel

extension BisectStart {
  /// What a laboratory has to know of the builds that are launched side by side.
  ///
  /// Each build is a target of its own, named by the index of its revision, with the state and the
  /// controls of the scenario.
  ///
  /// A launch depends on more than the code: on the length of the paths that it sees, since they lie
  /// on the stack, and on where memory begins. Each arm has a HOME whose path is as long as the
  /// others'. Padding of the environment and random addresses, where the scenario has them, make
  /// what remains of the paths of builds differ from launch to launch instead of from build to
  /// build. What is counted gets neither: there the few instructions that handle a longer path
  /// remain (some 0.02 % of those of `git --version`), unless builds lie in directories of equal
  /// length.
  ///
  /// - Parameters:
  ///   - arms: The builds by the index of their revision, in the order of the action.
  ///   - rows: How many launches each of them gets.
  ///   - seed: For the padding of environments.
  ///   - valgrind: What counts, if it is valgrind.
  /// - Returns: A plan whose arms are in the same order.
  func plan(
    of arms: [(revision: Int, target: Target)],
    rows: Int,
    seed: UInt64,
    valgrind: ValgrindCount? = nil
  ) -> Plan {
    let targets = arms.map { arm in
      var target = valgrind?.counting(arm.target) ?? arm.target
      target.name = "\(arm.revision)"
      if isCountedExactly { target.environment.merge(Self.seeds) { own, _ in own } }
      return target
    }
    var scenario = self.scenario.comparing(targets)
    scenario.launches = rows
    scenario.adaptive = nil
    scenario.stages = self.scenario.stages
    scenario.controls = controls
    if case .counter(let event) = measure, counting != .valgrind {
      for index in targets.indices { scenario.targets[index].counters = [event.rawValue] }
    }
    let state = scenario.states.first ?? .warm
    scenario.states = [state]
    return Plan(
      scenario: scenario,
      seed: seed,
      arms: targets.map { Arm(target: $0.name, state: state, kind: kind) },
      blockCount: rows
    )
  }

  /// What the launches of a measure are for.
  private var kind: Arm.Kind {
    switch measure {
    case .metric: .plain
    case .counter: counting == .valgrind ? .plain : .counters
    case .tally(LaunchTally.relocations): .statistics
    case .tally: .probe
    case .stage:
      // A probe that cannot be used is replaced by breakpoints, but those may be asked for, too.
      scenario.stages?.collectors.contains(.breakpoints) == true
        && scenario.stages?.collectors.contains(.probe) == false ? .breakpoints : .probe
    }
  }

  /// What keeps tables of Python and Perl in one order, which is random otherwise.
  ///
  /// Without it launches of either differ by 0.1 to 0.4 % of their instructions, and with it not at
  /// all. What the scenario says comes first.
  private static let seeds = [
    "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0", "PYTHONHASHSEED": "0",
  ]
}
