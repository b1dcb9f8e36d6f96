// MARK: - Version 4

extension Migrations {
  /// What runs are for, the programs they launched, and what was concluded from their history.
  ///
  /// A column is added to `run`, so the index that trends read is a covering one: the new column
  /// stands behind the plan, which spills over to further pages.
  static let trendTables = """
    ALTER TABLE run ADD COLUMN purpose TEXT NOT NULL DEFAULT 'night'
      CHECK (purpose IN ('night', 'trial', 'comparison', 'proof', 'selftest', 'imported'));
    UPDATE run SET purpose = 'selftest' WHERE scenario = 'selftest';

    DROP INDEX run_by_scenario;
    CREATE INDEX run_by_scenario
      ON run (scenario, started_at, id, purpose, status, fingerprint);

    CREATE TABLE artifact (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      target TEXT NOT NULL CHECK (target <> ''),
      path TEXT NOT NULL CHECK (path <> ''),
      digest TEXT NOT NULL CHECK (digest <> '' AND digest NOT GLOB '*[^0-9a-f]*'),
      bytes INTEGER NOT NULL CHECK (bytes >= 0),
      PRIMARY KEY (run, target)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE alert (
      number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
      kind TEXT NOT NULL CHECK (kind IN ('step', 'drift', 'budget')),
      scenario TEXT NOT NULL,
      target TEXT NOT NULL,
      state TEXT NOT NULL,
      metric TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      direction TEXT NOT NULL CHECK (direction IN ('worse', 'better')),
      status TEXT NOT NULL CHECK (status IN
        ('suspected', 'confirmed', 'acknowledged', 'fixed', 'recovered', 'refuted')),
      cause TEXT NOT NULL CHECK (cause IN ('code', 'machine', 'unknown')),
      onset TEXT NOT NULL CHECK (onset <> ''),
      last_good TEXT,
      before REAL NOT NULL,
      after REAL NOT NULL,
      proof TEXT CHECK (proof IS NULL OR json_type(proof) = 'object')
    ) STRICT;

    CREATE INDEX alert_by_scenario ON alert (scenario, number);

    CREATE TABLE alert_event (
      alert INTEGER NOT NULL REFERENCES alert (number) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number >= 0),
      at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
      run TEXT,
      status TEXT NOT NULL CHECK (status IN
        ('suspected', 'confirmed', 'acknowledged', 'fixed', 'recovered', 'refuted')),
      cause TEXT NOT NULL CHECK (cause IN ('code', 'machine', 'unknown')),
      reason TEXT NOT NULL,
      criteria TEXT NOT NULL CHECK (json_type(criteria) = 'array'),
      PRIMARY KEY (alert, number)
    ) STRICT;

    CREATE TABLE delivery (
      alert INTEGER NOT NULL,
      event INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number >= 0),
      notifier TEXT NOT NULL CHECK (notifier <> ''),
      at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
      failure TEXT,
      PRIMARY KEY (alert, event, number),
      FOREIGN KEY (alert, event) REFERENCES alert_event (alert, number) ON DELETE CASCADE
    ) STRICT;
    """
}

// MARK: - Version 3

extension Migrations {
  /// What launches waited for, what got in their way, and the noise of hosts.
  static let controlTables = """
    CREATE TABLE settling (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      waited_ns INTEGER NOT NULL CHECK (waited_ns >= 0),
      obstacle INTEGER REFERENCES reason (id),
      PRIMARY KEY (run, block, position),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
        ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE disturbance (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number >= 0),
      kind TEXT NOT NULL CHECK (kind <> ''),
      amount INTEGER NOT NULL CHECK (amount >= 0),
      limit_value INTEGER NOT NULL CHECK (limit_value >= 0),
      PRIMARY KEY (run, block, position, number),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position)
        ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE noise (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      state TEXT NOT NULL,
      measured_at TEXT NOT NULL CHECK (measured_at GLOB '????-??-??T??:??:??.???Z'),
      fingerprint TEXT NOT NULL,
      command TEXT NOT NULL CHECK (json_type(command) = 'array'),
      pairs INTEGER NOT NULL CHECK (pairs >= 1),
      median REAL NOT NULL CHECK (median >= 0),
      cv REAL NOT NULL CHECK (cv >= 0),
      comparisons INTEGER NOT NULL CHECK (comparisons >= 0),
      false_alarms INTEGER NOT NULL CHECK (false_alarms BETWEEN 0 AND comparisons),
      PRIMARY KEY (run, state)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX noise_by_fingerprint ON noise (fingerprint, measured_at);

    CREATE TABLE detectable_effect (
      run INTEGER NOT NULL,
      state TEXT NOT NULL,
      pairs INTEGER NOT NULL CHECK (pairs >= 1),
      effect REAL NOT NULL CHECK (effect >= 0),
      PRIMARY KEY (run, state, pairs),
      FOREIGN KEY (run, state) REFERENCES noise (run, state) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}

// MARK: - Version 5

extension Migrations {
  /// What people decided about runs, and the runs that are out of history because of it.
  static let decisionTables = """
    CREATE TABLE run_decision (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number >= 0),
      at TEXT NOT NULL CHECK (at GLOB '????-??-??T??:??:??.???Z'),
      person TEXT NOT NULL,
      standing TEXT NOT NULL CHECK (standing IN ('included', 'excluded', 'removed')),
      reason TEXT NOT NULL,
      PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;

