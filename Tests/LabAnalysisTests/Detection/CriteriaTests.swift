import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct CriteriaTests {
  /// The alert of a night 20 % above noisy ones, and the medians by run.
  static func alert() throws -> (alert: Alert, values: [String: Double]) {
    var nights = NightlyHistory()
    nights.add(NightNoise.spiky.nights(41, step: 0.2, at: 40, seed: 3))
    nights.conclude(.regression)
    let points = nights.history.series.flatMap(\.points)
    let alert = try #require(nights.alerts.last { $0.kind == .step })
    return (alert, Dictionary(uniqueKeysWithValues: points.map { ($0.run, $0.median) }))
  }

  @Test func `every number follows from the nightly medians that it names`() throws {
    let (alert, values) = try Self.alert()
    let criteria = Dictionary(
      alert.events[0].criteria.map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    func named(_ id: String) throws -> (criterion: Criterion, values: [Double]) {
      let criterion = try #require(criteria[id])
      return (criterion, criterion.runs.compactMap { values[$0] })
    }
    func isNear(_ left: Double?, _ right: Double) -> Bool {
      left.map { abs($0 - right) <= 1e-9 * max(abs($0), abs(right)) } ?? false
    }
    let median = try named("baseline-median")
    let sorted = median.values.sorted()
    let middle = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    #expect(isNear(median.criterion.value, middle))
    let deviations = median.values.map { abs($0 - middle) }.sorted()
    let mad = (deviations[(sorted.count - 1) / 2] + deviations[sorted.count / 2]) / 2
    #expect(isNear(try named("baseline-mad").criterion.value, mad))
    let kept = try named("baseline-mean")
    let mean = kept.values.reduce(0, +) / Double(kept.values.count)
    #expect(isNear(kept.criterion.value, mean))
    let squares = kept.values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let deviation = (squares / Double(kept.values.count - 1)).squareRoot()
    #expect(isNear(try named("baseline-sd").criterion.value, deviation))
    let n = Double(kept.values.count)
    let quantile = StudentT.quantile(0.999, degreesOfFreedom: n - 1)
    let limit = mean + quantile * deviation * (1 + 1 / n).squareRoot()
    let prediction = try named("t-prediction")
    #expect(isNear(prediction.criterion.limit, limit))
    #expect(prediction.criterion.value == prediction.values[0])
    #expect(prediction.criterion.isMet)
    let pair = try named("two-of-three")
    #expect(isNear(pair.criterion.limit, middle + max(2 * 1.4826 * mad, 0.02 * middle)))
    #expect(pair.values.count == 3)
    let effect = try named("effect")
    #expect(isNear(effect.criterion.value, (effect.values[0] - middle) / middle))
    #expect(effect.criterion.limit == 0.02)
    let discovery = try named("false-discovery")
    #expect(discovery.criterion.limit == 0.05)
    #expect(discovery.criterion.value == (try named("probability").criterion.value))
    #expect(try named("proof-ratio-low").criterion.limit == 1.02)
  }

  @Test(arguments: [
    (Alert.State.confirmed, Alert.Cause.code, LabExitCode.regression),
    (.confirmed, .machine, .done), (.suspected, .unknown, .inconclusive),
    (.acknowledged, .code, .done), (.fixed, .code, .done),
  ])
  func `the alerts decide the exit code`(
    _ state: Alert.State,
    _ cause: Alert.Cause,
    _ expected: LabExitCode
  ) throws {
    var alert = try Self.alert().alert
    alert.state = state
    alert.cause = cause
    #expect(Self.summary([alert], []).exitCode == expected)
  }

  @Test(arguments: [
    (Budget.Outcome.broken, LabExitCode.regression), (.undecided, .inconclusive),
    (.kept, .done), (.unmeasured, .done),
  ])
  func `a broken budget is a regression unless acknowledged`(
    _ outcome: Budget.Outcome,
    _ expected: LabExitCode
  ) throws {
    let budget = NightFactsTests.budget(1)
    let check = BudgetCheck(budget: budget, median: 2, low: 2, high: 2, outcome: outcome)
    #expect(Self.summary([], [check]).exitCode == expected)
    var alert = try Self.alert().alert
    alert.kind = .budget
    alert.state = .acknowledged
    let known = Self.summary([alert], [check]).exitCode
    #expect(known == (outcome == .broken ? .done : expected))
  }

  static func summary(_ alerts: [Alert], _ budgets: [BudgetCheck]) -> TrendSummary {
    var nights = NightlyHistory()
    nights.add([400])
    let run = RunRecord.sample(
      nights.scenario,
      id: NightlyHistory.run(0),
      at: NightlyHistory.date(0),
      fingerprint: "host"
    )
    return TrendSummary(
      scenario: nights.scenario,
      tonight: nights.nights[0],
      nights: nights.nights,
      series: [],
      alerts: alerts,
      budgets: budgets,
      run: run,
      launches: 1
    )
  }
}
