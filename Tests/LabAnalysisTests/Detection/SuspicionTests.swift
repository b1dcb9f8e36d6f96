import Testing

@testable import History
@testable import LaunchCore

@Suite struct SuspicionTests {
  /// Quiet nights of 2 ms scatter around 400 ms.
  static let quiet = (0..<20).map { 400 + [0, 2, -2, 1, -1][$0 % 5] as Double }

  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let nights: [Double]
    var isSuspicious = true
    var direction = Alert.Direction.worse
    var rule = RegressionRule(metrics: [.launch])
    var onset: Int?
  }

  static let cases = [
    Case(description: "a quiet night", nights: quiet + [401], isSuspicious: false),
    Case(description: "one night far above", nights: quiet + [440], onset: 20),
    Case(description: "one night far below", nights: quiet + [360], direction: .better),
    Case(
      description: "a night within the effect limit",
      nights: quiet + [407],
      isSuspicious: false
    ),
    Case(
      description: "beyond the effect limit and within the floor",
      nights: quiet + [440],
      isSuspicious: false,
      rule: RegressionRule(floor: .milliseconds(50), metrics: [.launch])
    ),
    Case(description: "two of three nights", nights: quiet + [409, 400, 409]),
    Case(
      description: "two of three nights, tonight not",
      nights: quiet + [409, 409, 400],
      isSuspicious: false
    ),
    Case(
      description: "a constant baseline",
      nights: Array(repeating: 400, count: 10) + [420]
    ),
    Case(
      description: "a constant baseline and a change that does not matter",
      nights: Array(repeating: 400, count: 10) + [401],
      isSuspicious: false
    ),
    Case(description: "a baseline of 0", nights: Array(repeating: 0, count: 10) + [1]),
    Case(
      description: "a baseline with a spike",
      nights: quiet + [900] + quiet + [440]
    ),
    Case(
      description: "four nights of history",
      nights: [400, 400, 401, 400, 500],
      isSuspicious: false
    ),
    Case(
      description: "a metric that is not judged",
      nights: quiet + [440],
      isSuspicious: false,
      rule: RegressionRule(metrics: [.peakRSS])
    ),
    Case(
      description: "a first night of the new level that was not suspicious",
      nights: quiet + [406, 420],
      onset: 20
    ),
  ]

  @Test(arguments: cases)
  func `the history speaks for a change`(_ example: Case) throws {
    var nights = NightlyHistory(rule: example.rule)
    nights.add(example.nights)
    let judgement = try #require(nights.verdicts.judgements.first)
    #expect(judgement.isSuspicious == example.isSuspicious)
    guard example.isSuspicious else { return }
    let suspicion = try #require(judgement.suspicion)
    #expect(suspicion.direction == example.direction)
    if let onset = example.onset { #expect(suspicion.onset == onset) }
  }

  @Test func `leaves the newest nights out of the baseline where enough remain`() throws {
    var nights = NightlyHistory()
    nights.add(Array(repeating: 400, count: 40))
    let long = try #require(nights.verdicts.judgements.first?.baseline)
    #expect(long.runs == (8..<36).map(NightlyHistory.run))
    var few = NightlyHistory()
    few.add(Array(repeating: 400, count: 9))
    let short = try #require(few.verdicts.judgements.first?.baseline)
    #expect(short.runs == (0..<8).map(NightlyHistory.run))
  }

  @Test func `keeps single outliers out of mean and deviation, and modes in them`() throws {
    var nights = NightlyHistory()
    nights.add([400, 401, 399, 400, 402, 398, 400, 401, 399, 900, 400, 400, 400, 400])
    let spiky = try #require(nights.verdicts.judgements.first?.baseline)
    #expect(spiky.outliers == [NightlyHistory.run(9)])
    #expect(spiky.mean < 401e6)
    var modal = NightlyHistory()
    modal.add((0..<20).map { $0 % 3 == 0 ? 450 : 400 + Double($0 % 2) })
    let baseline = try #require(modal.verdicts.judgements.first?.baseline)
    #expect(baseline.outliers.isEmpty)
  }

  @Test(arguments: [1, 40])
  func `asks more of each series the more there are`(_ count: Int) {
    let names = (0..<count).map { "app\($0)" }
    var nights = NightlyHistory(targets: names)
    for night in 0..<23 {
      let noise = [0, 8, -8, 4, -4][night % 5] as Double
      var medians = Dictionary(uniqueKeysWithValues: names.map { ($0, 400 + noise) })
      if night > 20 { medians["app0"] = 413 }
      nights.add(medians)
    }
    let judgement = nights.verdicts.judgements[0]
    #expect(judgement.suspicion?.isCandidate == true)
    #expect(judgement.discovery?.n == count)
    #expect(judgement.isSuspicious == (count == 1))
  }
}
