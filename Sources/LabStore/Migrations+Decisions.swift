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
