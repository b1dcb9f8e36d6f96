/// How much work a bisection may do.
package struct BisectLimits: Hashable, Codable, Sendable {
  /// The most launches, discarded ones not counted.
  package var launches: Int

  /// The most builds that succeed, and a third of those that may fail; nil for
  /// 2 log2(n) + 12, or + 6 where builds differ by themselves.
  package var builds: Int?

  /// The most seconds of building and launching, over all sessions; nil for no limit.
  package var seconds: Double?

  package init(launches: Int = 8000, builds: Int? = nil, seconds: Double? = nil) {
    self.launches = launches
    self.builds = builds
    self.seconds = seconds
  }

  /// Whether work can be done within these limits.
  package var isSound: Bool {
    launches > 0 && builds ?? 1 > 0 && (0..<1e9).contains(seconds ?? 0)
  }
}
