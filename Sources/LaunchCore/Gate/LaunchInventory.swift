/// What the launches of a target consist of, as one night has counted it.
package struct LaunchInventory: Hashable, Codable, Sendable {
  /// The name of the target.
  package var target: String

  /// The libraries, and the initializers and tasks of own files, in order; nil where files were not read.
  ///
  /// Initializers without a name are there as often as they are.
  package var things: [GateThing]?

  /// The names of the libraries that launches opened besides; nil where not all of them were seen.
  package var opened: Set<String>?

  /// What was counted, by figure.
  package var counts: [GateRules.Figure: Count]

  package init(
    target: String,
    things: [GateThing]? = nil,
    opened: Set<String>? = nil,
    counts: [GateRules.Figure: Count] = [:]
  ) {
    self.target = target
    self.things = things?.sorted()
    self.opened = opened
    self.counts = counts
  }

  /// A figure of a few launches, in its unit.
  package struct Count: Hashable, Codable, Sendable {
    package var median: Double

    /// How far the launches are apart.
    package var spread: Double

    package init(_ median: Double, spread: Double = 0) {
      self.median = median
      self.spread = spread
    }
  }
}
