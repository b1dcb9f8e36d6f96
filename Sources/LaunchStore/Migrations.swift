import GRDB

/// The history of the schema.
///
/// A migration that has shipped is never edited. Migrations speak SQL only, because the types of
/// the application describe the newest schema, and a migration an old one.
enum Migrations {
  /// The schema version that this launchlab reads and writes, as in `PRAGMA user_version`.
  static let newest = 12

  /// The digest of what the migrations declare; a store with another one is compared column by column.
  static let newestDigest =
    "cbc2f8dde2f383def03c86b0eef9caf1312e97e88de37fc2b818f5e517ba1b87"

  /// The `PRAGMA application_id` of a store: `LLab` in ASCII.
  static let applicationID = 0x4C4C_6162

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1", migrate: createRunsAndLaunches)
    migrator.registerMigration("2", migrate: addStages)
    migrator.registerMigration("3", migrate: addControls)
    // Checking every foreign key of a store with millions of launches takes minutes.
    migrator.registerMigration("4", foreignKeyChecks: .immediate, migrate: addTrends)
    migrator.registerMigration("5", foreignKeyChecks: .immediate, migrate: addDecisions)
    migrator.registerMigration("6", foreignKeyChecks: .immediate, migrate: addOutcomes)
    migrator.registerMigration("7", foreignKeyChecks: .immediate, migrate: addExplanations)
    migrator.registerMigration("8", foreignKeyChecks: .immediate, migrate: addInventories)
    migrator.registerMigration("9", foreignKeyChecks: .immediate, migrate: addWindows)
    migrator.registerMigration("10", foreignKeyChecks: .immediate, migrate: addFilms)
    migrator.registerMigration("11", foreignKeyChecks: .immediate, migrate: addHosts)
    migrator.registerMigration("12", foreignKeyChecks: .immediate, migrate: addSlots)
    return migrator
  }

  private static let createRunsAndLaunches: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: runTables)
    try db.execute(sql: evidenceTables)
    try db.execute(sql: launchTables)
    try db.execute(sql: "PRAGMA application_id = 0x4C4C6162; PRAGMA user_version = 1")
  }

  private static let addStages: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: stageTables)
    try db.execute(sql: "PRAGMA user_version = 2")
  }

  private static let addControls: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: controlTables)
    try db.execute(sql: "PRAGMA user_version = 3")
  }

  private static let addTrends: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: trendTables)
    try db.execute(sql: "PRAGMA user_version = 4")
  }

  private static let addDecisions: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: decisionTables)
    try db.execute(sql: "PRAGMA user_version = 5")
  }

  private static let addOutcomes: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: outcomeColumns)
    try db.execute(sql: "PRAGMA user_version = 6")
  }

  private static let addExplanations: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: explanationTable)
    try db.execute(sql: "PRAGMA user_version = 7")
  }

  private static let addInventories: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: inventoryTables)
    try db.execute(sql: "PRAGMA user_version = 8")
  }

  private static let addWindows: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: windowColumns)
    try db.execute(sql: "PRAGMA user_version = 9")
  }

  private static let addFilms: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: filmTables)
    try db.execute(sql: "PRAGMA user_version = 10")
  }

  private static let addHosts: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: hostColumn)
    try db.execute(sql: "PRAGMA user_version = 11")
  }

  private static let addSlots: @Sendable (Database) throws -> Void = { db in
    try db.execute(sql: slotColumns)
    try db.execute(sql: "PRAGMA user_version = 12")
  }
}

// MARK: - Version 1

