import Comparison
import Foundation
package import LaunchCore
import LaunchStore
package import Measuring

/// What the head of a fleet asks of one host: its part of a proof.
package struct HostProofRequest: Hashable, Sendable {
  /// The night whose build is in doubt.
  package var slot: FleetSlot

  /// The series in doubt; of the keys only target, state and metric count.
  package var series: [SeriesKey]

  /// How many pairs are launched.
  package var pairs: Int

  /// The label of the last night that the hosts together had the old level; nil for the one before.
  package var lastGood: String?

  package init(slot: FleetSlot, series: [SeriesKey], pairs: Int, lastGood: String? = nil) {
    self.slot = slot
    self.series = series
    self.pairs = pairs
    self.lastGood = lastGood
  }
}

/// Launches the last good build beside that of a night, because the head of a fleet has asked for it.
///
/// The run is stored as a proof of the same slot, and the next push sends it. The head may ask twice: a proof
/// that is stored is not made again.
package struct HostProofWorkflow {
  private let request: RunRequest
  private let wanted: HostProofRequest
  private let context: WorkflowContext

  /// - Parameters:
  ///   - request: The scenario, as for a night.
  ///   - wanted: What is in doubt, of which night.
  ///   - context: Where it is launched.
  package init(_ request: RunRequest, of wanted: HostProofRequest, in context: WorkflowContext) {
    self.request = request
    self.wanted = wanted
    self.context = context
  }

  /// What became of it.
  package enum Outcome: Hashable, Sendable {
    /// The id of the run that was made.
    case proved(run: String)

    /// The id of the run that was there already.
    case stored(run: String)

    /// The nights before have the build of this one, so that nothing was launched.
    case sameBuild

    /// Why there is none, as a sentence without a full stop.
    case impossible(reason: String)

    /// A signal asked to stop.
    case interrupted
  }

  /// Launches, unless it is done already.
  ///
  /// - Returns: What became of it; launches that fail are a reason.
  /// - Throws: `StoreError`.
  package func run() async throws -> Outcome {
    let store = try Store.writable(at: request.store)
    if let run = try finished(in: store) { return .stored(run: run) }
    let nights = try store.nights(scenario: request.scenario.name)
      .filter { $0.status == .complete }
    guard let tonight = nights.last(where: { $0.slot == wanted.slot }) else {
      return .impossible(
        reason: "host \(wanted.slot.host) has no complete night \(wanted.slot.night)"
      )
    }
    let earlier = earlier(than: tonight, among: nights)
    guard !earlier.isEmpty else {
      return .impossible(reason: "there is no earlier night to compare run \(tonight.run) with")
    }
    let targets = Set(wanted.series.map(\.target))
    let good = earlier.suffix(FleetLimits.nightsOfBuild).last { night in
      !targets.allSatisfy { night.isSameBuild(as: tonight, of: $0) }
    }
    guard let good else { return .sameBuild }
    let run = try store.run(tonight.run)
    let result = await ProofWorkflow(
      request: request,
      run: run,
      night: tonight,
      context: context,
      pairCount: wanted.pairs
    ).result(of: ProofRequest(good: good, series: wanted.series, kind: .step))
    if result.isInterrupted { return .interrupted }
    switch result.outcome.answer {
    case .compared(let proofs):
      // All of them are of one run.
      return proofs.values.first.map { .proved(run: $0.run) } ?? .sameBuild
    case .sameBuild: return .sameBuild
    case .impossible(let reason): return .impossible(reason: reason)
    }
  }

  /// The complete nights of this host that may have the old level, ascending.
  private func earlier(than tonight: Night, among nights: [Night]) -> [Night] {
    nights.prefix { $0.run != tonight.run }.filter { night in
      let label = night.slot?.night ?? night.startedAt.utcDay
      return !tonight.isOnOtherHost(than: night) && wanted.lastGood.map { label <= $0 } ?? true
    }
  }

  /// The proof of the slot that has what is wanted, for the next push to send it.
  private func finished(in store: Store) throws -> String? {
    let proofs = try store.proofs(
      of: request.scenario.name,
      nights: wanted.slot.night...wanted.slot.night
    )
    .map(StoredProof.init)
    guard
      let proof = proofs.first(where: { $0.run.slot == wanted.slot && $0.covers(wanted.series) })
    else { return nil }
    let listing = try store.runs(scenario: request.scenario.name).first { $0.id == proof.run.id }
    if listing?.outcome == nil {
      // It was complete when it was killed, before its outcome was stored.
      let summary = try proof.summary(in: store)
      let code = Int(summary.exitCode.rawValue)
      try store.save(
        RunOutcome(verdict: summary.verdict.rawValue, exitCode: code),
        of: proof.run.id
      )
    }
    return proof.run.id
  }
}
