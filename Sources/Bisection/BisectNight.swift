import Foundation
package import LaunchCore
package import Measuring

/// Bisects the regressions that a night has confirmed, where the scenario wants it.
package struct BisectNight {
  private let request: RunRequest
  private let context: WorkflowContext

  package init(_ request: RunRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// Bisects one alert after the other within the time that the scenario gives for all of them.
  ///
  /// - Parameters:
  ///   - alerts: Those of the scenario after the night.
  ///   - run: The night.
  /// - Returns: A note on each bisection, or a warning why there was none; and whether somebody
  ///   interrupted one.
  package func notes(
    on alerts: [Alert],
    after run: RunRecord
  ) async -> (notes: [Diagnostic], isInterrupted: Bool) {
    guard let wish = request.scenario.bisection else { return ([], false) }
    let deadline = context.now().addingTimeInterval(Double(wish.time.count) / 1e9)
    var notes: [Diagnostic] = []
    let wanted = alerts.filter {
      $0.cause == .code && $0.isRegression(confirmedSince: run.startedAt)
    }
    for alert in wanted {
      let left = deadline.timeIntervalSince(context.now())
      guard left >= 1 else {
        notes.append(Self.failure(of: alert, "the time of `bisect.max_time` is over"))
        continue
      }
      do {
        let summary = try await bisected(alert, seconds: left)
        notes.append(note(on: summary, of: alert))
        if summary.isInterrupted { return (notes, true) }
      } catch {
        let known = (error as? any LabError)?.diagnostics.first?.problem
        notes.append(Self.failure(of: alert, known ?? "\(error)"))
      }
    }
    return (notes, false)
  }

  private func bisected(_ alert: Alert, seconds: Double) async throws -> BisectSummary {
    let wish = request.scenario.bisection ?? AutomaticBisection()
    let scenario = request.commandLine.count == 3 ? request.commandLine[2] : nil
    let options = BisectOptions(
      scenario: scenario,
      launching: MeasureOptions(
        command: [],
        states: [],
        launches: 1,
        directory: context.directory
      ),
      alert: alert.id,
      mostTime: "\(Int(clamping: seconds))s",
      jobs: wish.jobs,
      store: request.store,
      words: ["--alert", alert.id] + (scenario.map { ["--scenario", $0] } ?? [])
    )
    return try await BisectWorkflow(BisectRequest(options, in: context), in: context).run { _ in }
  }

  private func note(on summary: BisectSummary, of alert: Alert) -> Diagnostic {
    let why = summary.explanation.map { "; why: \($0.told.why)" } ?? ""
    return Diagnostic(
      .note,
      id: "bisected",
      problem: "\(alert.id) was bisected: \(summary.headline)\(why)",
      place: LogLocation(.bisection, storeDirectory: request.storeDirectory).report(
        of: summary.start.id
      ),
      remedy: summary.resumption.map { "go on with `\($0)`" }
    )
  }

  private static func failure(of alert: Alert, _ reason: String) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "not-bisected",
      problem: "\(alert.id) was not bisected: \(reason)",
      remedy: "bisect it with `launchlab bisect --alert \(alert.id)`"
    )
  }
}