extension Migrations {
  private static let runTables = """
    CREATE TABLE run (
      key INTEGER NOT NULL PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      scenario TEXT NOT NULL,
      started_at TEXT NOT NULL CHECK (started_at GLOB '????-??-??T??:??:??.???Z'),
      finished_at TEXT CHECK (finished_at GLOB '????-??-??T??:??:??.???Z'),
      status TEXT NOT NULL
        CHECK (status IN ('unfinished', 'complete', 'failed', 'interrupted')),
      seed TEXT NOT NULL CHECK (seed <> '' AND seed NOT GLOB '*[^0-9]*'),
      planned_launches INTEGER NOT NULL CHECK (planned_launches >= 0),
      fingerprint TEXT NOT NULL,
      build_commit TEXT,
      tool TEXT NOT NULL,
      plan TEXT NOT NULL CHECK (json_valid(plan)),
      host TEXT NOT NULL CHECK (json_valid(host)),
      build TEXT CHECK (build IS NULL OR json_valid(build)),
      CHECK ((build IS NULL) = (build_commit IS NULL))
    ) STRICT;

    CREATE INDEX run_by_start ON run (started_at);
    CREATE INDEX run_by_scenario ON run (scenario, started_at);

    CREATE TABLE arm (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number >= 0),
      target TEXT NOT NULL,
      state TEXT NOT NULL,
      kind TEXT NOT NULL,
      PRIMARY KEY (run, number),
      UNIQUE (run, target, state, kind)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE control (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number >= 0),
      name TEXT NOT NULL,
      wanted TEXT,
      before TEXT,
      after TEXT,
      status TEXT NOT NULL
        CHECK (status IN ('applied', 'observed', 'failed', 'unavailable')),
      reason TEXT,
      PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE summary (
      run INTEGER NOT NULL,
      arm INTEGER NOT NULL,
      metric TEXT NOT NULL,
      version INTEGER NOT NULL CHECK (version >= 1),
      n INTEGER NOT NULL CHECK (n >= 1),
      mean REAL NOT NULL,
      variance REAL CHECK (variance >= 0),
      median REAL NOT NULL,
      mad REAL NOT NULL CHECK (mad >= 0),
      min REAL NOT NULL,
      max REAL NOT NULL CHECK (max >= min),
      p90 REAL NOT NULL,
      p95 REAL NOT NULL,
      ci_low REAL,
      ci_high REAL CHECK (ci_high >= ci_low),
      PRIMARY KEY (run, arm, metric),
      FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE,
      CHECK ((ci_low IS NULL) = (ci_high IS NULL)),
      CHECK ((variance IS NULL) = (n = 1))
    ) STRICT, WITHOUT ROWID;
    """

  private static let evidenceTables = """
    CREATE TABLE file (
      id INTEGER NOT NULL PRIMARY KEY,
      path TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE reason (
      id INTEGER NOT NULL PRIMARY KEY,
      text TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE missing (
      id INTEGER NOT NULL PRIMARY KEY,
      reasons TEXT NOT NULL UNIQUE CHECK (json_type(reasons) = 'object')
    ) STRICT;

    CREATE TABLE residency_set (
      id INTEGER NOT NULL PRIMARY KEY
    ) STRICT;

    CREATE TABLE residency (
      residency_set INTEGER NOT NULL REFERENCES residency_set (id) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number >= 0),
      file INTEGER NOT NULL REFERENCES file (id),
      is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
      resident_pages INTEGER NOT NULL CHECK (resident_pages >= 0),
      total_pages INTEGER NOT NULL CHECK (total_pages >= resident_pages),
      pinned_by INTEGER REFERENCES reason (id),
      PRIMARY KEY (residency_set, number)
    ) STRICT, WITHOUT ROWID;
    """

