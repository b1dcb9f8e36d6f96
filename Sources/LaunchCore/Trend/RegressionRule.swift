import Foundation

/// Which differences matter, and what is done about a suspicion: the section `regression`.
package struct RegressionRule: Hashable, Codable, Sendable {
  /// The smallest change that matters, as a share of the value before.
  package var effect: Double

  /// How sure the verdict of a comparison must be, from 0 to 1.
  package var confidence: Double

  /// How many more launches may be slow for two builds to be the same, as a share; nil where only the
  /// typical launch is judged, as rules of before slow launches were say.
  package var tail: Double?

  /// The share where a scenario does not say its own.
  package static let usualTail = 0.10

  /// The smallest change of a time that matters, whatever its share.
  package var floor: Nanoseconds

  /// The metrics that are judged, at least one.
  package var metrics: [Metric]

  /// How many nights a baseline has at most, at least 5.
  package var nights: Int

  /// The most pairs of launches of a proof; 0 for no proof.
  package var proofLaunches: Int

  /// Nil for none, which is what rules of before there were fleets say.
  private var hosts: Int?

  /// On how many hosts a fleet proves a suspicion at most; 0 where each host proves for itself.
  package var proofHosts: Int {
    get { hosts ?? 0 }
    set { hosts = newValue == 0 ? nil : newValue }
  }

  package init(
    effect: Double = 0.02,
    confidence: Double = 0.95,
    tail: Double? = Self.usualTail,
    floor: Nanoseconds = .zero,
    metrics: [Metric] = [.launch, .peakRSS],
    nights: Int = 28,
    proofLaunches: Int = 640,
    proofHosts: Int = 0
  ) {
    self.effect = effect
    self.confidence = confidence
    self.tail = tail
    self.floor = floor
    self.metrics = metrics
    self.nights = nights
    self.proofLaunches = proofLaunches
    self.proofHosts = proofHosts
  }

  /// That of a scenario file without a section; plans that were stored before counted no slow launches.
  package static let ofFiles = RegressionRule(metrics: [.launch, .peakRSS, .slowShare])
}

/// A limit that a launch must keep.
package struct Budget: Hashable, Codable, Sendable {
  package var target: String
  package var state: LaunchState
  package var metric: Metric

  /// The most that the median may be, in the unit of the metric.
  package var maximum: Double

  /// Which launches count as slow, of a limit for their share; nil for those that nights count.
  package var over: Nanoseconds?

  package init(
    target: String,
    state: LaunchState,
    metric: Metric,
    maximum: Double,
    over: Nanoseconds? = nil
  ) {
    self.target = target
    self.state = state
    self.metric = metric
    self.maximum = maximum
    self.over = over
  }

  /// The raw value is the name used in JSON and reports.
  package enum Outcome: String, Codable, Sendable {
    /// The whole interval lies at or below the limit.
    case kept

    /// The whole interval lies above the limit.
    case broken

    /// The interval reaches across the limit.
    case undecided

    case unmeasured
  }

  /// Judges a median by its interval.
  ///
  /// - Parameters:
  ///   - median: Nil where there is no value.
  ///   - interval: Nil where it is not known; then a median above the limit is undecided.
  /// - Returns: Whether the budget is kept.
  package func outcome(
    _ median: Double?,
    interval: (low: Double, high: Double)?
  ) -> Outcome {
    guard let median else { return .unmeasured }
    guard let (low, high) = interval else { return median > maximum ? .undecided : .kept }
    if low > maximum { return .broken }
    return high <= maximum ? .kept : .undecided
  }
}

/// When launches end before there are as many as may be.
package struct AdaptiveLaunches: Hashable, Codable, Sendable {
  /// The most launches of each arm.
  package var most: Int

  /// The half-width of the interval that is enough, as a share of the median.
  package var precision: Double

  /// After which time no further block begins, once the first look is reached; nil for no limit.
  package var timeLimit: Nanoseconds?

  /// How many launches of each arm may take up to ``patience`` times the limit; nil for none.
  package var fewestInTime: Int?

  package static let patience: Int64 = 4

  package init(
    most: Int,
    precision: Double,
    timeLimit: Nanoseconds? = nil,
    fewestInTime: Int? = nil
  ) {
    self.most = most
    self.precision = precision
    self.timeLimit = timeLimit
    self.fewestInTime = fewestInTime
  }

  /// The time after which a block does not begin, by how many there were before it; nil for no limit.
  package func timeLimit(after blocks: Int) -> Nanoseconds? {
    timeLimit.map {
      blocks < fewestInTime ?? 0 ? Nanoseconds($0.count * Self.patience) : $0
    }
  }
}

/// A program that does not change, launched every night in the same blocks: when it changes too, the
/// machine did.
package enum ControlTarget: Hashable, Codable, Sendable {
  /// A program and its arguments.
  case command([String])

  /// A target of the scenario as a revision of its source builds it.
  case revision(String, target: String)
}

/// Somebody who is told of findings.
package enum Notifier: Hashable, Codable, Sendable {
  /// A program that gets each finding as JSON on its standard input.
  case command([String])

  /// A Slack-compatible webhook; `$NAME` stands for a variable of the environment.
  case webhook(String)

  /// An address that sendmail sends to.
  case email(String)

  /// The job summary of a GitHub workflow.
  case githubSummary
}

/// A night that others are held against, by a name of the user's own.
package struct Release: Hashable, Codable, Sendable {
  package var name: String

  /// A date such as `2026-10-01`, the id of a run, or the first digits of a commit.
  package var anchor: String

  package init(name: String, anchor: String) {
    self.name = name
    self.anchor = anchor
  }
}

extension Notifier {
  /// How it is called in warnings and in the store, without what may be secret.
  package var name: String {
    switch self {
    case .command(let command):
      "command \(command.first ?? "")"
    case .webhook(let address):
      address.hasPrefix("$")
        ? "webhook \(address)" : "webhook \(URL(string: address)?.host() ?? "")"
    case .email(let address): "email \(address)"
    case .githubSummary: "github summary"
    }
  }

  /// The notifiers with the names that deliveries are kept under; a name of two gets a number.
  package static func named(_ notifiers: [Notifier]) -> [(Notifier, String)] {
    var uses: [String: Int] = [:]
    return notifiers.map { notifier in
      let name = notifier.name
      uses[name, default: 0] += 1
      let number = uses[name] ?? 1
      return (notifier, number == 1 ? name : "\(name) #\(number)")
    }
  }
}
