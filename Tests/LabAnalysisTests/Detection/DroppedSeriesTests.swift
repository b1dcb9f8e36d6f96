import Testing

@testable import LaunchCore

@Suite struct DroppedSeriesTests {
  @Test func `a budget that is gone ends its alert`() {
    var nights = NightlyHistory()
    nights.scenario.budgets = [NightFactsTests.budget(300e6)]
    nights.add([400])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.isRed) == [true])
    nights.scenario.budgets = nil
    nights.add([400])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.state) == [.recovered])
  }

  @Test(arguments: [Verdict.inconclusive, .regression])
  func `of a series that is no longer judged, a suspicion ends and a red alert stays`(
    _ verdict: Verdict
  ) {
    var nights = LifeCycleTests.regressed(verdict)
    nights.scenario.targets[0].name = "renamed"
    nights.add(["renamed": 440])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.state) == [verdict == .regression ? .confirmed : .refuted])
  }

  @Test func `a metric that is judged no longer ends its suspicion`() {
    var nights = LifeCycleTests.regressed(.inconclusive)
    nights.scenario.regression?.metrics = [.peakRSS]
    nights.add([440])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.state) == [.refuted])
  }
}
