/// How often simulated bisections were right.
package struct SimulationResult: Hashable, Sendable {
  package var settings: SimulationSettings

  /// Bisections that named only changes, and the largest one among them.
  package var right: Int

  /// Bisections that named only changes, but not the largest one.
  package var partlyRight: Int

  /// Bisections that named something that is no change.
  package var wrong: Int

  /// Bisections that named nothing after a search.
  package var undecided: Int

  /// Bisections that found no difference between the ends.
  package var refused: Int

  /// Means over all bisections; builds hold those that failed.
  package var builds: Double
  package var launches: Double

  /// What 95 % of the bisections did not exceed.
  package var launches95: Double

  /// The share of the slowdowns that were named, of a set that of all changes; nil where there are
  /// none.
  package var foundShare: Double?

  /// Of the bisections with an interval: how many held a change, and the mean number of revisions;
  /// nil where there was none.
  package var coverage: Double?
  package var intervalWidth: Double?

  /// Of the changes that were named: the mean of the size that was told over the true one, and the
  /// share of the 95 % intervals that hold it; nil where none was named.
  package var sizeRatio: Double?
  package var sizeCoverage: Double?

  /// The seeds of the bisections that were wrong.
  package var wrongSeeds: [UInt64]

  package init(
    settings: SimulationSettings,
    right: Int = 0,
    partlyRight: Int = 0,
    wrong: Int = 0,
    undecided: Int = 0,
    refused: Int = 0,
    builds: Double = 0,
    launches: Double = 0,
    launches95: Double = 0,
    foundShare: Double? = nil,
    coverage: Double? = nil,
    intervalWidth: Double? = nil,
    wrongSeeds: [UInt64] = []
  ) {
    self.settings = settings
    self.right = right
    self.partlyRight = partlyRight
    self.wrong = wrong
    self.undecided = undecided
    self.refused = refused
    self.builds = builds
    self.launches = launches
    self.launches95 = launches95
    self.foundShare = foundShare
    self.coverage = coverage
    self.intervalWidth = intervalWidth
    self.wrongSeeds = wrongSeeds
  }
}
