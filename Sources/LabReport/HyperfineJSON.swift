package import LabAnalysis
import LabModel
import LabStatistics

/// The result of a run in the export format of hyperfine, so that its plot scripts work.
///
/// There is one result per arm that has a time. Times are in seconds. The command carries the state
/// as a shell comment, because scripts take the command for the label of a result.
package struct HyperfineJSON {
  private let summary: RunSummary

  package init(_ summary: RunSummary) { self.summary = summary }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let results = summary.arms.filter { $0.arm.kind == .plain }.compactMap(result)
    try JSONText.write(["results": .array(results)], .indented, to: sink)
  }

  private func result(_ arm: ArmSummary) -> JSONValue? {
    guard let launch = arm.summary(of: .launch) else { return nil }
    let estimates = launch.estimates
    var members: [(name: String, value: JSONValue)] = [
      (name: "command", value: .string(command(of: arm.arm))),
      (name: "mean", value: .number(estimates.mean / 1e9)),
      (name: "stddev", value: JSONValue(estimates.standardDeviation.map { $0 / 1e9 })),
      (name: "median", value: .number(estimates.median / 1e9)),
      (name: "user", value: mean(of: .userTime, in: arm)),
      (name: "system", value: mean(of: .systemTime, in: arm)),
      (name: "min", value: .number(estimates.minimum / 1e9)),
      (name: "max", value: .number(estimates.maximum / 1e9)),
      (name: "times", value: .array(launch.values.map { .number(Double($0) / 1e9) })),
    ]
    // The arrays of a result belong together launch by launch, so an incomplete one is left out.
    if let memory = arm.summary(of: .peakRSS)?.values, memory.count == launch.values.count {
      members.append((name: "memory_usage_byte", value: .integers(memory)))
    }
    members.append((name: "exit_codes", value: exitCodes(of: arm.arm, count: launch.values.count)))
    members.append((name: "parameters", value: parameters(of: arm.arm)))
    return .object(members)
  }

  private func target(of arm: Arm) -> Target? {
    summary.run.plan.scenario.targets.first { $0.name == arm.target }
  }

  private func command(of arm: Arm) -> String {
    let command = target(of: arm).map { ShellQuoting.text($0.command) } ?? arm.target
    return "\(command) # \(arm.state.rawValue)"
  }

  private func mean(of metric: Metric, in arm: ArmSummary) -> JSONValue {
    JSONValue(arm.summary(of: metric).map { $0.estimates.mean / 1e9 })
  }

  /// A launch that counts has exited with status 0, or was ready and stopped by launchlab.
  private func exitCodes(of arm: Arm, count: Int) -> JSONValue {
    let exits = (target(of: arm)?.ready ?? .exit) == .exit
    return exits
      ? .integers(Array(repeating: 0, count: count))
      : .array(Array(repeating: .null, count: count))
  }

  private func parameters(of arm: Arm) -> JSONValue {
    ["target": .string(arm.target), "state": .string(arm.state.rawValue)]
  }
}
