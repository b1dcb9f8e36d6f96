import Foundation
import GRDB
import LaunchCore

/// Turns rows of launches into records, and looks up what the rows refer to.
struct LaunchReader {
  /// One row per launch, in the order of ``Column``, and then of the stored metrics.
  static let sql = """
    SELECT l.block, l.position, l.arm, l.started_ns,
      l.outcome, l.exit_code, l.signal, not_started.text,
      l.resolution_ns, l.includes_waited_children, missing.reasons, l.flags, l.stdout_bytes, l.stderr_bytes,
      l.preparation_ns, l.warm_ups, l.residency_set, unverified.text, failure.text,
      l.state_reached, state_reason.text,
      (SELECT json_group_object(event, value) FROM counter AS c
        WHERE c.run = l.run AND c.block = l.block AND c.position = l.position),
      out.head, out.tail, err.head, err.tail, stages.tree,
      settling.waited_ns, obstacle.text,
      EXISTS (SELECT 1 FROM disturbance AS d
        WHERE d.run = l.run AND d.block = l.block AND d.position = l.position),
      l.run, \(Metric.stored.compactMap(\.column).map { "l.\($0)" }.joined(separator: ", "))
    FROM launch AS l
    LEFT JOIN reason AS not_started ON not_started.id = l.not_started
    LEFT JOIN reason AS unverified ON unverified.id = l.unverified
    LEFT JOIN reason AS failure ON failure.id = l.failure
    LEFT JOIN reason AS state_reason ON state_reason.id = l.state_reason
    LEFT JOIN missing ON missing.id = l.missing
    LEFT JOIN output AS out ON out.run = l.run AND out.block = l.block
      AND out.position = l.position AND out.stream = 'stdout'
    LEFT JOIN output AS err ON err.run = l.run AND err.block = l.block
      AND err.position = l.position AND err.stream = 'stderr'
    LEFT JOIN stages ON stages.run = l.run AND stages.block = l.block
      AND stages.position = l.position
    LEFT JOIN settling ON settling.run = l.run AND settling.block = l.block
      AND settling.position = l.position
    LEFT JOIN reason AS obstacle ON obstacle.id = settling.obstacle
    WHERE l.run = ?
    ORDER BY l.block, l.position
    """

  private enum Column: Int {
    case block, position, arm, started
    case outcome, exitCode, signal, notStarted
    case resolution, includesWaitedChildren, missing, flags, stdoutBytes, stderrBytes
    case preparation, warmUps, residencySet, unverified, failure
    case stateReached, stateReason
    case counters
    case stdoutHead, stdoutTail, stderrHead, stderrTail
    case stages
    case waited, obstacle, isDisturbed, run

    /// Where the metrics begin.
    case metrics
  }

  let db: Database
  let store: Store

  /// How many arms the run has.
  private let arms: Int

  /// Sets repeat from launch to launch; the cache is emptied when they do not.
  private var residencySets: [Int64: [FileResidency]] = [:]
  private var missing: (text: String, reasons: [String: String]) = ("{}", [:])

  init(db: Database, store: Store, arms: Int) {
    self.db = db
    self.store = store
    self.arms = arms
  }

  mutating func record(_ row: StoredRow) throws -> LaunchRecord {
    let arm: Int = try row[Column.arm.rawValue]
    return try LaunchRecord(
      block: row[Column.block.rawValue],
      position: row[Column.position.rawValue],
      arm: store.known((0..<arms).contains(arm) ? arm : nil, "arm"),
      startedAt: Nanoseconds(row[Column.started.rawValue]),
      preparation: try preparation(row),
      result: try result(row),
      stateReached: try stateReached(row),
      stages: try (row[Column.stages.rawValue] as String?)
        .map { try JSONText.value(LaunchStages.self, $0) }
    )
  }
}

// MARK: - Parts of a record

extension LaunchReader {
  private mutating func preparation(_ row: StoredRow) throws -> Preparation {
    try Preparation(
      duration: Nanoseconds(row[Column.preparation.rawValue]),
      warmUps: row[Column.warmUps.rawValue],
      residency: try residency(row[Column.residencySet.rawValue]),
      unverified: row[Column.unverified.rawValue],
      failure: row[Column.failure.rawValue],
      settling: time(row, .waited).map { waited in
        try Settling(waited: waited, obstacle: row[Column.obstacle.rawValue])
      }
    )
  }

