import Foundation
package import LaunchCore
import Rendering

/// The nights of one series up to tonight, in one line, and where they may not be compared.
struct SeriesChain: Sendable {
  /// That of tonight's host.
  let key: SeriesKey

  /// Ascending, none after tonight.
  let points: [SeriesPoint]

  /// The nights of the points.
  let nights: [Night]

  let breaks: [SeriesBreak]

  /// Alerts of the series on any host whose onset is among the points, ascending by number.
  let alerts: [Alert]

  /// Whether the last point is tonight's.
  let isTonight: Bool

  /// The medians of a range of the points.
  func values(_ places: Range<Int>) -> [Double] { points[places].map(\.median) }

  /// The index of the first point that may be compared with the newest one.
  var partStart: Int { breaks.last?.index ?? 0 }

  /// The ranges between breaks, ascending; none for no points.
  var parts: [Range<Int>] {
    let bounds = [0] + breaks.map(\.index) + [points.count]
    return zip(bounds, bounds.dropFirst()).compactMap { $0 < $1 ? $0..<$1 : nil }
  }

  func index(of run: String) -> Int? { points.lastIndex { $0.run == run } }
}

extension SeriesKey {
  /// Whether two series are the same but for the host.
  package func isSameArm(as other: Self) -> Bool {
    target == other.target && state == other.state && metric == other.metric
  }
}

/// Joins the series of a history into one chain per arm and metric of tonight's host.
struct ChainBuilder {
  private let history: TrendHistory
  private let tonight: Night

  /// The nights of the line of tonight's host that have a result, and tonight, by run, with their place.
  private let nights: [String: (place: Int, night: Night)]

  init(_ history: TrendHistory, tonight: Night) {
    self.history = history
    self.tonight = tonight
    var known: [String: (place: Int, night: Night)] = [:]
    for (place, night) in HostNights(history.nights, of: tonight).line.enumerated()
    where night.status == .complete || night.run == tonight.run {
      known[night.run] = (place, night)
    }
    nights = known
  }

  /// One chain per arm and metric of the scenario that has a point, in the order of the history.
  func chains() -> [SeriesChain] {
    var order: [SeriesKey] = []
    var groups: [SeriesKey: [Series]] = [:]
    for series in history.series where isOfScenario(series.key) {
      var key = series.key
      key.scenario = history.scenario.name
      key.fingerprint = tonight.fingerprint
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(series)
    }
    return order.compactMap { chain(of: $0, from: groups[$0] ?? []) }
  }

  private func isOfScenario(_ key: SeriesKey) -> Bool {
    if history.isImported { return true }
    let own = [Arm.emptyTarget, Arm.controlTarget]
    let names = history.scenario.targets.map(\.name) + own
    return names.contains(key.target) && history.scenario.states.contains(key.state)
  }

  private func chain(of key: SeriesKey, from series: [Series]) -> SeriesChain? {
    var found: [(place: Int, night: Night, point: SeriesPoint)] = []
    for one in series {
      for point in one.points {
        guard let (place, night) = nights[point.run] else { continue }
        found.append((place, night, point))
      }
    }
    guard !found.isEmpty else { return nil }
    found.sort { $0.place < $1.place }
    let points = found.map(\.point)
    let runs = Set(points.map(\.run))
    let alerts = history.alerts.filter { $0.series.isSameArm(as: key) && runs.contains($0.onset) }
    let chain = SeriesChain(
      key: key,
      points: points,
      nights: found.map(\.night),
      breaks: breaks(of: key, at: points, nights: found.map(\.night), alerts: alerts),
      alerts: alerts,
      isTonight: isTonight(points[points.count - 1])
    )
    return key.metric.hasLevel ? chain : chain.counted(by: history.scenario.regressionRule)
  }

  /// Imported files may have the targets of one night at different hours.
  private func isTonight(_ point: SeriesPoint) -> Bool {
    func day(_ date: Date) -> Double {
      (date.timeIntervalSince1970 / DriftComparison.day).rounded(.down)
    }
    return point.run == tonight.run
      || history.isImported && day(point.startedAt) == day(tonight.startedAt)
  }

  private func breaks(
    of key: SeriesKey,
    at points: [SeriesPoint],
    nights: [Night],
    alerts: [Alert]
  ) -> [SeriesBreak] {
    let machine = alerts.filter(\.isMachineStep)
    let showsWindow = history.scenario.readiness(of: key.target).window != nil
    var control = nights.first?.artifacts[Arm.controlTarget]?.digest
    var display = nights.first?.display
    return points.indices.dropFirst().compactMap { index in
      let (before, after) = (nights[index - 1], nights[index])
      // A night that does not tell what it launched as the control, or had no display, is passed over.
      let (old, oldDisplay) = (control, display)
      display = after.display ?? display
      control = after.artifacts[Arm.controlTarget]?.digest ?? control
      if after.isOnOtherHost(than: before) {
        let isSameKind = before.fingerprint == after.fingerprint
        let names = [before, after].map { night in
          isSameKind ? night.hostName ?? "unnamed" : String(night.fingerprint.prefix(8))
        }
        let text = "host \(names[0].printable) → \(names[1].printable)"
        return SeriesBreak(index: index, reason: .host, text: text)
      }
      if let alert = machine.last(where: { $0.onset == points[index].run }) {
        return SeriesBreak(index: index, reason: .machine, text: "machine change \(alert.id)")
      }
      if showsWindow, let oldDisplay, let new = display, oldDisplay != new {
        let text = "display \(oldDisplay) → \(new)"
        return SeriesBreak(index: index, reason: .display, text: text)
      }
      guard key.target == Arm.controlTarget, let old, let new = control, old != new else {
        return nil
      }
      let text = "control \(old.prefix(8)) → \(new.prefix(8))"
      return SeriesBreak(index: index, reason: .control, text: text)
    }
  }
}

/// Everything stored that the verdicts of a night are made from.
package struct TrendHistory: Hashable, Sendable {
  package var scenario: Scenario

  /// Ascending by start; failed and unfinished ones included.
  package var nights: [Night]

  /// Of every host, in the order of the newest plan.
  package var series: [Series]

  /// Every alert of the scenario, ascending by number.
  package var alerts: [Alert]

  /// Whether tonight is imported: then no launch can settle a suspicion, the targets are those of all
  /// nights, and values of the same day are of the same night.
  package var isImported: Bool = false
}

/// A comparison that would settle a suspicion.
package struct ProofRequest: Hashable, Sendable {
  /// The night whose build is launched beside tonight's.
  package var good: Night

  /// The series whose arms are compared.
  package var series: [SeriesKey]

  /// Which way they are off.
  package var kind: Alert.Kind

  /// How many times the pairs of `regression.proof` may be launched, from 1 to 4; more than 1 where
  /// former comparisons were inconclusive.
  package var effort: Int

  package init(good: Night, series: [SeriesKey], kind: Alert.Kind, effort: Int = 1) {
    self.good = good
    self.series = series
    self.kind = kind
    self.effort = effort
  }
}

/// What became of a proof.
package struct ProofOutcome: Hashable, Sendable {
  package var request: ProofRequest
  package var answer: Answer

  package enum Answer: Hashable, Sendable {
    /// Per series; one that is not in it could not be compared.
    case compared([SeriesKey: Proof])

    /// Both builds are the same, so that nothing was launched.
    case sameBuild

    /// Why there is none, as a sentence without a full stop.
    case impossible(reason: String)
  }
}
