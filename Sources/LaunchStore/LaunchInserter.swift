import Foundation
import GRDB
import LaunchCore

/// Inserts launches, and stores what repeats from launch to launch once.
struct LaunchInserter {
  let run: Int64
  private var files = InternedText(table: "file", column: "path")
  var reasons = InternedText(table: "reason", column: "text")
  private var missing = InternedText(table: "missing", column: "reasons")

  /// Per residency set its rows, as numbers in the order of the columns.
  private var residencySets: [[Int64]: Int64] = [:]
  private var lastMissing: (reasons: [String: String], id: Int64)?

  init(run: Int64) { self.run = run }

  mutating func insert(_ blocks: [[LaunchRecord]], _ db: Database) throws {
    let statement = try db.cachedStatement(sql: Self.sql)
    for block in blocks {
      for record in block {
        try statement.execute(arguments: StatementArguments(try values(of: record, db)))
        try insertCounters(of: record, db)
        try insertOutput(of: record, db)
        try insertStages(of: record, db)
        try insertFilm(of: record, db)
        try insertSettling(of: record, db)
        try insertDisturbances(of: record, db)
      }
    }
  }
}

// MARK: - The row of a launch

extension LaunchInserter {
  private static let columns =
    [
      "run", "block", "position", "arm", "started_ns",
      "outcome", "exit_code", "signal", "not_started",
      "resolution_ns", "includes_waited_children", "missing", "flags", "stdout_bytes",
      "stderr_bytes",
      "preparation_ns", "warm_ups", "residency_set", "unverified", "failure",
      "state_reached", "state_reason",
    ] + Metric.stored.compactMap(\.column)

  private static let sql = """
    INSERT INTO launch (\(columns.joined(separator: ", ")))
    VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
    """

  /// In the order of `columns`.
  private mutating func values(
    of record: LaunchRecord,
    _ db: Database
  ) throws -> [DatabaseValue] {
    let place = [run.databaseValue, record.block.databaseValue, record.position.databaseValue]
    let start = [record.arm.databaseValue, record.startedAt.count.databaseValue]
    return try place + start + outcome(record.result, db) + figures(record.result.figures, db)
      + stated(record.result) + preparation(record.preparation, db) + state(record, db)
      + Metric.stored.map { value(record.result.value(of: $0)) }
  }

  private mutating func outcome(_ result: LaunchResult, _ db: Database) throws -> [DatabaseValue] {
    var code = DatabaseValue.null
    var signal = DatabaseValue.null
    var notStarted = DatabaseValue.null
    switch result.outcome {
    case .ready, .timedOut: break
    case .exited(let value): code = value.databaseValue
    case .signalled(let value): signal = value.databaseValue
    case .notStarted(let reason): notStarted = try reasons.id(of: reason, db).databaseValue
    }
    return [
      result.outcome.name.databaseValue, code, signal, notStarted,
      result.resolution.count.databaseValue,
    ]
  }

  private mutating func figures(_ figures: Figures, _ db: Database) throws -> [DatabaseValue] {
    [
      figures.includesWaitedChildren.databaseValue, value(try missing(figures.missing, db)),
    ]
  }

  private func stated(_ result: LaunchResult) -> [DatabaseValue] {
    let flags = result.flags.isEmpty ? "" : result.flags.map(\.rawValue).joined(separator: " ")
    return [
      flags.databaseValue,
      result.output.stdout.totalBytes.databaseValue,
      result.output.stderr.totalBytes.databaseValue,
    ]
  }

  private mutating func preparation(
    _ preparation: Preparation,
    _ db: Database
  ) throws -> [DatabaseValue] {
    [
      preparation.duration.count.databaseValue, preparation.warmUps.databaseValue,
      value(try residencySet(preparation.residency, db)),
      value(try preparation.unverified.map { try reasons.id(of: $0, db) }),
      value(try preparation.failure.map { try reasons.id(of: $0, db) }),
    ]
  }

  private mutating func state(
    _ record: LaunchRecord,
    _ db: Database
  ) throws -> [DatabaseValue] {
    let reason: String? =
      switch record.stateReached {
      case .reached: nil
      case .notReached(let reason), .notVerified(let reason): reason
      }
    return [
      record.stateReached.name.databaseValue,
      value(try reason.map { try reasons.id(of: $0, db) }),
    ]
  }

  private func value(_ number: Int64?) -> DatabaseValue { number?.databaseValue ?? .null }
}

// MARK: - What a launch refers to

