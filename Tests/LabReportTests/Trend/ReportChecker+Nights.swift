import Foundation

/// What is counted in nights, computed again from the nights of the JSON.
extension ReportChecker {
  /// A night of the JSON.
  private struct Night {
    var run: String
    var startedAt: Date
    var isComplete: Bool
    var fingerprint: String
    var host: String?

    var day: String { startedAt.formatted(.iso8601.year().month().day()) }

    init?(_ value: [String: Any]) {
      guard let run = value["run"] as? String, let start = value["started_at"] as? String,
        let date = try? Date(start, strategy: .iso8601)
      else { return nil }
      self.run = run
      startedAt = date
      isComplete = value["status"] as? String == "complete"
      fingerprint = value["fingerprint"] as? String ?? ""
      host = value["host"] as? String
    }

    /// Whether it was on the host of an earlier night; one without a name may be any of its kind.
    func isOnHost(of earlier: Self) -> Bool {
      fingerprint == earlier.fingerprint && (earlier.host == nil || earlier.host == host)
    }
  }

  /// A series of the JSON.
  private struct Series {
    var name: String
    var runs: [String]
    var breaks: [Int]
    var changes: [(index: Int, alert: String?)]

    init(_ value: [String: Any]) {
      let parts = ["target", "launch_state", "metric"].map { value[$0] as? String ?? "" }
      name = parts.joined(separator: " ").replacing("_", with: " ")
      let points = value["points"] as? [[String: Any]] ?? []
      let runs = points.compactMap { $0["run"] as? String }
      func places(_ key: String) -> [(index: Int, alert: String?)] {
        (value[key] as? [[String: Any]] ?? []).compactMap { item in
          let index = (item["run"] as? String).flatMap { run in runs.firstIndex(of: run) }
          return index.map { ($0, item["alert"] as? String) }
        }
      }
      self.runs = runs
      breaks = places("breaks").map(\.index)
      changes = places("changes")
    }
  }

  private var nights: [Night] {
    (json["nights"] as? [[String: Any]] ?? []).compactMap { Night($0) }
  }

  /// With those that ended before tonight.
  private var allAlerts: [[String: Any]] {
    alerts + (json["past_alerts"] as? [[String: Any]] ?? [])
  }

  private var series: [Series] { (json["series"] as? [[String: Any]] ?? []).map { Series($0) } }

  /// The nights of tonight's host, and with those in front of its first result, which its series join.
  private var ofHost: (own: [Night], line: [Night]) {
    let nights = nights
    guard let tonight = nights.last else { return ([], []) }
    let first = nights.firstIndex {
      tonight.isOnHost(of: $0) && ($0.isComplete || $0.run == tonight.run)
    }
    let line = nights.indices.filter {
      $0 < first ?? nights.count || tonight.isOnHost(of: nights[$0])
    }
    return (nights.filter { tonight.isOnHost(of: $0) }, line.map { nights[$0] })
  }

  /// The places of a line of nights: those of the line, and the days between them that lack one.
  private var slots: [(day: String, run: String?)] {
    let line = ofHost.line
    let days = line.map(\.day)
    let missed = (json["missed"] as? [[String: Any]] ?? []).compactMap { $0["day"] as? String }
      .filter { !days.contains($0) && $0 > days.first ?? "" && $0 < days.last ?? "" }
    let all: [(day: String, run: String?)] =
      line.map { ($0.day, $0.run) } + missed.map { ($0, nil) }
    let order = all.indices.sorted { (all[$0].day, $0) < (all[$1].day, $1) }
    return order.map { all[$0] }
  }

