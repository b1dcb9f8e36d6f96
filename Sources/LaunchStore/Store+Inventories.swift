import GRDB
package import LaunchCore

extension Store {
  /// What can be approved in an inventory, as it is stored: in order, so that equal ones are equal texts.
  private struct Contents: Codable {
    var things: [GateThing]?
    var opened: [String]?

    init(_ inventory: LaunchInventory) {
      things = inventory.things
      opened = inventory.opened?.sorted()
    }
  }

  /// Replaces what is stored of what the launches of a run consist of.
  ///
  /// - Parameters:
  ///   - inventories: At most one per target.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``; then the former ones are kept.
  package func saveInventories(_ inventories: [LaunchInventory], of run: String) throws {
    try write { db in
      let key = try key(db, of: run)
      var contents = InternedText(table: "contents", column: "things")
      try db.execute(sql: "DELETE FROM inventory WHERE run = ?", arguments: [key])
      for inventory in inventories {
        let id = try contents.id(of: try JSONText.text(Contents(inventory)), db)
        try db.execute(
          sql: "INSERT INTO inventory (run, target, contents) VALUES (?, ?, ?)",
          arguments: [key, inventory.target, id]
        )
        for (figure, count) in inventory.counts {
          try db.execute(
            sql: """
              INSERT INTO inventory_count (run, target, figure, median, spread)
              VALUES (?, ?, ?, ?, ?)
              """,
            arguments: [key, inventory.target, figure.rawValue, count.median, count.spread]
          )
        }
      }
    }
  }

  /// Reads what the launches of the nights of a scenario consist of.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - choice: Which nights.
  /// - Returns: By the id of the run, in the order of the names of the targets. Figures that this
  ///   launchlab does not know are left out.
  /// - Throws: ``StoreError``.
  package func inventories(
    scenario: String,
    of choice: NightChoice = .all
  ) throws -> [String: [LaunchInventory]] {
    let runs = "FROM run CROSS JOIN inventory ON inventory.run = run.key"
    let counts = """
      SELECT id, inventory_count.target, figure, median, spread \(runs)
      JOIN inventory_count USING (run, target) WHERE \(choice.condition)
      """
    let contents = """
      SELECT run.id, target, contents.id AS contents, things \(runs)
      JOIN contents ON contents.id = inventory.contents WHERE \(choice.condition) ORDER BY target
      """
    let arguments = choice.arguments(scenario: scenario)
    struct Key: Hashable {
      var run: String
      var target: String
    }
    return try read { db in
      var figures: [Key: [GateRules.Figure: LaunchInventory.Count]] = [:]
      for row in try StoredRow.fetchAll(db, sql: counts, arguments: arguments) {
        guard let figure = GateRules.Figure(rawValue: try row["figure"]) else { continue }
        let key = Key(run: try row["id"], target: try row["target"])
        figures[key, default: [:]][figure] = .init(try row["median"], spread: try row["spread"])
      }
      var found: [String: [LaunchInventory]] = [:]
      var known: [Int64: Contents] = [:]
      for row in try StoredRow.fetchAll(db, sql: contents, arguments: arguments) {
        let key = Key(run: try row["id"], target: try row["target"])
        let id: Int64 = try row["contents"]
        let contents = try known[id] ?? json(Contents.self, row["things"])
        known[id] = contents
        found[key.run, default: []].append(
          LaunchInventory(
            target: key.target,
            things: contents.things,
            opened: contents.opened.map(Set.init),
            counts: figures[key] ?? [:]
          )
        )
      }
      return found
    }
  }
}
