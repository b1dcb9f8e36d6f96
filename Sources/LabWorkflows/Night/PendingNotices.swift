import Foundation
import LabAnalysis
import LabModel

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