extension LaunchInserter {
  private mutating func missing(
    _ reasons: [String: String],
    _ db: Database
  ) throws -> Int64? {
    guard !reasons.isEmpty else { return nil }
    if let lastMissing, lastMissing.reasons == reasons { return lastMissing.id }
    let id = try missing.id(of: JSONText.text(reasons), db)
    lastMissing = (reasons, id)
    return id
  }

  private mutating func residencySet(
    _ files: [FileResidency],
    _ db: Database
  ) throws -> Int64? {
    guard !files.isEmpty else { return nil }
    var numbers: [Int64] = []
    numbers.reserveCapacity(files.count * 5)
    for file in files {
      numbers.append(try self.files.id(of: file.path, db))
      numbers.append(file.isOwn ? 1 : 0)
      numbers.append(Int64(file.residentPages))
      numbers.append(Int64(file.totalPages))
      numbers.append(try file.pinnedBy.map { try reasons.id(of: $0, db) } ?? Self.notPinned)
    }
    if let known = residencySets[numbers] { return known }
    let id = try insertResidencySet(numbers, db)
    // Sets that keep changing are not worth remembering.
    if residencySets.count >= 64 { residencySets.removeAll(keepingCapacity: true) }
    residencySets[numbers] = id
    return id
  }

  private static let notPinned: Int64 = -1

  private func insertResidencySet(_ numbers: [Int64], _ db: Database) throws -> Int64 {
    try db.cachedStatement(sql: "INSERT INTO residency_set DEFAULT VALUES").execute()
    let id = db.lastInsertedRowID
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO residency (residency_set, number, file, is_own, resident_pages, total_pages,
          pinned_by) VALUES (?, ?, ?, ?, ?, ?, nullif(?, \(Self.notPinned)))
        """
    )
    for start in stride(from: 0, to: numbers.count, by: 5) {
      let place = [id, Int64(start / 5)]
      try statement.execute(
        arguments: StatementArguments(place + numbers[start..<(start + 5)])
      )
    }
    return id
  }

  private func insertCounters(of record: LaunchRecord, _ db: Database) throws {
    guard !record.result.figures.counters.isEmpty else { return }
    let sql = "INSERT INTO counter (run, block, position, event, value) VALUES (?, ?, ?, ?, ?)"
    let statement = try db.cachedStatement(sql: sql)
    for (event, value) in record.result.figures.counters {
      try statement.execute(arguments: [run, record.block, record.position, event, value])
    }
  }

  private func insertStages(of record: LaunchRecord, _ db: Database) throws {
    guard let stages = record.stages else { return }
    let sql = "INSERT INTO stages (run, block, position, tree) VALUES (?, ?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [run, record.block, record.position, JSONText.text(stages)])
  }

  private func insertFilm(of record: LaunchRecord, _ db: Database) throws {
    guard let film = record.result.film else { return }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO film (run, block, position, number, at_ns, progress, png)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    for (number, frame) in film.frames.enumerated() {
      try statement.execute(arguments: [
        run, record.block, record.position, number, frame.time.count, frame.progress,
        Data(frame.png),
      ])
    }
  }

  private func insertOutput(of record: LaunchRecord, _ db: Database) throws {
    try insert(record.result.output.stdout, "stdout", of: record, db)
    try insert(record.result.output.stderr, "stderr", of: record, db)
  }

  private func insert(
    _ stream: CapturedStream,
    _ name: String,
    of record: LaunchRecord,
    _ db: Database
  ) throws {
    guard !stream.head.isEmpty || !stream.tail.isEmpty else { return }
    let sql = """
      INSERT INTO output (run, block, position, stream, head, tail) VALUES (?, ?, ?, ?, ?, ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      run, record.block, record.position, name, Data(stream.head), Data(stream.tail),
    ])
  }
}

/// What a launch waited for, and what got in its way; most launches have no rows of either.
extension LaunchInserter {
  mutating func insertSettling(of record: LaunchRecord, _ db: Database) throws {
    guard let settling = record.preparation.settling else { return }
    let sql = """
      INSERT INTO settling (run, block, position, waited_ns, obstacle) VALUES (?, ?, ?, ?, ?)
      """
    let obstacle = try settling.obstacle.map { try reasons.id(of: $0, db) }
    try db.cachedStatement(sql: sql).execute(arguments: [
      run, record.block, record.position, settling.waited.count, obstacle,
    ])
  }

  func insertDisturbances(of record: LaunchRecord, _ db: Database) throws {
    guard !record.result.disturbances.isEmpty else { return }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO disturbance (run, block, position, number, kind, amount, limit_value)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    for (number, disturbance) in record.result.disturbances.enumerated() {
      try statement.execute(arguments: [
        run, record.block, record.position, number, disturbance.kind.rawValue,
        disturbance.amount, disturbance.limit,
      ])
    }
  }
}
