package import LabModel

/// Everything stored that the verdicts of a night are made from.
package struct TrendHistory: Hashable, Sendable {
  package var scenario: Scenario

  /// Ascending by start; failed and unfinished ones included.
  package var nights: [Night]

  /// Of every host, in the order of the newest plan.
  package var series: [Series]

  /// Every alert of the scenario, ascending by number.
  package var alerts: [Alert]

  package init(scenario: Scenario, nights: [Night], series: [Series], alerts: [Alert]) {
    self.scenario = scenario
    self.nights = nights
    self.series = series
    self.alerts = alerts
  }
}

/// A comparison that would settle a suspicion.
package struct ProofRequest: Hashable, Sendable {
  /// The night whose build is launched beside tonight's.
  package var good: Night

  /// The series whose arms are compared.
  package var series: [SeriesKey]

  /// Which way they are off.
  package var kind: Alert.Kind

  package init(good: Night, series: [SeriesKey], kind: Alert.Kind) {
    self.good = good
    self.series = series
    self.kind = kind
  }
}

/// What became of a proof.
package struct ProofOutcome: Hashable, Sendable {
  package var request: ProofRequest
  package var answer: Answer

  package init(request: ProofRequest, answer: Answer) {
    self.request = request
    self.answer = answer
  }

  package enum Answer: Hashable, Sendable {
    /// Per series; one that is not in it could not be compared.
    case compared([SeriesKey: Proof])

    /// Both builds are the same, so that nothing was launched.
    case sameBuild

    /// Why there is none, as a sentence without a full stop.
    case impossible(reason: String)
  }
}
