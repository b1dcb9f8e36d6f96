import LabModel

/// Joins the series of a history into one chain per arm and metric of tonight's host.
struct ChainBuilder {
  private let history: TrendHistory
  private let tonight: Night

  /// Complete nights up to tonight, by run, with their place.
  private let nights: [String: (place: Int, night: Night)]

  /// The place of the first night of tonight's host.
  private let firstOfHost: Int

  init(_ history: TrendHistory, tonight: Night) {
    self.history = history
    self.tonight = tonight
    let last = history.nights.firstIndex { $0.run == tonight.run } ?? history.nights.endIndex - 1
    var known: [String: (place: Int, night: Night)] = [:]
    for (place, night) in history.nights.enumerated()
    where place <= last && (night.status == .complete || place == last) {
      known[night.run] = (place, night)
    }
    nights = known
    let ofHost = known.values.filter { $0.night.fingerprint == tonight.fingerprint }
    firstOfHost = ofHost.map(\.place).min() ?? last
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
    let own = [Arm.emptyTarget, Arm.controlTarget]
    let names = history.scenario.targets.map(\.name) + own
    return names.contains(key.target) && history.scenario.states.contains(key.state)
  }

  private func chain(of key: SeriesKey, from series: [Series]) -> SeriesChain? {
    var found: [(place: Int, night: Night, point: SeriesPoint)] = []
    for one in series {
      for point in one.points {
        guard let (place, night) = nights[point.run] else { continue }
        let isOfHost = one.key.fingerprint == tonight.fingerprint
        if isOfHost || place < firstOfHost { found.append((place, night, point)) }
      }
    }
    guard !found.isEmpty else { return nil }
    found.sort { $0.place < $1.place }
    let points = found.map(\.point)
    let runs = Set(points.map(\.run))
    let alerts = history.alerts.filter { $0.series.isSameArm(as: key) && runs.contains($0.onset) }
    return SeriesChain(
      key: key,
      points: points,
      nights: found.map(\.night),
      breaks: breaks(of: key, at: points, nights: found.map(\.night), alerts: alerts),
      alerts: alerts,
      isTonight: points[points.count - 1].run == tonight.run
    )
  }

  private func breaks(
    of key: SeriesKey,
    at points: [SeriesPoint],
    nights: [Night],
    alerts: [Alert]
  ) -> [SeriesBreak] {
    let machine = alerts.filter(\.isMachineStep)
    var control = nights.first?.artifacts[Arm.controlTarget]?.digest
    return points.indices.dropFirst().compactMap { index in
      let (before, after) = (nights[index - 1], nights[index])
      // A night that does not tell what it launched as the control is passed over.
      let old = control
      control = after.artifacts[Arm.controlTarget]?.digest ?? control
      if before.fingerprint != after.fingerprint {
        let text = "host \(before.fingerprint.prefix(8)) → \(after.fingerprint.prefix(8))"
        return SeriesBreak(index: index, reason: .host, text: text)
      }
      if let alert = machine.last(where: { $0.onset == points[index].run }) {
        return SeriesBreak(index: index, reason: .machine, text: "machine change \(alert.id)")
      }
      guard key.target == Arm.controlTarget, let old, let new = control, old != new else {
        return nil
      }
      let text = "control \(old.prefix(8)) → \(new.prefix(8))"
      return SeriesBreak(index: index, reason: .control, text: text)
    }
  }
}
