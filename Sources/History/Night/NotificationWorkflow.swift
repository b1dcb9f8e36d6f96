import Foundation
import LaunchCore
import LaunchHost
import LaunchStore
import Measuring

/// Tells everybody whom the scenario names of what happened to its alerts.
///
/// Each event is told once to each notifier. What could not be told is kept in the store, with the
/// reason, and is tried again the next time.
struct NotificationWorkflow {
  private let scenario: Scenario
  private let store: Store
  private let sender: NoticeSender

  /// Prepares to tell of the alerts of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: Names those who are told.
  ///   - store: Holds the alerts already, and what was told of them.
  ///   - context: Has the variables of those who are told.
  init(scenario: Scenario, store: Store, in context: WorkflowContext) {
    self.scenario = scenario
    self.store = store
    sender = NoticeSender(
      directory: scenario.directory,
      environment: context.environment,
      interrupt: try? context.interrupt()
    )
  }

  /// Tells what has not been told yet.
  ///
  /// A command gets each finding alone; the others get one notice of all.
  ///
  /// - Parameters:
  ///   - alerts: Stored ones of the scenario that changed, or of which an event could not be told.
  ///   - summary: What the night is concluded with.
  ///   - now: When this is.
  /// - Returns: A warning per notifier that failed; none when there was nothing to tell.
  func deliver(
    _ alerts: [Alert],
    summary: TrendSummary,
    at now: Date
  ) async -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    var unkept: (any Error)?
    do {
      let stored = try store.deliveries(scenario: scenario.name)
      for (notifier, name) in Notifier.named(scenario.notifiers ?? []) {
        let pending = PendingNotices(
          deliveries: stored.filter { $0.notifier == name },
          since: Self.previousNight(in: summary)
        )
        for findings in Self.parcels(pending.events(of: alerts), for: notifier) {
          let outcome = await deliver(findings, to: notifier, name, summary, at: now)
          // Others are told all the same.
          unkept = outcome.unkept ?? unkept
          guard let failure = outcome.failure else { continue }
          let ids = findings.map(\.alert.id).joined(separator: ", ")
          warnings.append(Self.warning(of: failure, notifier: name, alerts: ids))
        }
      }
    } catch {
      unkept = error
    }
    return warnings + (unkept.map(Self.unstored) ?? [])
  }

  /// Tells one notifier, and stores what came of it at once, so that it is not told twice.
  ///
  /// - Returns: Why it could not be told, and why that could not be stored.
  private func deliver(
    _ findings: [(alert: Alert, event: Int)],
    to notifier: Notifier,
    _ name: String,
    _ summary: TrendSummary,
    at now: Date
  ) async -> (failure: String?, unkept: (any Error)?) {
    guard reaches(notifier) else { return (nil, nil) }
    // What is not told now is kept as what failed, so that it is told after another night.
    let failure =
      sender.heedIfInterrupted()
      ? "launchlab was interrupted" : await send(findings, to: notifier, summary)
    var unkept: (any Error)?
    for finding in findings {
      let delivery = Delivery(
        alert: finding.alert.number,
        event: finding.event,
        notifier: name,
        at: now,
        failure: failure
      )
      do { try store.save(delivery) } catch { unkept = error }
    }
    return (failure, unkept)
  }

  /// Whether there is what a notifier writes to: the summary of a job only within one.
  private func reaches(_ notifier: Notifier) -> Bool {
    notifier != .githubSummary || sender.hasJobSummary
  }

  /// Tells that a night has no result; the next night that fails is told of anew.
  ///
  /// - Parameter summary: What the night is concluded with.
  /// - Returns: A warning per notifier that failed.
  func deliverFailure(_ summary: TrendSummary) async -> [Diagnostic] {
    await deliver(Notice(failureOf: summary), NightFailure(summary).line, of: "the failure")
  }

  /// Tells what tonight has counted and is not allowed; what is there for longer was told.
  ///
  /// - Parameter summary: What the night is concluded with.
  /// - Returns: A warning per notifier that failed.
  func deliverCounts(_ summary: TrendSummary) async -> [Diagnostic] {
    guard let counts = NightCounts(summary) else { return [] }
    return await deliver(Notice(countsOf: summary, counts), counts.line, of: "what was counted")
  }

  private func deliver(_ notice: Notice, _ line: String, of subject: String) async -> [Diagnostic] {
    var warnings: [Diagnostic] = []
    for (notifier, name) in Notifier.named(scenario.notifiers ?? []) where reaches(notifier) {
      if let reason = await send(notice, [line], to: notifier) {
        var warning = Self.warning(of: reason, notifier: name, alerts: subject)
        warning.remedy = "fix the problem above; `launchlab report` shows it too"
        warnings.append(warning)
      }
    }
    return warnings
  }

  /// - Returns: Why it failed, if it did.
  private func send(
    _ findings: [(alert: Alert, event: Int)],
    to notifier: Notifier,
    _ summary: TrendSummary
  ) async -> String? {
    let notice = Notice(
      findings,
      scenario: scenario.name,
      nights: summary.nights,
      missedDays: Self.missedDays(in: summary)
    )
    let lines = findings.map { FindingJSON($0.alert, in: summary).line }
    return await send(notice, lines, to: notifier)
  }

  /// Sends a notice, or to a command one line of JSON per call.
  private func send(_ notice: Notice, _ lines: [String], to notifier: Notifier) async -> String? {
    do throws(NoticeFailure) {
      switch notifier {
      case .command(let command):
        for line in lines { try await sender.run(command, input: line) }
      case .webhook(let address): try await sender.post(SlackNotice(notice).json, to: address)
      case .email(let address): try await sender.mail(MailNotice(notice, to: address).text)
      case .githubSummary: try sender.addToJobSummary(SummaryNotice(notice).markdown)
      }
      return nil
    } catch {
      return error.reason
    }
  }
}

