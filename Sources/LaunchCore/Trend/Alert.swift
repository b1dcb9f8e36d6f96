package import Foundation

/// A change of a series that somebody should know of, from its first suspicion to its end.
package struct Alert: Hashable, Codable, Sendable {
  /// Unique in a store, from 1; shown as `R-17`.
  package var number: Int

  package var kind: Kind
  package var series: SeriesKey

  /// Whether it is for the worse or for the better.
  package var direction: Direction

  package var state: State
  package var cause: Cause

  /// The run of the first night of the new level.
  package var onset: String

  /// The run of the last night of the old level; nil for a broken budget.
  package var lastGood: String?

  /// The value before: the baseline's median, or the limit of a budget; in the metric's unit.
  package var before: Double

  /// The median of the newest nights since `onset` that are of the new level, in the metric's unit; that
  /// of tonight while the alert is suspected.
  package var after: Double

  /// What the interleaved comparison of the last good build with the newest one said.
  package var proof: Proof?

  /// Why launches are slower, where somebody or a night has found out.
  package var explanation: AlertExplanation?

  /// Everything that happened to the alert, the oldest first, at least one.
  package var events: [AlertEvent]

  package init(
    number: Int,
    kind: Kind,
    series: SeriesKey,
    direction: Direction,
    state: State,
    cause: Cause,
    onset: String,
    lastGood: String?,
    before: Double,
    after: Double,
    proof: Proof? = nil,
    explanation: AlertExplanation? = nil,
    events: [AlertEvent]
  ) {
    self.number = number
    self.kind = kind
    self.series = series
    self.direction = direction
    self.state = state
    self.cause = cause
    self.onset = onset
    self.lastGood = lastGood
    self.before = before
    self.after = after
    self.proof = proof
    self.explanation = explanation
    self.events = events
  }

  /// The identifier shown to people, such as `R-17`.
  package var id: String { "R-\(number)" }

  /// The number in a text such as `R-17`, `r-17` or `17`.
  package static func number(in text: String) -> Int? {
    let digits = text.uppercased().hasPrefix("R-") ? text.dropFirst(2) : text[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }

  /// Whether tonight's value is still looked at for the end of the alert.
  package var isOpen: Bool { state == .suspected || state == .confirmed || state == .acknowledged }

  /// Why launches are slower, as long as they are.
  package var openExplanation: AlertExplanation? { isOpen ? explanation : nil }

  /// Whether a person has the last word on it.
  package var isDecided: Bool {
    (state == .acknowledged || state == .refuted) && events.last.map { $0.run == nil } ?? false
  }

  /// Whether a night that began at a time has confirmed that its build is worse.
  package func isRegression(confirmedSince night: Date) -> Bool {
    guard isRed, kind == .step else { return false }
    return (events.first { $0.state == .confirmed }?.at ?? .distantPast) >= night
  }

  /// Whether the alert says that a release is worse: it decides the exit code.
  package var isRed: Bool {
    state == .confirmed && direction == .worse && (cause != .machine || kind == .budget)
  }

  /// What kind of change it is; the raw value is the name used in JSON and the store.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The level changed from one night to the next.
    case step

    /// The level moved slowly over weeks.
    case drift

    /// A limit that the scenario sets is not kept.
    case budget
  }

  /// The raw value is the name used in JSON and the store.
  package enum Direction: String, Codable, CaseIterable, Sendable {
    case worse
    case better
  }

  /// How far an alert has come; the raw value is the name used in JSON and the store.
  package enum State: String, Codable, CaseIterable, Sendable {
    /// The history speaks for a change, and nothing has settled it yet.
    case suspected

    /// It is settled that there is a change.
    case confirmed

    /// A person takes the new level as the normal one.
    case acknowledged

    /// The old level is back, and an interleaved comparison with the last good build agrees.
    case fixed

    /// The old level is back, or the limit is kept again.
    case recovered

    /// The suspicion was not confirmed.
    case refuted
  }

  /// What changed; the raw value is the name used in JSON and the store.
  package enum Cause: String, Codable, CaseIterable, Sendable {
    /// The new build is slower than the old one on the same machine in the same hour.
    case code

    /// The same code takes longer than before.
    case machine
    case unknown
  }
}

