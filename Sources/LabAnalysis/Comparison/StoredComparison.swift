package import LabModel

/// What is concluded from two stored runs.
package struct StoredComparison: Hashable, Sendable {
  package var baseline: RunRecord
  package var candidate: RunRecord

  /// By target and state in the order of the baseline, then by metric as they were asked for.
  package var arms: [RunsComparison]

  /// What a reader must know, the gravest first.
  package var warnings: [Diagnostic]

  package init(
    baseline: RunRecord,
    candidate: RunRecord,
    arms: [RunsComparison],
    warnings: [Diagnostic]
  ) {
    self.baseline = baseline
    self.candidate = candidate
    self.arms = arms
    self.warnings = warnings
  }

  /// The same as every comparison is shown.
  package var findings: [ComparisonFinding] { arms.map(\.finding) }

  /// That of the deciding arm: a regression before inconclusive before an improvement before same.
  package var verdict: Verdict { findings.verdict }

  package var exitCode: LabExitCode { verdict.exitCode }
}

/// What two stored runs have in common, and what not.
package struct RunLikeness {
  private let baseline: RunRecord
  private let candidate: RunRecord

  package init(_ baseline: RunRecord, _ candidate: RunRecord) {
    self.baseline = baseline
    self.candidate = candidate
  }

  /// What forbids every verdict on the two runs; nil when nothing does.
  package var obstacle: PairedComparison.Doubt? {
    if baseline.host.fingerprint != candidate.host.fingerprint { return .differentHosts }
    return differentControls.isEmpty ? nil : .differentControls
  }

  /// What a reader must know before believing a comparison of the two, the gravest first.
  package var warnings: [Diagnostic] {
    [hosts, controls, reclaim, status].compactMap(\.self)
  }

  private var hosts: Diagnostic? {
    guard baseline.host.fingerprint != candidate.host.fingerprint else { return nil }
    return Diagnostic(
      .warning,
      id: "different-hosts",
      problem: "the runs were made on different hosts: \(differentFacts)",
      place: place,
      remedy: Self.remedy
    )
  }

  private var controls: Diagnostic? {
    let names = differentControls
    guard !names.isEmpty else { return nil }
    return Diagnostic(
      .warning,
      id: "different-controls",
      problem:
        "the runs had different controls: \(names.joined(separator: ", "))",
      place: place,
      remedy: Self.remedy
    )
  }

  private var reclaim: Diagnostic? {
    guard baseline.host.proactiveReclaim != candidate.host.proactiveReclaim else { return nil }
    let agents = [baseline, candidate].map { $0.host.proactiveReclaim ?? "nothing" }
    return Diagnostic(
      .warning,
      id: "different-reclaim",
      problem: "idle pages were dropped by \(agents[0]) in the one run and by \(agents[1]) in the "
        + "other, which moves warm launches",
      place: place,
      remedy: Self.remedy
    )
  }

  private var status: Diagnostic? {
    let runs = [baseline, candidate].filter { $0.status != .complete }
    guard !runs.isEmpty else { return nil }
    let names = runs.map { "\($0.id) is \($0.status.rawValue)" }
    return Diagnostic(
      .warning,
      id: "incomplete-run",
      problem: "not every block was launched: \(names.joined(separator: ", "))",
      remedy: "compare complete runs, as `launchlab history` lists them"
    )
  }

  private var place: String { "\(baseline.id), \(candidate.id)" }

  private static let remedy =
    "compare the two programs interleaved, with `launchlab compare \"CMD A\" \"CMD B\"` or "
    + "`launchlab compare --revisions A..B scenario.yml`"

  /// The facts that are not the same, such as `kernel 6.1 and 6.18`.
  private var differentFacts: String {
    let facts: [(String, (HostFacts) -> String?)] = [
      ("cpu", \.cpuModel), ("cpus", { $0.cpuCount.map(String.init) }),
      ("memory", { $0.memoryBytes.map(String.init) }), ("architecture", \.architecture),
      ("kernel", \.kernel), ("libc", \.libc), ("microcode", \.microcode),
      ("governor", \.governor), ("file system", \.fileSystem), ("storage", \.storage),
      ("read-ahead", { $0.readAheadKilobytes.map(String.init) }),
      ("I/O scheduler", \.ioScheduler), ("proactive reclaim", \.proactiveReclaim),
      ("virtualization", \.virtualization),
    ]
    let different = facts.compactMap { name, fact -> String? in
      let values = [fact(baseline.host), fact(candidate.host)]
      guard values[0] != values[1] else { return nil }
      return "\(name) \(values[0] ?? "unknown") and \(values[1] ?? "unknown")"
    }
    return different.isEmpty ? "their fingerprints differ" : different.joined(separator: "; ")
  }

  /// The controls that were in force in one of the two only, or otherwise, in the order of both.
  private var differentControls: [String] {
    let first = inForce(baseline)
    let second = inForce(candidate)
    return ControlName.allCases.map(\.rawValue).filter { first[$0] != second[$0] }
  }

  /// What was applied, by control.
  private func inForce(_ run: RunRecord) -> [String: String] {
    run.controls.reduce(into: [:]) { applied, receipt in
      guard receipt.status == .applied else { return }
      applied[receipt.name] = receipt.wanted ?? receipt.after ?? ""
    }
  }
}
