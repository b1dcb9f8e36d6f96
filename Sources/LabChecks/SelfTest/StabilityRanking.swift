import Comparison
package import LaunchCore

/// What the self-test of one host found, under a name that tells it from others.
package struct HostStability: Hashable, Sendable {
  /// Such as the file that it was read from.
  package var name: String

  package var cpuModel: String?

  package var fingerprint: String

  package var command: [String]

  /// One per state.
  package var noise: [HostNoise]

  package init(
    name: String,
    cpuModel: String?,
    fingerprint: String,
    command: [String],
    noise: [HostNoise]
  ) {
    self.name = name
    self.cpuModel = cpuModel
    self.fingerprint = fingerprint
    self.command = command
    self.noise = noise
  }
}

/// The hosts that launched the same command, the most stable one first.
///
/// A host is as good as its worst state: hosts are ordered by the smallest effect that they detect
/// there, and by the coefficient of variation of that state where two detect the same. Only states
/// that each host measured count, and only a number of pairs that the effect of each is known for.
package struct StabilityRanking: Hashable, Sendable {
  package var command: [String]

  /// The states that each host measured; when there is none, nothing can be ranked.
  package var states: [LaunchState]

  /// The largest number of pairs that the effect of each host and state is known for.
  package var pairs: Int?

  /// The best first; empty when there is no state or no number of pairs that all have.
  package var places: [Place]

  /// The hosts that could not be ranked, by name.
  package var unranked: [String]

  /// One host and what it was ranked by.
  package struct Place: Hashable, Sendable {
    package var host: HostStability

    /// The worst state.
    package var state: LaunchState

    /// The smallest effect that is detected in that state.
    package var effect: Double

    /// The coefficient of variation in that state.
    package var coefficientOfVariation: Double

    /// False alarms and comparisons of all ranked states.
    package var falseAlarms: Int
    package var comparisons: Int
  }

  /// Ranks hosts apart by what they launched, in the order in which the commands come.
  package static func rankings(of hosts: [HostStability]) -> [Self] {
    var commands: [[String]] = []
    for host in hosts where !commands.contains(host.command) { commands.append(host.command) }
    return commands.map { command in
      Self(command: command, hosts: hosts.filter { $0.command == command })
    }
  }

  private init(command: [String], hosts: [HostStability]) {
    let states = LaunchState.allCases.filter { state in
      hosts.allSatisfy { host in host.noise.contains { $0.state == state } }
    }
    let noise = hosts.flatMap { host in host.noise.filter { states.contains($0.state) } }
    let numbers = noise.map { Set($0.detectable.map(\.pairs)) }
    let pairs = numbers.dropFirst().reduce(numbers.first ?? []) { $0.intersection($1) }.max()
    self.command = command
    self.states = states
    self.pairs = pairs
    let places = hosts.compactMap { host in
      pairs.flatMap { Place(host: host, states: states, pairs: $0) }
    }
    self.places = places.sorted {
      ($0.effect, $0.coefficientOfVariation, $0.host.name)
        < ($1.effect, $1.coefficientOfVariation, $1.host.name)
    }
    unranked = places.isEmpty ? hosts.map(\.name) : []
  }
}

extension StabilityRanking.Place {
  /// Nil when the host has no such state.
  fileprivate init?(host: HostStability, states: [LaunchState], pairs: Int) {
    let noise = host.noise.filter { states.contains($0.state) }
    let effects = noise.compactMap { noise in noise.effect(pairs: pairs).map { (noise, $0) } }
    let worst = effects.max {
      ($0.1, $0.0.coefficientOfVariation) < ($1.1, $1.0.coefficientOfVariation)
    }
    guard let worst else { return nil }
    self.host = host
    state = worst.0.state
    effect = worst.1
    coefficientOfVariation = worst.0.coefficientOfVariation
    falseAlarms = noise.reduce(0) { $0 + $1.falseAlarms }
    comparisons = noise.reduce(0) { $0 + $1.comparisons }
  }
}
