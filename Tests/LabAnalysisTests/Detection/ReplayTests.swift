import Testing

@testable import History

@Suite struct ReplayTests {
  static func stepped(_ step: Double = 0.08) -> NightlyHistory {
    var nights = NightlyHistory()
    nights.add(NightNoise.gauss.nights(90, step: step, at: 60, seed: 5))
    return nights
  }

  @Test func `finds a step within three nights and names what it matches`() throws {
    let summary = Replay(history: Self.stepped().history, effects: [0.02, 0.2]).summary
    #expect(summary.changes.map(\.run) == [NightlyHistory.run(60)])
    let result = try #require(summary.rules.first)
    #expect(result.missed.isEmpty)
    let delay = try #require(result.delay)
    #expect((-1...3).contains(delay))
    #expect(result.alerts.count { $0.change != nil } == 1)
    // A change of 8 % does not matter to a limit of 20 %.
    #expect(summary.rules.last?.missed.map(\.run) == [NightlyHistory.run(60)])
    #expect(summary.rules.last?.alerts.isEmpty == true)
  }

  @Test func `judges no night before the given one`() {
    let history = Self.stepped().history
    let since = NightlyHistory.date(70)
    let summary = Replay(history: history, since: since, effects: [0.02]).summary
    #expect(summary.nights == 20)
    #expect(summary.changes.isEmpty)
    #expect(summary.rules.flatMap(\.alerts).allSatisfy { $0.at >= since })
  }

  @Test func `looks at no night to come`() {
    let values = NightNoise.spiky.nights(70, step: 0.08, at: 40, seed: 9)
    var whole = NightlyHistory()
    whole.add(values)
    let late = Replay(history: whole.history, effects: [0.02]).summary.rules[0]
    for count in [30, 41, 43, 50] {
      var part = NightlyHistory()
      part.add(Array(values[..<count]))
      let early = Replay(history: part.history, effects: [0.02]).summary.rules[0]
      let known = late.alerts.filter { $0.at < NightlyHistory.date(Double(count)) }
      #expect(early.alerts.map(\.run) == known.map(\.run))
    }
  }

  @Test func `a history without nights gives nothing`() {
    let summary = Replay(history: NightlyHistory().history, effects: [0.02]).summary
    #expect(summary.nights == 0)
    #expect(summary.rules.isEmpty)
  }
}
