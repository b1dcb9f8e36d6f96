import Comparison
import Explanation
import Foundation
import LaunchCore
import LaunchHost
import LaunchStore
import Measuring

/// Says why launches are slower, of the regressions that a night has confirmed.
///
/// The last good build and tonight's are launched once more, and traced. Nothing that the night came to
/// depends on it.
struct NightExplanation {
  /// How builds of former nights are found; its night is tonight.
  let proof: ProofWorkflow

  let store: Store
  let rights: (String) throws(HostError) -> TracingRights

  private var wish: AutomaticExplanation { proof.request.scenario.explanationRule }

  /// Explains one alert after the other, within the time that the scenario gives for all of them, and
  /// stores what is found.
  ///
  /// - Parameters:
  ///   - alerts: Those of the scenario after the night.
  ///   - nights: Those of the scenario.
  /// - Returns: Why alerts are not explained.
  func explain(_ alerts: [Alert], nights: [Night]) async -> [Diagnostic] {
    guard wish.when == .regression else { return [] }
    let end = proof.context.now().addingTimeInterval(Double(wish.time.count) / 1e9)
    var notes: [Diagnostic] = []
    for alert in alerts where alert.isRegression(confirmedSince: proof.run.startedAt) {
      guard alert.series.metric.ofLaunches == .launch else { continue }
      do {
        let kept = try await explanation(
          of: alert,
          good: AlertRange(alert, nights: nights).good.night,
          within: {
            Nanoseconds(Int64(clamping: max(0, end.timeIntervalSince(proof.context.now())) * 1e9))
          }
        )
        let explanation = kept.explanation(by: proof.run.id)
        try store.explain(alert: alert.number, by: explanation, kept.documents)
      } catch {
        notes.append(.notExplained(alert.id, because: error))
        if (error as? any LabError)?.exitCode == .interrupted { break }
      }
    }
    return notes
  }

  private func explanation(
    of alert: Alert,
    good: Night?,
    within left: () -> Nanoseconds
  ) async throws -> KeptExplanation {
    let isOfSlowLaunches = alert.series.metric == .slowShare
    // The levels of slow launches are shares.
    let seconds = isOfSlowLaunches ? 0 : max(alert.before, alert.after) / 1e9
    if let obstacle = ExplainRequest.obstacle(launchSeconds: seconds, timeLimit: left()) {
      throw Obstacle.noTime(obstacle)
    }
    guard let good else { throw Obstacle.gone("no night of before is stored") }
    let doubt = ProofRequest(good: good, series: [alert.series], kind: alert.kind)
    switch try await proof.found(for: doubt) {
    case .same: throw Obstacle.same
    case .impossible(let reason): throw Obstacle.gone(reason)
    case .builds(let builds):
      proof.context.observe(.explaining(alert: alert.id, good: builds.good, bad: builds.bad))
      var scenario = proof.comparison(of: builds, for: doubt).scenario
      scenario.adaptive = nil
      var request = ExplainRequest(
        scenario: scenario,
        state: alert.series.state,
        launches: ExplainRequest.mostLaunches,
        timeLimit: left(),
        seed: proof.request.seed,
        commandLine: proof.request.commandLine
      )
      if isOfSlowLaunches { request.explainSlow() }
      let result = try await ExplainWorkflow(request, in: proof.context, rights: rights).run()
      guard result.explanation.difference.traced.difference > .zero,
        let kept = KeptExplanation(result)
      else { throw Obstacle.noDifference }
      return kept
    }
  }

  /// Why an alert is not explained.
  private enum Obstacle: LabError {
    case noTime(String)
    case gone(String)
    case same
    case noDifference

    var diagnostics: [Diagnostic] {
      let (problem, remedy): (String, String?) =
        switch self {
        case .noTime(let reason):
          (reason, "allow more time, such as `explain: {when: regression, time: 10m}`")
        case .gone(let reason):
          (
            reason,
            "keep programs of more nights with `artifacts`, or have them built from a `source`"
          )
        case .same: ("the last good build is the same as tonight's", nil)
        case .noDifference: ("launches are not slower when they are traced", nil)
        }
      return [Diagnostic(.note, id: "not-explained", problem: problem, remedy: remedy)]
    }

    var exitCode: LabExitCode { .inconclusive }
  }
}