/// One thing that happened to an alert.
package struct AlertEvent: Hashable, Codable, Sendable {
  package var at: Date

  /// The run that brought it about; nil for what a person did.
  package var run: String?

  /// The account of the person who decided it; nil for what a run brought about, and where an older
  /// launchlab kept none.
  package var person: String?

  /// The state and the cause from then on.
  package var state: Alert.State
  package var cause: Alert.Cause

  /// Why, as a sentence without a full stop; a person's own words for an acknowledgement.
  package var reason: String

  /// What was looked at, in the order of the rule.
  package var criteria: [Criterion]

  package init(
    at: Date,
    run: String? = nil,
    person: String? = nil,
    state: Alert.State,
    cause: Alert.Cause,
    reason: String,
    criteria: [Criterion] = []
  ) {
    self.at = at
    self.run = run
    self.person = person
    self.state = state
    self.cause = cause
    self.reason = reason
    self.criteria = criteria
  }
}

/// One condition of a decision, with everything that is needed to compute it again.
package struct Criterion: Hashable, Codable, Sendable {
  /// A stable identifier, such as `t-prediction`; docs/verdicts.md explains each.
  package var id: String

  /// What is compared, as a phrase, such as `tonight's median against the t-prediction limit`.
  package var text: String

  /// The value; nil when it could not be had, for the reason in `text`.
  package var value: Double?

  /// What the value is held against.
  package var limit: Double?

  /// Whether the condition speaks for a change.
  package var isMet: Bool

  /// How many values the criterion rests on: nights, pairs of launches, or series.
  package var n: Int?

  /// The unit of value and limit.
  package var unit: Unit

  /// The runs whose values it rests on, in the order of the formula; empty when `n` says it all.
  package var runs: [String]

  package init(
    id: String,
    text: String,
    value: Double?,
    limit: Double? = nil,
    isMet: Bool = false,
    n: Int? = nil,
    unit: Unit,
    runs: [String] = []
  ) {
    self.id = id
    self.text = text
    self.value = value
    self.limit = limit
    self.isMet = isMet
    self.n = n
    self.unit = unit
    self.runs = runs
  }

  /// The raw value is the name used in JSON and the store.
  package enum Unit: String, Codable, Sendable {
    case nanoseconds = "ns"
    case bytes = "B"
    case count = "1"
    case percent = "%"

    /// A share, such as 0.02 for 2 %.
    case share

    /// New divided by old.
    case ratio
    case probability

    package init(_ unit: Metric.Unit) {
      switch unit {
      case .nanoseconds: self = .nanoseconds
      case .bytes: self = .bytes
      case .count: self = .count
      case .percent: self = .percent
      }
    }
  }
}

/// What an interleaved comparison of the last good build with the newest one said.
package struct Proof: Hashable, Codable, Sendable {
  /// The run that holds its launches.
  package var run: String

  /// The names of the two targets in that run.
  package var baseline: String
  package var candidate: String

  /// The commits, or the first digits of the digests, of the two builds.
  package var good: String
  package var bad: String

  /// What was compared: everything that was built, or the executable alone with the libraries and
  /// data of tonight.
  package var scope: Scope

  package var pairs: Int

  /// The median of candidate / baseline.
  package var ratio: Double

  /// The interval of the ratio; nil for fewer than 5 pairs.
  package var low: Double?
  package var high: Double?

  /// Of the interval, from 0 to 1.
  package var confidence: Double

  package var effectLimit: Double
  package var verdict: Verdict

  /// The smallest effect that such a comparison detects in 80 % of cases, as a share.
  package var smallestDetectable: Double?

  package init(
    run: String,
    baseline: String,
    candidate: String,
    good: String,
    bad: String,
    scope: Scope,
    pairs: Int,
    ratio: Double,
    low: Double?,
    high: Double?,
    confidence: Double,
    effectLimit: Double,
    verdict: Verdict,
    smallestDetectable: Double? = nil
  ) {
    self.run = run
    self.baseline = baseline
    self.candidate = candidate
    self.good = good
    self.bad = bad
    self.scope = scope
    self.pairs = pairs
    self.ratio = ratio
    self.low = low
    self.high = high
    self.confidence = confidence
    self.effectLimit = effectLimit
    self.verdict = verdict
    self.smallestDetectable = smallestDetectable
  }

  /// The raw value is the name used in JSON and the store.
  package enum Scope: String, Codable, Sendable {
    case build
    case executable
  }
}
