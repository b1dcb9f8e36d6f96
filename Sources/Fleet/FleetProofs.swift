import FleetEngines
import Foundation
package import History
package import LaunchCore
import LaunchDepot
import LaunchHost
import Measuring
import Rendering

// What the hosts suspect together is settled by some of them.

extension FleetRun {
  /// Has the steadiest hosts launch the last good build beside tonight's, where all of them suspect a change
  /// together, and waits for it.
  ///
  /// Each host is asked once. What cannot be proved stays a suspicion.
  ///
  /// - Parameters:
  ///   - report: What the hosts came to.
  ///   - tell: Told what is waited for, and what failed.
  /// - Returns: Whether anything was asked for, so that the report is another one now.
  /// - Throws: As ``measure(_:)``.
  package func prove(
    _ report: FleetReport,
    _ tell: (_ line: String, [Diagnostic]) -> Void
  ) async throws -> Bool {
    let known = try await engine.hosts()
    let works = report.parts.flatMap { part in
      part.summary.wantedProofs.filter { $0.night == label }.flatMap { proof in
        proof.plan.shares.compactMap { share in
          part.summary.fleetName(of: share.host).map { work(for: $0, share.pairs, of: proof) }
        }
      }
    }.filter { work in known.contains { $0.name == work.host && $0.obstacle == nil } }
    guard !works.isEmpty else { return false }
    let hosts = Dictionary(works.map { ($0.name, $0.host) }) { first, _ in first }
    let before = context.now()
    let queued = Set(try await engine.jobs().map(\.name))
    for work in works where !queued.contains(work.name) {
      do {
        try await engine.submit(work)
      } catch let error as FleetEngineError {
        tell("", error.diagnostics)
      }
    }
    var failures = 0
    while true {
      try await rest()
      do {
        let jobs = try await engine.jobs().filter { hosts[$0.name] != nil }
        if jobs.isEmpty { break }
        let away = try await engine.hosts().filter { $0.obstacle != nil }.map(\.name)
        try await engine.cancel(
          jobs.filter { job in
            let limit = Self.proofLimit + FleetTurn.grace
            return job.running.map { $0 > limit } ?? away.contains(hosts[job.name] ?? "")
          }
        )
        tell("proofs on \(jobs.count) of \(Quantity.count(works.count, "host")) go on", [])
        failures = 0
      } catch let error as FleetEngineError {
        failures += 1
        guard failures < Self.mostFailures else { throw error }
        tell("", error.diagnostics)
      }
    }
    let problems = try await depot.night(label).problems
      .filter { $0.receivedAt >= before && hosts.values.contains($0.host) }
    tell(
      "",
      problems.map { Diagnostic(.warning, id: "no-proof", problem: "\($0.host): \($0.problem)") }
    )
    return true
  }

  /// Keeps the hosts from further jobs that are quarantined, where the fleet wants that.
  ///
  /// - Parameter report: What the hosts came to.
  /// - Returns: A note for each host that was drained now, or an error why it was not.
  /// - Throws: As ``status()``.
  package func drain(_ report: FleetReport) async throws -> [Diagnostic] {
    guard plan.drains else { return [] }
    let working = try await engine.hosts().filter { $0.obstacle == nil }.map(\.name)
    var notes: [Diagnostic] = []
    for (host, nights) in report.parts.map(\.summary).dispensable(of: working) {
      let reason = "launchlab: differs from the other hosts on \(nights.joined(separator: ", "))"
      do {
        try await engine.drain(host, because: reason)
        notes.append(
          Diagnostic(
            .note,
            id: "drained",
            problem: "\(host) takes no further job: it differs from the other hosts",
            remedy: "find out why, then bring it back as docs/how-to/fleet.md says"
          )
        )
      } catch let error as FleetEngineError {
        notes += error.diagnostics
      }
    }
    return notes
  }

  /// How long the proof of a host may take, with builds.
  private static var proofLimit: Duration { .seconds(3600) }

  private func work(for host: String, _ pairs: Int, of proof: WantedProof) -> FleetWork {
    let series = proof.series.map { "\($0.target):\($0.state.rawValue):\($0.metric.rawValue)" }
    let scenario = proof.series[0].scenario
    let word = proof.direction == .worse ? "regression" : "improvement"
    return work(
      named: "launchlab:\(plan.name):\(label):\(host):\(scenario):\(word)",
      for: host,
      ["fleet", "prove"],
      [
        "--scenario", scenario, "--series", series.joined(separator: ","), "--pairs",
        "\(pairs)", "--last-good", proof.lastGood,
      ],
      limit: Self.proofLimit
    )
  }
}

extension SlotWorkflow {
  /// What the head asks of this host beside its own night.
  package struct Proof: Sendable {
    /// The name of the scenario.
    package var scenario: String

    /// Such as `app:warm:launch`, joined by commas.
    package var series: String

    package var pairs: Int

    /// The label of the last night that the hosts together had the old level.
    package var lastGood: String?

    package init(scenario: String, series: String, pairs: Int, lastGood: String?) {
      self.scenario = scenario
      self.series = series
      self.pairs = pairs
      self.lastGood = lastGood
    }

    fileprivate var keys: [SeriesKey] {
      series.split(separator: ",").compactMap { text in
        let words = text.split(separator: ":").map(String.init)
        guard words.count == 3, let state = LaunchState(rawValue: words[1]),
          let metric = Metric(rawValue: words[2])
        else { return nil }
        return SeriesKey(
          scenario: scenario,
          target: words[0],
          state: state,
          metric: metric,
          fingerprint: ""
        )
      }
    }
  }

  /// Launches the last good build beside that of the night, and pushes what it came to.
  ///
  /// - Parameters:
  ///   - proof: What is in doubt.
  ///   - tell: Told what goes wrong.
  /// - Returns: 0 when the depot has the proof.
  package func prove(_ proof: Proof, _ tell: ([Diagnostic]) -> Void) async -> LabExitCode {
    do {
      try checkFiles()
      let requests = try requests()
      guard let request = requests.first(where: { $0.scenario.name == proof.scenario }) else {
        throw FleetError.notProved(scenario: proof.scenario, reason: "this fleet does not run it")
      }
      let wanted = HostProofRequest(
        slot: slot,
        series: proof.keys,
        pairs: proof.pairs,
        lastGood: proof.lastGood
      )
      switch try await HostProofWorkflow(request, of: wanted, in: context).run() {
      case .proved, .stored: try await push(tell)
      case .interrupted: return .interrupted
      case .sameBuild:
        let reason = "its nights before have the same build"
        throw FleetError.notProved(scenario: proof.scenario, reason: reason)
      case .impossible(let reason):
        throw FleetError.notProved(scenario: proof.scenario, reason: reason)
      }
      return .done
    } catch {
      return await told(error, scenario: proof.scenario, tell)
    }
  }
}
