/// What the machine must be like before a launch; a nil limit is not looked at.
package struct SettleLimits: Hashable, Codable, Sendable {
  /// The smallest idle share of the processors that the target may use, from 0 to 1.
  package var cpuIdle: Double?

  /// The largest share of time in which some task waited for storage, from 0 to 1.
  package var ioPressure: Double?

  /// The largest one-minute load average.
  package var load: Double?

  /// The highest temperature of any sensor, in degrees Celsius.
  package var temperature: Double?

  /// How long a launch is put off at most.
  package var within: Nanoseconds

  package init(
    cpuIdle: Double? = nil,
    ioPressure: Double? = nil,
    load: Double? = nil,
    temperature: Double? = nil,
    within: Nanoseconds = .seconds(30)
  ) {
    self.cpuIdle = cpuIdle
    self.ioPressure = ioPressure
    self.load = load
    self.temperature = temperature
    self.within = within
  }
}

/// How a launch waited for the machine to settle.
package struct Settling: Hashable, Codable, Sendable {
  package var waited: Nanoseconds

  /// What was still beyond its limit when the launch was made all the same, such as
  /// `cpu idle 12 % (limit 90 %)`; nil when the machine had settled.
  package var obstacle: String?

  package init(waited: Nanoseconds, obstacle: String? = nil) {
    self.waited = waited
    self.obstacle = obstacle
  }
}
