package import LabModel

/// What became of imported files.
package struct ImportSummary: Hashable, Sendable {
  package var scenario: String

  /// The path of the store.
  package var store: String

  /// The runs that were stored, ascending by start.
  package var runs: [RunListing]

  /// How many values of an arm and a metric were there before, and were skipped.
  package var skipped: Int

  /// What a reader of the values should know.
  package var warnings: [Diagnostic]

  package init(
    scenario: String,
    store: String,
    runs: [RunListing],
    skipped: Int,
    warnings: [Diagnostic]
  ) {
    self.scenario = scenario
    self.store = store
    self.runs = runs
    self.skipped = skipped
    self.warnings = warnings
  }
}