  private mutating func result(_ row: StoredRow) throws -> LaunchResult {
    var result = try LaunchResult(
      outcome: try outcome(row),
      resolution: Nanoseconds(row[Column.resolution.rawValue]),
      figures: try figures(row),
      flags: try flags(row[Column.flags.rawValue]),
      output: CapturedOutput(
        stdout: stream(row, .stdoutHead, .stdoutTail, .stdoutBytes),
        stderr: stream(row, .stderrHead, .stderrTail, .stderrBytes)
      ),
      disturbances: try disturbances(row)
    )
    for (index, metric) in Metric.stored.enumerated() {
      result.set(try row[Column.metrics.rawValue + index], of: metric)
    }
    return result
  }

  private mutating func figures(_ row: StoredRow) throws -> Figures {
    try Figures(
      includesWaitedChildren: row[Column.includesWaitedChildren.rawValue],
      counters: try counters(row[Column.counters.rawValue]),
      missing: try missing(row[Column.missing.rawValue])
    )
  }

  private func outcome(_ row: StoredRow) throws -> Outcome {
    switch try row[Column.outcome.rawValue] as String {
    case "ready": .ready
    case "exited": .exited(code: try row[Column.exitCode.rawValue])
    case "signalled": .signalled(signal: try row[Column.signal.rawValue])
    case "timed-out": .timedOut
    case "not-started": .notStarted(reason: try row[Column.notStarted.rawValue])
    default: try store.known(nil, "outcome")
    }
  }

  private func stateReached(_ row: StoredRow) throws -> StateReached {
    switch try row[Column.stateReached.rawValue] as String {
    case "reached": .reached
    case "not-reached": .notReached(reason: try row[Column.stateReason.rawValue])
    case "not-verified": .notVerified(reason: try row[Column.stateReason.rawValue])
    default: try store.known(nil, "state tag")
    }
  }

  private func disturbances(_ row: StoredRow) throws -> [Disturbance] {
    guard try row[Column.isDisturbed.rawValue] as Bool else { return [] }
    let sql = """
      SELECT kind, amount, limit_value FROM disturbance
      WHERE run = ? AND block = ? AND position = ? ORDER BY number
      """
    let place: StatementArguments = try [
      row[Column.run.rawValue] as Int64, row[Column.block.rawValue] as Int,
      row[Column.position.rawValue] as Int,
    ]
    return try StoredRow.fetchAll(db.cachedStatement(sql: sql), arguments: place).map { row in
      let kind: String = try row[0]
      return try Disturbance(
        kind: try store.known(Disturbance.Kind(rawValue: kind), "disturbance \"\(kind)\""),
        amount: row[1],
        limit: row[2]
      )
    }
  }

  private func time(_ row: StoredRow, _ column: Column) throws -> Nanoseconds? {
    (try row[column.rawValue] as Int64?).map { Nanoseconds($0) }
  }

  private func stream(
    _ row: StoredRow,
    _ head: Column,
    _ tail: Column,
    _ total: Column
  ) throws -> CapturedStream {
    try CapturedStream(
      head: (row[head.rawValue] as Data?).map(Array.init) ?? [],
      tail: (row[tail.rawValue] as Data?).map(Array.init) ?? [],
      totalBytes: row[total.rawValue]
    )
  }

  private func flags(_ text: String) throws -> [LaunchFlag] {
    guard !text.isEmpty else { return [] }
    return try text.split(separator: " ").map { name in
      try store.known(LaunchFlag(rawValue: String(name)), "flag \"\(name)\"")
    }
  }

  private func counters(_ text: String) throws -> [String: Int64] {
    // Most launches have none, and starting a parser for each would be the greater cost.
    guard text != "{}" else { return [:] }
    return try JSONText.value([String: Int64].self, text)
  }

  private mutating func missing(_ text: String?) throws -> [String: String] {
    guard let text else { return [:] }
    if text.utf8.elementsEqual(missing.text.utf8) { return missing.reasons }
    missing = (text, try JSONText.value([String: String].self, text))
    return missing.reasons
  }

  private mutating func residency(_ key: Int64?) throws -> [FileResidency] {
    guard let key else { return [] }
    if let known = residencySets[key] { return known }
    let sql = """
      SELECT file.path, is_own, resident_pages, total_pages, reason.text
      FROM residency JOIN file ON file.id = residency.file
      LEFT JOIN reason ON reason.id = residency.pinned_by
      WHERE residency_set = ? ORDER BY number
      """
    let rows = try db.cachedStatement(sql: sql)
    let files = try StoredRow.fetchAll(rows, arguments: [key]).map { row in
      try FileResidency(
        path: row[0],
        isOwn: row[1],
        residentPages: row[2],
        totalPages: row[3],
        pinnedBy: row[4]
      )
    }
    if residencySets.count >= 64 { residencySets.removeAll(keepingCapacity: true) }
    residencySets[key] = files
    return files
  }
}