    CREATE VIEW left_out AS
      SELECT run, at, person, standing, reason FROM run_decision AS d
      WHERE standing <> 'included'
        AND number = (SELECT max(number) FROM run_decision WHERE run = d.run);
    """
}

// MARK: - Version 6

extension Migrations {
  /// What runs came to, and who decided about alerts.
  static let outcomeColumns = """
    ALTER TABLE run ADD COLUMN verdict TEXT CHECK (verdict <> '');
    ALTER TABLE run ADD COLUMN exit_code INTEGER CHECK (exit_code BETWEEN 0 AND 255);
    ALTER TABLE alert_event ADD COLUMN person TEXT CHECK (person <> '');
    """
}

// MARK: - Version 7

extension Migrations {
  /// Why launches of alerts are slower.
  static let explanationTable = """
    CREATE TABLE explanation (
      alert INTEGER NOT NULL PRIMARY KEY REFERENCES alert (number) ON DELETE CASCADE,
      run TEXT NOT NULL CHECK (run <> ''),
      before TEXT NOT NULL CHECK (before <> ''),
      after TEXT NOT NULL CHECK (after <> ''),
      why TEXT NOT NULL CHECK (why <> ''),
      markdown TEXT NOT NULL,
      section TEXT NOT NULL,
      text TEXT NOT NULL,
      document TEXT NOT NULL CHECK (json_type(document) = 'object'),
      flame_graph TEXT NOT NULL
    ) STRICT;
    """
}

// MARK: - Version 8

extension Migrations {
  /// What launches of nights consist of.
  static let inventoryTables = """
    CREATE TABLE contents (
      id INTEGER NOT NULL PRIMARY KEY,
      things TEXT NOT NULL UNIQUE CHECK (json_type(things) = 'object')
    ) STRICT;

    CREATE TABLE inventory (
      run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
      target TEXT NOT NULL CHECK (target <> ''),
      contents INTEGER NOT NULL REFERENCES contents (id),
      PRIMARY KEY (run, target)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE inventory_count (
      run INTEGER NOT NULL,
      target TEXT NOT NULL,
      figure TEXT NOT NULL CHECK (figure <> ''),
      median REAL NOT NULL CHECK (median >= 0),
      spread REAL NOT NULL CHECK (spread >= 0),
      PRIMARY KEY (run, target, figure),
      FOREIGN KEY (run, target) REFERENCES inventory (run, target) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}

// MARK: - Version 9

extension Migrations {
  /// What the user saw of launches that waited for a window.
  static let windowColumns = """
    ALTER TABLE launch ADD COLUMN window_ns INTEGER CHECK (window_ns >= 0);
    ALTER TABLE launch ADD COLUMN frame_ns INTEGER CHECK (frame_ns >= 0);
    ALTER TABLE launch ADD COLUMN settled_ns INTEGER CHECK (settled_ns >= 0);
    """
}

// MARK: - Version 10

extension Migrations {
  /// How windows looked during launches that were filmed.
  static let filmTables = """
    ALTER TABLE launch ADD COLUMN speed_index_ns INTEGER CHECK (speed_index_ns >= 0);

    CREATE TABLE film (
      run INTEGER NOT NULL,
      block INTEGER NOT NULL,
      position INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number >= 0),
      at_ns INTEGER NOT NULL CHECK (at_ns >= 0),
      progress REAL NOT NULL CHECK (progress BETWEEN 0 AND 1),
      png BLOB NOT NULL,
      PRIMARY KEY (run, block, position, number),
      FOREIGN KEY (run, block, position) REFERENCES launch (run, block, position) ON DELETE CASCADE
    ) STRICT;
    """
}

// MARK: - Version 11

extension Migrations {
  /// Which machine of its kind a run was made on.
  static let hostColumn = """
    ALTER TABLE run ADD COLUMN host_identity TEXT CHECK (host_identity <> '');
    CREATE INDEX run_by_host ON run (scenario, host_identity, started_at);
    """
}

// MARK: - Version 12

extension Migrations {
  /// Which night and which host of a fleet a run is for.
  static let slotColumns = """
    ALTER TABLE run ADD COLUMN slot_night TEXT CHECK (slot_night <> '');
    ALTER TABLE run ADD COLUMN slot_host TEXT
      CHECK (slot_host <> '' AND (slot_host IS NULL) = (slot_night IS NULL));
    CREATE INDEX run_by_slot ON run (slot_night, slot_host) WHERE slot_night IS NOT NULL;
    """
}
