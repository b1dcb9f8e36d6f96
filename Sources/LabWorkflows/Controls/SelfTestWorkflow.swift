package import LabAnalysis
import LabHost
import LabModel
import LabStore

/// Launches a program as A and as B in the same blocks, and concludes how noisy the host is.
///
/// It goes the way of every run, so that it measures what other runs meet: the same plan, launches,
/// controls and store.
package struct SelfTestWorkflow {
  private let request: SelfTestRequest

  package init(request: SelfTestRequest) { self.request = request }

  /// Launches, concludes, and keeps the noise of the host in its store.
  ///
  /// - Parameter observe: Told what goes on, between launches only.
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when nothing could be measured.
  package func run(_ observe: @escaping (RunEvent) -> Void) async throws -> SelfTestSummary {
    var request = request
    var refused: [MissingState] = []
    while true {
      do {
        let run = try await RunWorkflow(request: request.run).run(observe)
        return try concluded(run, refused: refused)
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
    refused: [MissingState]
  ) throws -> SelfTestSummary {
    let store = try StoreFile(request.store).opened {
      try Store(path: request.store, mode: .readWrite)
    }
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
