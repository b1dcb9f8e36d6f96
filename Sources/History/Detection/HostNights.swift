import Foundation
package import LaunchCore

/// The nights of a scenario that are counted for the host of one of them.
///
/// Hosts that take turns in one store have nights between each other's: none of these counts for the
/// others.
package struct HostNights {
  /// Those of the host itself, ascending, failed ones included.
  package let own: [Night]

  /// Those that its series join: its own, and in front of its first one with a result those of the
  /// hosts that it took over from.
  package let line: [Night]

  private let tonight: Night

  /// When the first night of the host with a result began; nil where there is none.
  private let start: Date?

  /// - Parameters:
  ///   - nights: Those of the scenario on any host, ascending; later ones than `tonight` are left out.
  ///   - tonight: One of them, or a later one.
  package init(_ nights: [Night], of tonight: Night) {
    let end = nights.firstIndex { $0.run == tonight.run }.map { $0 + 1 } ?? nights.count
    let known = nights.prefix(end)
    own = known.filter { !tonight.isOnOtherHost(than: $0) }
    let first = known.firstIndex { night in
      !tonight.isOnOtherHost(than: night)
        && (night.status == .complete || night.run == tonight.run)
    }
    line = known.indices.filter { index in
      index < first ?? known.endIndex || !tonight.isOnOtherHost(than: known[index])
    }
    .map { known[$0] }
    self.tonight = tonight
    start = first.map { known[$0].startedAt }
  }

  /// Whether a run that is out of history would be part of the line.
  func wouldJoin(_ run: LeftOutRun) -> Bool {
    !tonight.isOnOtherHost(than: run.night) || start.map { run.startedAt < $0 } ?? true
  }
}

extension Night {
  /// Whether two nights were on one host, whichever was first.
  func isOnSameHost(as other: Night) -> Bool {
    startedAt < other.startedAt ? !other.isOnOtherHost(than: self) : !isOnOtherHost(than: other)
  }
}

extension TrendSummary {
  /// The nights that what is said of tonight's host is counted in.
  package var hostNights: HostNights { HostNights(nights, of: tonight) }

  /// For how many nights in a row the host is tonight's, those of other machines aside.
  package var nightsOnHost: Int {
    nights.reversed().filter { !isOtherMachine($0) }
      .prefix { !tonight.isOnOtherHost(than: $0) }.count
  }

  /// Whether a night was on another machine, and not on this one when its kind was another.
  ///
  /// An imported night names its host by the fingerprint.
  private func isOtherMachine(_ night: Night) -> Bool {
    if run.purpose == .imported { return tonight.isOnOtherHost(than: night) }
    return night.identity != nil && night.identity != tonight.identity
  }

  /// Counts the nights with a result since the onset of an alert, tonight included: those of its host, and
  /// of the hosts that took over from it.
  ///
  /// - Parameter alert: One of the summary.
  /// - Returns: 0 where the first night of the alert is not known.
  package func nightCount(since alert: Alert) -> Int {
    guard let onset = nights.lastIndex(where: { $0.run == alert.onset }) else { return 0 }
    let first = nights[onset]
    let last = nights.lastIndex { !$0.isOnOtherHost(than: first) } ?? onset
    let ofHost = nights[onset...last].count {
      $0.status == .complete && !$0.isOnOtherHost(than: first)
    }
    // The host is tonight's, or its nights go on beside those of tonight's.
    guard last < nights.count - 1, let own = hostNights.own.first,
      own.startedAt > nights[last].startedAt
    else { return ofHost }
    let after = hostNights.line.filter { $0.startedAt > nights[last].startedAt }
    return ofHost + after.count { $0.status == .complete }
  }
}
