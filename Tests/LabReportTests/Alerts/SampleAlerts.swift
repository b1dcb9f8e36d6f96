import Foundation
import LabTestSupport

@testable import LaunchCore

/// Alerts with fixed figures, for snapshots.
enum SampleAlerts {
  static let key = SeriesKey.sample("redis", "server", "3fa21b90c4d1e8a7")

  static let nights = [
    night(13, "8ab12c0d1e2f30415263748596a7b8c9d0e1f203", "raise the cache size"),
    night(14, "4c1f9e2d1e2f30415263748596a7b8c9d0e1f203", "lazy-load fonts"),
  ]

  static func night(_ day: Int, _ commit: String, _ subject: String) -> Night {
    Night(
      run: "202611\(day)T020000Z-0a1b",
      startedAt: instant(day),
      fingerprint: key.fingerprint,
      build: Night.Build(commit: commit, subject: subject, tree: "tree-of-\(commit.prefix(7))")
    )
  }

  /// Two o'clock of a day in November 2026.
  static func instant(_ day: Int) -> Date {
    Date(timeIntervalSince1970: 1_793_498_400 + Double(day - 1) * 86_400)
  }

  static let proof = Proof(
    run: "20261114T024500Z-77aa",
    baseline: "server@8ab12c0",
    candidate: "server@4c1f9e2",
    good: "8ab12c0",
    bad: "4c1f9e2",
    scope: .build,
    pairs: 40,
    ratio: 1.1237,
    low: 1.1081,
    high: 1.1409,
    confidence: 0.95,
    effectLimit: 0.02,
    verdict: .regression,
    smallestDetectable: 0.031
  )

  static let explanation = AlertExplanation(
    run: "20261114T020000Z-0a1b",
    before: "server@8ab12c0",
    after: "server@4c1f9e2",
    why: "scan_plugins (new): +0.34 of +0.46 ms (73 %)",
    markdown: "`scan_plugins` (new): +0.34 of +0.46 ms (73 %)",
    section: "### server@4c1f9e2 is 0.46 ms slower\n\n| reason |\n|---|\n| `scan_plugins` |\n",
    text: "server@4c1f9e2 is 0.46 ms slower, because\n\n  1  scan_plugins (new)\n"
  )

  static let criteria = [
    Criterion(
      id: "t-prediction",
      text: "tonight's median against the t-prediction limit of the baseline",
      value: 46_312_400,
      limit: 43_100_000,
      isMet: true,
      n: 28,
      unit: .nanoseconds,
      runs: ["20261112T020000Z-0a1b", "20261113T020000Z-0a1b"]
    ),
    Criterion(
      id: "benjamini-hochberg",
      text: "the probability of such a night against its limit among all series",
      value: 0.000_012_3,
      limit: 0.025,
      isMet: true,
      n: 4,
      unit: .probability
    ),
    Criterion(
      id: "control",
      text: "the control could not be compared: it has no baseline",
      value: nil,
      isMet: false,
      unit: .ratio
    ),
  ]

  /// A regression by code that a proof confirmed.
  static let confirmed = Alert(
    number: 17,
    kind: .step,
    series: key,
    direction: .worse,
    state: .confirmed,
    cause: .code,
    onset: "20261114T020000Z-0a1b",
    lastGood: "20261113T020000Z-0a1b",
    before: 41_203_000,
    after: 46_312_400,
    proof: proof,
    events: [
      AlertEvent(
        at: instant(14),
        run: "20261114T020000Z-0a1b",
        state: .suspected,
        cause: .unknown,
        reason: "tonight is beyond the t-prediction limit",
        criteria: criteria
      ),
      AlertEvent(
        at: instant(14).addingTimeInterval(3_000),
        run: "20261114T024500Z-77aa",
        state: .confirmed,
        cause: .code,
        reason: "the new build is slower than the last good one on the same host",
        criteria: [
          Criterion(
            id: "proof-interval",
            text: "the lower bound of the ratio against the effect limit",
            value: 1.1081,
            limit: 1.02,
            isMet: true,
            n: 40,
            unit: .ratio
          )
        ]
      ),
    ]
  )

  static let deliveries = [
    Delivery(
      alert: 17,
      event: 0,
      notifier: "email dev@example.org",
      at: instant(14).addingTimeInterval(60)
    ),
    Delivery(
      alert: 17,
      event: 1,
      notifier: "webhook",
      at: instant(14).addingTimeInterval(3_060),
      failure: "the server answered 503"
    ),
    Delivery(alert: 3, event: 0, notifier: "webhook", at: instant(14)),
  ]

  /// The same alert with other facts.
  static func alert(_ change: (inout Alert) -> Void) -> Alert {
    var alert = confirmed
    change(&alert)
    return alert
  }
}
