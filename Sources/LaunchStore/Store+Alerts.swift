import GRDB
package import LaunchCore

extension Store {
  /// Reads the alerts of a scenario, or of all.
  ///
  /// - Parameter scenario: The name of the scenario; nil means every one.
  /// - Returns: Every alert, ended ones too, ascending by number.
  /// - Throws: ``StoreError``.
  package func alerts(scenario: String?) throws -> [Alert] {
    try read { db in
      let events = try events(db, where: "?1 IS NULL OR alert.scenario = ?1", [scenario])
      let condition = "?1 IS NULL OR scenario = ?1"
      let explanations = try explanations(db, where: condition, [scenario])
      let sql = "SELECT * FROM alert WHERE \(condition) ORDER BY number"
      return try StoredRow.fetchAll(db, sql: sql, arguments: [scenario]).map { row in
        var alert = try alert(row, events: events[try row["number"]] ?? [])
        alert.explanation = explanations[alert.number]
        return alert
      }
    }
  }

  /// Reads one alert.
  ///
  /// - Parameter number: Its number.
  /// - Returns: The alert, as it was stored.
  /// - Throws: ``StoreError``, such as ``StoreError/unknownAlert(number:)``.
  package func alert(_ number: Int) throws -> Alert {
    try read { db in
      let sql = "SELECT * FROM alert WHERE number = ?"
      guard let row = try StoredRow.fetchOne(db, sql: sql, arguments: [number]) else {
        throw StoreError.unknownAlert(number: number)
      }
      let condition = "alert.number = ?"
      var found = try alert(row, events: events(db, where: condition, [number])[number] ?? [])
      found.explanation = try explanations(db, where: condition, [number])[number]
      return found
    }
  }

  /// Reads the large parts of the explanation of an alert.
  ///
  /// - Parameter number: That of the alert.
  /// - Returns: Nil where the alert is not explained.
  /// - Throws: ``StoreError``.
  package func explanationDocuments(ofAlert number: Int) throws -> ExplanationDocuments? {
    try read { db in
      let sql = "SELECT document, flame_graph FROM explanation WHERE alert = ?"
      return try StoredRow.fetchOne(db, sql: sql, arguments: [number]).map { row in
        try ExplanationDocuments(json: row["document"], flameGraph: row["flame_graph"])
      }
    }
  }

  /// Stores why launches of an alert are slower, in place of what was found before.
  ///
  /// - Parameters:
  ///   - number: That of the alert.
  ///   - explanation: What is shown.
  ///   - documents: What is too large to be read with every alert.
  /// - Throws: ``StoreError``, such as ``StoreError/refused(path:rule:)`` where there is no
  ///   such alert.
  package func explain(
    alert number: Int,
    by explanation: AlertExplanation,
    _ documents: ExplanationDocuments
  ) throws {
    let sql = """
      INSERT OR REPLACE INTO explanation (alert, run, before, after, why, markdown, section, text,
        document, flame_graph)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try write { db in
      try db.cachedStatement(sql: sql).execute(arguments: [
        number, explanation.run, explanation.before, explanation.after, explanation.why,
        explanation.markdown, explanation.section, explanation.text, documents.json,
        documents.flameGraph,
      ])
    }
  }

  /// The number for the next alert.
  ///
  /// - Returns: One more than the largest number in the store, at least 1.
  /// - Throws: ``StoreError``.
  package func nextAlertNumber() throws -> Int {
    try read { db in
      try Int.fetchOne(db, sql: "SELECT coalesce(max(number), 0) + 1 FROM alert") ?? 1
    }
  }

  /// Stores alerts, new ones and those that have new events; explanations are stored apart from them.
  ///
  /// What happened to an alert is never changed: events are only added to the stored ones.
  ///
  /// - Parameter alerts: Each takes the place of the stored one of its number. Dates are stored to
  ///   the millisecond.
  /// - Throws: ``StoreError``, such as ``StoreError/changedAlert(number:)`` when the stored alert
  ///   is about another series, or has an event that the given one lacks; then nothing is stored.
  package func save(_ alerts: [Alert]) throws {
    try write { db in
      for alert in alerts {
        let known = try storedEvents(db, of: alert)
        guard alert.events.count >= known.count,
          zip(alert.events, known).allSatisfy({ isSame($0, $1) })
        else { throw StoreError.changedAlert(number: alert.number) }
        try upsert(db, alert)
        for number in known.count..<alert.events.count {
          try insert(db, alert.events[number], number: number, of: alert.number)
        }
      }
    }
  }
}

// MARK: - Writing

extension Store {
  private func storedEvents(_ db: Database, of alert: Alert) throws -> [AlertEvent] {
    let sql = "SELECT * FROM alert WHERE number = ?"
    guard let row = try StoredRow.fetchOne(db, sql: sql, arguments: [alert.number]) else {
      return []
    }
    let events = try events(db, where: "alert.number = ?", [alert.number])[alert.number] ?? []
    let stored = try self.alert(row, events: events)
    guard stored.series == alert.series, stored.kind == alert.kind else {
      throw StoreError.changedAlert(number: alert.number)
    }
    return events
  }

  /// Whether two events are the same one; its criteria may have been written by another version.
  private func isSame(_ left: AlertEvent, _ right: AlertEvent) -> Bool {
    Timestamp.text(left.at) == Timestamp.text(right.at) && left.state == right.state
      && left.cause == right.cause && left.reason == right.reason && left.run == right.run
      && left.person == right.person
  }

  private func upsert(_ db: Database, _ alert: Alert) throws {
    let sql = """
      INSERT INTO alert (number, kind, scenario, target, state, metric, fingerprint, direction,
        status, cause, onset, last_good, before, after, proof)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (number) DO UPDATE SET direction = excluded.direction,
        status = excluded.status, cause = excluded.cause, onset = excluded.onset,
        last_good = excluded.last_good, before = excluded.before, after = excluded.after,
        proof = excluded.proof
      """
    let series = alert.series
    try db.cachedStatement(sql: sql).execute(arguments: [
      alert.number, alert.kind.rawValue, series.scenario, series.target, series.state.rawValue,
      series.metric.rawValue, series.fingerprint, alert.direction.rawValue, alert.state.rawValue,
      alert.cause.rawValue, alert.onset, alert.lastGood, alert.before, alert.after,
      try alert.proof.map { try JSONText.text($0) },
    ])
  }

  private func insert(
    _ db: Database,
    _ event: AlertEvent,
    number: Int,
    of alert: Int
  ) throws {
    let sql = """
      INSERT INTO alert_event (alert, number, at, run, person, status, cause, reason, criteria)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      alert, number, Timestamp.text(event.at), event.run, event.person,
      event.state.rawValue,
      event.cause.rawValue, event.reason, try JSONText.text(event.criteria),
    ])
  }
}

