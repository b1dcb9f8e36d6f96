/// How a scenario asks for stages.
package struct StagePlan: Hashable, Codable, Sendable {
  /// At least one, without repetition.
  package var collectors: [StageCollector]

  /// How many launches of its own each collector gets in each state, at least 1.
  package var launches: Int

  /// Whether the probe takes `LD_AUDIT` out of the target's environment.
  package var isProbeHidden: Bool

  /// Variables that only the launches of the collector `text` get.
  package var environment: [String: String]

  /// Regular expressions with the groups `stage`, `value` and `unit`, for the target's own text.
  package var patterns: [String]

  package init(
    collectors: [StageCollector] = [.probe],
    launches: Int = Self.defaultLaunches,
    isProbeHidden: Bool = false,
    environment: [String: String] = [:],
    patterns: [String] = []
  ) {
    self.collectors = collectors
    self.launches = launches
    self.isProbeHidden = isProbeHidden
    self.environment = environment
    self.patterns = patterns
  }

  package static let defaultLaunches = 5

  /// The collectors that get launches of their own.
  ///
  /// Marks cost next to nothing, and are taken along where the probe or breakpoints collect.
  package var arms: [StageCollector] {
    let carriesMarks = collectors.contains { [.auto, .probe, .breakpoints].contains($0) }
    return collectors.filter { !carriesMarks || $0 != .marks }
  }

  /// Whether marks are wanted, on launches of whatever collector.
  package var hasMarks: Bool { collectors.contains(.marks) }
}
