/// What a bisection does next.
package enum BisectAction: Hashable, Sendable {
  /// Build a revision.
  case build(Int)

  /// Launch builds side by side, row after row; every second row in reverse order.
  ///
  /// Two arms are a test of two builds, three a candidate between its two neighbours, and one a
  /// candidate of an exact measure.
  case launch(arms: [Int], rows: Int)

  case done(BisectAnswer)
}