  private static let launchTables = """
    CREATE TABLE launch (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL CHECK (block >= 0),
      position INTEGER NOT NULL CHECK (position >= 0),
      arm INTEGER NOT NULL,
      started_ns INTEGER NOT NULL,
      outcome TEXT NOT NULL
        CHECK (outcome IN ('ready', 'exited', 'signalled', 'timed-out', 'not-started')),
      exit_code INTEGER CHECK ((exit_code IS NOT NULL) = (outcome = 'exited')),
      signal INTEGER CHECK ((signal IS NOT NULL) = (outcome = 'signalled')),
      not_started INTEGER REFERENCES reason (id)
        CHECK ((not_started IS NOT NULL) = (outcome = 'not-started')),
      launch_ns INTEGER CHECK (launch_ns IS NULL OR (launch_ns >= 0 AND outcome = 'ready')),
      spawn_ns INTEGER CHECK (spawn_ns >= 0),
      resolution_ns INTEGER NOT NULL CHECK (resolution_ns >= 0),
      peak_rss_bytes INTEGER,
      peak_rss_tree_bytes INTEGER,
      minor_faults INTEGER,
      major_faults INTEGER,
      voluntary_switches INTEGER,
      involuntary_switches INTEGER,
      user_ns INTEGER,
      system_ns INTEGER,
      read_bytes INTEGER,
      includes_waited_children INTEGER NOT NULL CHECK (includes_waited_children IN (0, 1)),
      missing INTEGER REFERENCES missing (id),
      flags TEXT NOT NULL,
      stdout_bytes INTEGER NOT NULL CHECK (stdout_bytes >= 0),
      stderr_bytes INTEGER NOT NULL CHECK (stderr_bytes >= 0),
      preparation_ns INTEGER NOT NULL CHECK (preparation_ns >= 0),
      warm_ups INTEGER NOT NULL CHECK (warm_ups >= 0),
      residency_set INTEGER REFERENCES residency_set (id),
      unverified INTEGER REFERENCES reason (id),
      failure INTEGER REFERENCES reason (id),
      state_reached TEXT NOT NULL
        CHECK (state_reached IN ('reached', 'not-reached', 'not-verified')),
      state_reason INTEGER REFERENCES reason (id)
        CHECK ((state_reason IS NULL) = (state_reached = 'reached')),
      PRIMARY KEY (run, block, position),
      FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE counter (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      event TEXT NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (run, block, position, event),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
        ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE output (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      stream TEXT NOT NULL CHECK (stream IN ('stdout', 'stderr')),
      head BLOB NOT NULL,
      tail BLOB NOT NULL,
      PRIMARY KEY (run, block, position, stream),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
        ON DELETE CASCADE
    ) STRICT;
    """
}

// MARK: - Version 2

extension Migrations {
  private static let stageTables = """
    CREATE TABLE stages (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      tree TEXT NOT NULL CHECK (json_type(tree) = 'object'),
      PRIMARY KEY (run, block, position),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
        ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE symbol (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      file INTEGER NOT NULL REFERENCES file (id),
      place INTEGER NOT NULL,
      name TEXT NOT NULL CHECK (name <> ''),
      PRIMARY KEY (run, file, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE collector (
      run INTEGER NOT NULL,
      arm INTEGER NOT NULL,
      name TEXT NOT NULL,
      version INTEGER NOT NULL CHECK (version >= 1),
      launches INTEGER NOT NULL CHECK (launches >= 1),
      launch REAL NOT NULL,
      pre_main REAL,
      parts_sum REAL,
      worst_launch REAL CHECK (worst_launch >= 0),
      plain REAL,
      cost REAL,
      PRIMARY KEY (run, arm, name),
      FOREIGN KEY (run, arm) REFERENCES arm (run, number) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stage_median (
      run INTEGER NOT NULL,
      arm INTEGER NOT NULL,
      collector TEXT NOT NULL,
      number INTEGER NOT NULL CHECK (number >= 0),
      path TEXT NOT NULL CHECK (path <> ''),
      n INTEGER NOT NULL CHECK (n >= 1),
      median REAL NOT NULL,
      ci_low REAL,
      ci_high REAL CHECK (ci_high >= ci_low),
      share REAL,
      PRIMARY KEY (run, arm, collector, path),
      FOREIGN KEY (run, arm, collector) REFERENCES collector (run, arm, name) ON DELETE CASCADE,
      CHECK ((ci_low IS NULL) = (ci_high IS NULL))
    ) STRICT, WITHOUT ROWID;
    """
}