// MARK: - Reading

extension Store {
  /// By the number of the alert, the oldest first.
  private func events(
    _ db: Database,
    where condition: String,
    _ arguments: StatementArguments
  ) throws -> [Int: [AlertEvent]] {
    let sql = """
      SELECT alert_event.* FROM alert JOIN alert_event ON alert_event.alert = alert.number
      WHERE \(condition) ORDER BY alert_event.alert, alert_event.number
      """
    var events: [Int: [AlertEvent]] = [:]
    for row in try StoredRow.fetchAll(db, sql: sql, arguments: arguments) {
      events[try row["alert"], default: []].append(try event(row))
    }
    return events
  }

  /// By the number of the alert.
  private func explanations(
    _ db: Database,
    where condition: String,
    _ arguments: StatementArguments
  ) throws -> [Int: AlertExplanation] {
    let sql = """
      SELECT explanation.alert, explanation.run, explanation.before, explanation.after, why, markdown, section, text
      FROM alert JOIN explanation ON explanation.alert = alert.number WHERE \(condition)
      """
    var explanations: [Int: AlertExplanation] = [:]
    for row in try StoredRow.fetchAll(db, sql: sql, arguments: arguments) {
      explanations[try row["alert"]] = try AlertExplanation(
        run: row["run"],
        before: row["before"],
        after: row["after"],
        why: row["why"],
        markdown: row["markdown"],
        section: row["section"],
        text: row["text"]
      )
    }
    return explanations
  }

  private func event(_ row: StoredRow) throws -> AlertEvent {
    try AlertEvent(
      at: try date(row["at"]),
      run: row["run"],
      person: row["person"],
      state: try known(Alert.State(rawValue: row["status"]), "status of an alert"),
      cause: try known(Alert.Cause(rawValue: row["cause"]), "cause of an alert"),
      reason: row["reason"],
      criteria: try json([Criterion].self, row["criteria"])
    )
  }

  private func alert(_ row: StoredRow, events: [AlertEvent]) throws -> Alert {
    try Alert(
      number: row["number"],
      kind: try known(Alert.Kind(rawValue: row["kind"]), "kind of alert"),
      series: try seriesKey(row),
      direction: try known(Alert.Direction(rawValue: row["direction"]), "direction of an alert"),
      state: try known(Alert.State(rawValue: row["status"]), "status of an alert"),
      cause: try known(Alert.Cause(rawValue: row["cause"]), "cause of an alert"),
      onset: row["onset"],
      lastGood: row["last_good"],
      before: row["before"],
      after: row["after"],
      proof: try (row["proof"] as String?).map { try json(Proof.self, $0) },
      events: events
    )
  }

  private func seriesKey(_ row: StoredRow) throws -> SeriesKey {
    try SeriesKey(
      scenario: row["scenario"],
      target: row["target"],
      state: try known(LaunchState(rawValue: row["state"]), "state"),
      metric: try known(Metric(rawValue: row["metric"]), "metric"),
      fingerprint: row["fingerprint"]
    )
  }
}
