import Testing

@testable import History

@Suite struct ReplayTests {
  static func stepped(_ step: Double = 0.08) -> NightlyHistory {
    var nights = NightlyHistory()
    nights.add(NightNoise.gauss.nights(90, step: step, at: 60, seed: 5))
    return nights
  }

  @Test(arguments: [Detector.nightly, .prediction, .twoOfThree, .potts])
  func `finds a step within three nights and names what it matches`(_ detector: Detector) throws {
    // Three nights must outweigh the penalty of a segment.
    let nights = Self.stepped(detector == .potts ? 0.25 : 0.08)
    let summary = Replay(history: nights.history, detectors: [detector]).summary
    #expect(summary.changes.map(\.run) == [NightlyHistory.run(60)])
    let result = try #require(summary.detectors.first)
    #expect(result.missed.isEmpty)
    let delay = try #require(result.delay)
    #expect((-1...3).contains(delay))
    #expect(result.alerts.count { $0.change != nil } == 1)
  }

  @Test func `two windows find a step when the second one is full`() throws {
    let nights = Self.stepped(0.08)
    let result = Replay(history: nights.history, detectors: [.windows]).summary.detectors[0]
    #expect(result.missed.isEmpty)
    #expect(result.falseAlarms == 0)
    let delay = try #require(result.delay)
    #expect((10...13).contains(delay))
  }

  @Test func `the usual limit of 10 % misses a step of 8 %`() {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet + SuspicionTests.quiet.map { 1.08 * $0 })
    let summary = Replay(history: nights.history, detectors: [.threshold]).summary
    #expect(summary.detectors[0].missed.map(\.run) == [NightlyHistory.run(20)])
  }

  @Test func `judges no night before the given one`() {
    let history = Self.stepped().history
    let since = NightlyHistory.date(70)
    let summary = Replay(history: history, since: since, detectors: Detector.allCases).summary
    #expect(summary.nights == 20)
    #expect(summary.changes.isEmpty)
    #expect(summary.detectors.flatMap(\.alerts).allSatisfy { $0.at >= since })
  }

  @Test(arguments: Detector.allCases)
  func `no detector looks at nights to come`(_ detector: Detector) {
    let values = NightNoise.spiky.nights(70, step: 0.08, at: 40, seed: 9)
    var whole = NightlyHistory()
    whole.add(values)
    let late = Replay(history: whole.history, detectors: [detector]).summary.detectors[0]
    for count in [30, 41, 43, 50] {
      var part = NightlyHistory()
      part.add(Array(values[..<count]))
      let early = Replay(history: part.history, detectors: [detector]).summary.detectors[0]
      let known = late.alerts.filter { $0.at < NightlyHistory.date(Double(count)) }
      #expect(early.alerts.map(\.run) == known.map(\.run))
    }
  }

  @Test func `a history without nights gives nothing`() {
    let summary = Replay(history: NightlyHistory().history, detectors: [.nightly]).summary
    #expect(summary.nights == 0)
    #expect(summary.detectors.isEmpty)
  }
}
