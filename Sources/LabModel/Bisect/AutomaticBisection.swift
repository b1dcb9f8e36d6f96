/// How a confirmed regression is bisected at the end of a night: the section `bisect`.
package struct AutomaticBisection: Hashable, Codable, Sendable {
  /// How long it may take.
  package var time: Nanoseconds

  /// How many builds are made at the same time.
  package var jobs: Int

  package init(time: Nanoseconds = .seconds(3600), jobs: Int = 1) {
    self.time = time
    self.jobs = jobs
  }
}
