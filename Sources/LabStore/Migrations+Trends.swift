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
