import Foundation
package import LaunchCore
import LaunchStatistics
package import Rendering

/// The result of a run as JSON, of schema `launchlab.run/1`.
///
/// Keys come in a fixed order, and the same result gives the same bytes. `docs/json.md` tells what
/// each field means.
package struct RunJSON: JSONDocument {
  private let summary: RunSummary

  /// What is said beside the launches, such as the verdicts of a night.
  private let further: [(name: String, value: JSONValue)]

  /// - Parameter summary: What is concluded from the launches.
  package init(_ summary: RunSummary) { self.init(summary, with: []) }

  package init(_ summary: RunSummary, with further: [(name: String, value: JSONValue)]) {
    self.summary = summary
    self.further = further
  }

  package var value: JSONValue {
    let members: [(name: String, value: JSONValue)] =
      [
        ("schema", "launchlab.run/1"),
        ("run", run),
        ("arms", .array(summary.arms.map { ArmJSON($0, tolerated: tolerated).value })),
      ] + further
      + [("warnings", .array(summary.warnings.map(JSONValue.init(diagnostic:))))]
    return .object(members)
  }

  private var run: JSONValue {
    let run = summary.run
    return [
      "id": .string(run.id),
      "scenario": .string(run.plan.scenario.name),
      "name": .string(summary.name),
      "started_at": .string(run.startedAt.formatted(.iso8601)),
      "finished_at": JSONValue(run.finishedAt?.formatted(.iso8601)),
      "status": .string(run.status.rawValue),
      "tool": .string(run.tool),
      "seed": .unsigned(run.plan.seed),
      "blocks": JSONValue(run.plan.blockCount),
      "planned_launches": JSONValue(run.plan.launchCount),
      "looks": .integers(run.plan.looks.map { Int64($0) }),
      "targets": .array(run.plan.scenario.targets.map(target)),
      "build": run.build.map(build) ?? nil,
      "host": JSONValue(host: run.host),
      "controls": .array(run.controls.map(control)),
      "disturbed_share": .number(summary.doubtfulShare),
      "disturbed_limit": JSONValue(tolerated),
    ]
  }

  /// The share that may be disturbed; nil where that is not watched.
  private var tolerated: Double? { summary.run.plan.tolerableShare }

  private func target(_ target: Target) -> JSONValue {
    [
      "name": .string(target.name),
      "command": .array(target.command.map(JSONValue.string)),
      "directory": .string(target.directory),
      "ready": .string(target.ready.description),
      "timeout_ns": .integer(target.timeout.count),
    ]
  }

  private func build(_ build: BuildRecord) -> JSONValue {
    [
      "commit": .string(build.commit),
      "subject": .string(build.subject),
      "tree": .string(build.tree),
      "was_cached": .bool(build.wasCached),
      "missing_submodules": .array(
        (build.missingSubmodules ?? []).map { missing in
          [
            "path": .string(missing.path), "commit": .string(missing.commit),
            "reason": .string(missing.reason),
          ]
        }
      ),
    ]
  }

  private func control(_ receipt: ControlReceipt) -> JSONValue {
    [
      "name": .string(receipt.name),
      "wanted": JSONValue(receipt.wanted),
      "before": JSONValue(receipt.before),
      "after": JSONValue(receipt.after),
      "status": .string(receipt.status.rawValue),
      "reason": JSONValue(receipt.reason),
    ]
  }
}

/// The result of a run in the export format of hyperfine, so that its plot scripts work.
///
/// There is one result per arm that has a time. Times are in seconds. The command carries the state
/// as a shell comment, because scripts take the command for the label of a result.
package struct HyperfineJSON: JSONDocument {
  private let summary: RunSummary

  package init(_ summary: RunSummary) { self.summary = summary }

  package var value: JSONValue {
    let results = summary.arms.filter { $0.arm.kind == .plain }.compactMap(result)
    return ["results": .array(results)]
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
    summary.run.plan.scenario.readiness(of: arm.target) == .exit
      ? .integers(Array(repeating: 0, count: count))
      : .array(Array(repeating: .null, count: count))
  }

  private func parameters(of arm: Arm) -> JSONValue {
    ["target": .string(arm.target), "state": .string(arm.state.rawValue)]
  }
}

extension JSONValue {
  /// The facts of a host; null where a fact is not known.
  package init(host: HostFacts) {
    self = [
      "name": JSONValue(host.name),
      "identity": JSONValue(host.identity),
      "fingerprint": .string(host.fingerprint),
      "cpu_model": JSONValue(host.cpuModel),
      "cpu_count": JSONValue(host.cpuCount),
      "memory_bytes": JSONValue(host.memoryBytes),
      "architecture": .string(host.architecture),
      "kernel": .string(host.kernel),
      "kernel_build": JSONValue(host.kernelBuild),
      "libc": JSONValue(host.libc),
      "microcode": JSONValue(host.microcode),
      "governor": JSONValue(host.governor),
      "file_system": JSONValue(host.fileSystem),
      "device": JSONValue(host.device),
      "storage": JSONValue(host.storage),
      "read_ahead_kilobytes": JSONValue(host.readAheadKilobytes),
      "io_scheduler": JSONValue(host.ioScheduler),
      "proactive_reclaim": JSONValue(host.proactiveReclaim),
      "virtualization": JSONValue(host.virtualization),
    ]
  }
}
