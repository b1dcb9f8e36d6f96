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
