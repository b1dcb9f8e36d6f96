import Foundation
import LaunchCore
import LaunchStore
import Measuring

/// An imported night as a run that can be stored: with a plan, launches and summaries.
struct ImportedRun {
  private let night: ImportedNight
  private let plan: Plan

  init(_ night: ImportedNight, scenario: String, directory: String) {
    self.night = night
    var targets: [Target] = []
    for arm in night.arms where !targets.contains(where: { $0.name == arm.target }) {
      targets.append(Target(name: arm.target, command: arm.command, directory: directory))
    }
    let states = LaunchState.allCases.filter { state in night.arms.contains { $0.state == state } }
    let launches = night.arms.map(\.launches).max() ?? 1
    plan = Plan(
      scenario: Scenario(
        name: scenario,
        targets: targets,
        states: states,
        launches: launches,
        directory: directory
      ),
      seed: 0,
      arms: night.arms.map { Arm(target: $0.target, state: $0.state) },
      blockCount: launches
    )
  }

  /// The run with everything that is stored of it.
  ///
  /// - Parameter isTaken: Whether a run has that id already.
  /// - Returns: A complete run for the purpose `imported`.
  func finished(isTaken: (String) throws -> Bool) rethrows -> FinishedRun {
    var salt = Self.digest(of: night, in: plan.scenario.name)
    while try isTaken(RunID.make(at: night.startedAt, salt: salt)) { salt &+= 1 }
    let run = record(id: RunID.make(at: night.startedAt, salt: salt))
    let launches = launches
    var accumulator = RunAccumulator(plan: plan)
    for launch in launches { accumulator.add(launch) }
    let summary = accumulator.summary(of: run)
    return FinishedRun(run: run, launches: launches, summaries: MetricRow.rows(of: summary))
  }

  private func record(id: String) -> RunRecord {
    RunRecord(
      id: id,
      startedAt: night.startedAt,
      finishedAt: night.startedAt,
      status: .complete,
      purpose: .imported,
      plan: plan,
      host: HostFacts(
        architecture: "unknown",
        kernel: "unknown",
        fingerprint: night.host
      ),
      build: night.commit.map { commit in
        // Nothing is known of the tree, so each commit counts as a build of its own.
        BuildRecord(commit: commit, subject: "", tree: commit, directory: "", wasCached: false)
      },
      tool: LaunchlabVersion.current
    )
  }

  /// Block by block, as if the arms had been launched in turn.
  private var launches: [LaunchRecord] {
    var launches: [LaunchRecord] = []
    var clock = Nanoseconds.zero
    for block in 0..<plan.blockCount {
      for (number, arm) in night.arms.enumerated() where block < arm.launches {
        let result = result(of: arm, at: block)
        launches.append(
          LaunchRecord(
            block: block,
            position: number,
            arm: number,
            startedAt: clock,
            preparation: Preparation(),
            result: result,
            stateReached: .reached
          )
        )
        clock = Nanoseconds(clock.count &+ (result.launch?.count ?? 0))
      }
    }
    return launches
  }

  private func result(of arm: ImportedArm, at index: Int) -> LaunchResult {
    var result = LaunchResult(outcome: .ready)
    for (metric, values) in arm.values where index < values.count {
      result.set(values[index], of: metric)
    }
    return result
  }

  /// A number from what tells runs of one time apart, the same on every machine (FNV-1a).
  private static func digest(of night: ImportedNight, in scenario: String) -> UInt64 {
    let parts =
      [scenario, night.host, night.commit ?? ""]
      + night.arms.flatMap { [$0.target, $0.state.rawValue] }
    return parts.joined(separator: "\n").utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
  }
}