  mutating func checkNights(isImported: Bool) {
    let own = ofHost.own
    expect(#/^Run .*; \d+ series, (\d+) nights?$/#, own.count)
    expect(#/(\d+) nights? on record/#, own.count)
    expect(#/(\d+) nights? stored/#, own.count)
    expect(#/no verdict yet: night (\d+),/#, own.count(where: \.isComplete))
    expect(#/host unchanged for (\d+) nights?/#, streak(isImported))
    expect(#/the same one for (\d+) nights?/#, streak(isImported))
    checkAges()
    checkLines()
    checkLevels()
    checkRanges()
    let line = Set(ofHost.line.map(\.run))
    for missed in json["missed"] as? [[String: Any]] ?? [] {
      let reason = missed["reason"] as? String ?? ""
      if let run = reason.firstMatch(of: #/^run (\S+) /#)?.1, !line.contains(String(run)) {
        problems.append("a night of another host is missed: \(reason)")
      }
    }
  }

  /// Finds each number that a pattern matches, in the report and in all that is shown beside it.
  private mutating func expect(_ pattern: Regex<(Substring, Substring)>, _ count: Int) {
    for line in allLines {
      for match in line.matches(of: pattern) where Int(match.1) != count {
        problems.append("\(match.0) instead of \(count)")
      }
    }
  }

  /// For how many nights the host is as tonight, without those of other machines.
  private func streak(_ isImported: Bool) -> Int {
    guard let tonight = nights.last else { return 0 }
    if isImported { return ofHost.own.count }
    return nights.filter { $0.host == nil || $0.host == tonight.host }.reversed()
      .prefix { tonight.isOnHost(of: $0) }.count
  }

  // MARK: - Alerts

  /// How many nights with a result an alert has stood on its host, and on those that took over from it.
  private func age(of run: String) -> Int {
    let nights = nights
    guard let onset = nights.firstIndex(where: { $0.run == run }), let tonight = nights.last else {
      return -1
    }
    let same = nights.indices.filter { $0 >= onset && nights[$0].isOnHost(of: nights[onset]) }
    let last = same.last ?? onset
    var counted = same.map { nights[$0] }
    let hasTakenOver = nights.firstIndex { tonight.isOnHost(of: $0) }.map { $0 > last } ?? false
    if hasTakenOver {
      let line = Set(ofHost.line.map(\.run))
      counted += nights[(last + 1)...].filter { line.contains($0.run) }
    }
    return counted.count(where: \.isComplete)
  }

  private mutating func checkAges() {
    let onsets = allAlerts.reduce(into: [String: String]()) { onsets, alert in
      let onset = alert["onset"] as? [String: Any]
      onsets[alert["id"] as? String ?? ""] = onset?["run"] as? String
    }
    func problem(
      _ id: some StringProtocol,
      _ count: some StringProtocol,
      _ line: String
    ) -> [String] {
      let age = onsets[String(id)].map(age)
      return Int(count) == age ? [] : ["\(id) is \(age ?? -1) nights old: \(line)"]
    }
    for row in rows {
      guard let id = row["alert"]?.firstMatch(of: #/R-\d+/#)?.0, let count = row["nights"] else {
        continue
      }
      problems += problem(id, count, row.cells.joined(separator: " | "))
    }
    for line in allLines {
      for match in line.matches(of: #/(R-\d+) .*, (\d+) nights? old/#) {
        problems += problem(match.1, match.2, line)
      }
      for match in line.matches(of: #/, (\d+) nights?(?:, n = \d+ tonight)? \((R-\d+)\)/#) {
        problems += problem(match.2, match.1, line)
      }
    }
  }

  /// The nights between the two builds of a range.
  private mutating func checkRanges() {
    let nights = nights
    for alert in alerts {
      guard let range = alert["range"] as? [String: Any], let said = range["nights"] as? Int,
        let good = (range["good"] as? [String: Any])?["run"] as? String,
        let bad = (range["bad"] as? [String: Any])?["run"] as? String,
        let first = nights.firstIndex(where: { $0.run == good }),
        let last = nights.firstIndex(where: { $0.run == bad }), first < last
      else { continue }
      let count = nights[(first + 1)...last].count { $0.isOnHost(of: nights[first]) }
      let days = nights[last].startedAt.timeIntervalSince(nights[first].startedAt) / 86_400
      if said != max(count, Int(days.rounded())) {
        problems.append("\(alert["id"] ?? "") has a range of \(said) nights instead of \(count)")
      }
    }
  }

  // MARK: - Series

  /// How many values the small lines and the charts have, and how many they lack.
  private mutating func checkLines() {
    let slots = slots
    for one in series {
      let runs = Set(one.runs)
      let isFilled = slots.map { $0.run.map(runs.contains) ?? false }
      for row in rows where row["series"] == one.name {
        if let text = row["last 30 nights"] {
          let count = text.count { !"·╎`".contains($0) }
          let expected = isFilled.suffix(30).count { $0 }
          if count != expected { problems.append("\(expected) values: \(text) of \(one.name)") }
        }
        if let match = row["verdict"]?.firstMatch(of: #/not measured for (\d+) nights/#) {
          let gap = isFilled.reversed().prefix { !$0 }.count
          if Int(match.1) != gap { problems.append("\(gap) nights: \(match.0) of \(one.name)") }
        }
      }
      let words = #/(\d+) nights? with a value from (\S+) to (\S+), (none|\d+) missing/#
      for line in allLines {
        for match in line.matches(of: words) {
          guard line[..<match.range.lowerBound].hasSuffix("\(one.name): ") else { continue }
          let (count, missing) = (Int(match.1) ?? 0, Int(match.4) ?? 0)
          let shown = slots.suffix(count + missing)
          let isRight =
            isFilled.suffix(count + missing).count { $0 } == count
            && shown.first?.day == String(match.2) && shown.last?.day == String(match.3)
          if !isRight { problems.append("other nights than: \(match.0) of \(one.name)") }
        }
      }
    }
  }

  /// How long each level lasted that no alert is of.
  private mutating func checkLevels() {
    for row in rows {
      guard let lasted = row["lasted"], let day = row["first night"],
        let one = series.first(where: { $0.name == row["series"] })
      else { continue }
      let days = Dictionary(nights.map { ($0.run, $0.day) }) { first, _ in first }
      let found = one.changes.contains { change in
        guard change.alert == nil, days[one.runs[change.index]] == day else { return false }
        let ends = (one.changes.map(\.index) + one.breaks).filter { $0 > change.index }
        let count = (ends.min() ?? one.runs.count) - change.index
        return lasted == "\(count) night\(count == 1 ? "" : "s")"
      }
      let text = row.cells.joined(separator: " | ")
      if !found { problems.append("no level lasted so long: \(text)") }
    }
  }
}

/// One change has one number, wherever it is told of.
extension ReportChecker {
  mutating func checkChanges() {
    let ratios = allAlerts.reduce(into: [String: Double]()) { ratios, alert in
      ratios[alert["id"] as? String ?? ""] = Self.ratio(alert)
    }
    let signed = [
      #/^\| \[(R-\d+)\].*\| ([+−]?[\d.]+ %) \|$/#, #/^## .*(R-\d+): .* launch ([+−]?[\d.]+ %)/#,
      #/[▲▼] (R-\d+) ([+−]?[\d.]+ %)/#, #/(R-\d+): ([+−]?[\d.]+ %)/#,
    ]
    for line in allLines {
      for match in signed.flatMap({ line.matches(of: $0) }) {
        check(match.2, of: match.1, ratios, line)
      }
      for match in line.matches(of: #/ launch(?:\*\*)? ([+−]?[\d.]+ %).*?\((R-\d+)\)/#) {
        check(match.1, of: match.2, ratios, line)
      }
      let sentence =
        #/(R-\d+)(?:</a>)? [^<]*?: launch (?:is|was|seems to be) ([\d.]+ %) (slower|faster)/#
      for match in line.matches(of: sentence) {
        let isZero = match.2 == "0.0 %"
        let said = (isZero ? "" : match.3 == "slower" ? "+" : "−") + match.2
        check(said, of: match.1, ratios, line)
      }
      if line.contains(#/history [\d.]+ → [^;()]*, [+−][\d.]+ %/#) {
        problems.append("a second number of a change: \(line)")
      }
    }
  }

  /// The levels that are told with the change of an alert are those of the JSON.
  mutating func checkAlertLevels() {
    let units = ["ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9]
    let levels =
      #/(?:history |[+−][\d.]+ %(?: \[[^\]]*\])?, )(\d[\d.]*) → (\d[\d.]*) (ns|µs|ms|s)\b/#
    for line in allLines {
      let ids = Set(line.matches(of: #/\bR-\d+/#).map { String($0.0) })
      guard ids.count == 1, let id = ids.first, let match = line.firstMatch(of: levels),
        let alert = allAlerts.first(where: { $0["id"] as? String == id }),
        alert["unit"] as? String == "ns"
      else { continue }
      let unit = units[String(match.3)] ?? 1
      for (said, key) in [(match.1, "before"), (match.2, "after")] {
        guard let told = Printed(String(said)), let known = alert[key] as? Double else { continue }
        if abs(told.value * unit - known) > told.half * unit * 1.000_001 {
          problems.append("\(id) has \(key) \(known): \(line.prefix(300))")
        }
      }
    }
  }

  /// The ratio of the proof that found the change, or else of the newest one of an open alert, or else of
  /// the levels.
  private static func ratio(_ alert: [String: Any]) -> Double? {
    func text(_ key: String) -> String { alert[key] as? String ?? "" }
    let verdict = text("direction") == "worse" ? "regression" : "improvement"
    let proof = alert["proof"] as? [String: Any]
    let events = alert["events"] as? [[String: Any]] ?? []
    if text("cause") != "machine" {
      if proof?["verdict"] as? String == verdict { return proof?["ratio"] as? Double }
      for event in events.reversed() {
        let criteria = event["criteria"] as? [[String: Any]] ?? []
        let found = criteria.first { $0["id"] as? String == "proof-ratio" }
        if found?["met"] as? Bool == true { return found?["value"] as? Double }
      }
      let isOpen = ["suspected", "confirmed", "acknowledged"].contains(text("state"))
      if isOpen, let ratio = proof?["ratio"] as? Double { return ratio }
    }
    return alert["ratio"] as? Double
  }

  private mutating func check(
    _ said: some StringProtocol,
    of id: some StringProtocol,
    _ ratios: [String: Double],
    _ line: String
  ) {
    guard let ratio = ratios[String(id)] else {
      return problems.append("\(id) is no alert: \(line)")
    }
    let percent = (ratio - 1) * 100
    let sign = abs(percent) < 0.05 ? "" : percent > 0 ? "+" : "−"
    let digits = ["%.1f", "%.0f"].map { sign + String(format: $0, abs(percent)) + " %" }
    if !digits.contains(String(said)) {
      problems.append("\(id) is \(digits[0]), not \(said): \(line.prefix(300))")
    }
  }
}