// MARK: - Who is told of what

extension NotificationWorkflow {
  /// The findings in the portions that a notifier takes; a command takes one at a time.
  private static func parcels(
    _ findings: [(alert: Alert, event: Int)],
    for notifier: Notifier
  ) -> [[(alert: Alert, event: Int)]] {
    if case .command = notifier { return findings.map { [$0] } }
    return findings.isEmpty ? [] : [findings]
  }

  /// When the complete night before tonight on its host began, or tonight where there is none.
  private static func previousNight(in summary: TrendSummary) -> Date {
    let before = summary.hostNights.line.filter {
      $0.status == .complete && $0.startedAt < summary.tonight.startedAt
    }
    return before.last?.startedAt ?? summary.tonight.startedAt
  }

  /// The nights without a result since the last one with a result.
  private static func missedDays(in summary: TrendSummary) -> [String] {
    let last = previousNight(in: summary).utcDay
    return summary.missed.map(\.day).filter { $0 > last }
  }

  private static func warning(
    of failure: String,
    notifier: String,
    alerts: String
  ) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "not-notified",
      problem: "\(notifier) could not be notified of \(alerts): \(failure)",
      place: "notify",
      remedy: "fix the problem above; the next night tries again"
    )
  }

  /// Warns of any error that keeps what was told from being recorded, or what is to be told from being read.
  static func unstored(_ error: any Error) -> [Diagnostic] {
    Diagnostic.all(of: error).map { diagnostic in
      var warning = diagnostic
      warning.severity = .warning
      warning.problem = "notifications cannot be recorded: \(diagnostic.problem)"
      return warning
    }
  }
}

/// Which events of alerts a notifier has not been told of yet.
///
/// Told are confirmed changes, broken budgets, acknowledgements, fixes and recoveries. A suspicion is
/// told only while it is the last word, which means that it could not be settled the same night. What
/// was refuted is not told.
struct PendingNotices {
  private let deliveries: [Event: Bool]
  private let since: Date

  /// - Parameters:
  ///   - deliveries: What is stored of one notifier.
  ///   - since: Events of before are told only when telling them failed; so somebody who is named
  ///     today does not get the history of years.
  init(deliveries: [Delivery], since: Date) {
    self.since = since
    self.deliveries = deliveries.reduce(into: [:]) { known, delivery in
      let event = Event(alert: delivery.alert, index: delivery.event)
      known[event] = known[event] == true || delivery.failure == nil
    }
  }

  private struct Event: Hashable {
    let alert: Int
    let index: Int
  }

  /// The events that are told now, ascending by alert, and by event within an alert.
  func events(of alerts: [Alert]) -> [(alert: Alert, event: Int)] {
    alerts.sorted { $0.number < $1.number }.flatMap { alert in
      alert.events.indices.filter { isPending($0, of: alert) }.map { (alert, $0) }
    }
  }

  private func isPending(_ index: Int, of alert: Alert) -> Bool {
    let event = alert.events[index]
    switch event.state {
    case .refuted: return false
    case .suspected where !alert.events[index...].allSatisfy({ $0.state == .suspected }):
      return false
    case .suspected, .confirmed, .acknowledged, .fixed, .recovered: break
    }
    // An event that changes neither state nor cause is no news.
    if index > 0, alert.events[index - 1].state == event.state,
      alert.events[index - 1].cause == event.cause
    {
      return false
    }
    guard let isDelivered = deliveries[Event(alert: alert.number, index: index)] else {
      return event.at >= since
    }
    return !isDelivered
  }
}
