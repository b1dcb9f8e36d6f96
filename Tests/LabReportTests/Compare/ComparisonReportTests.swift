import Foundation
import LabTestSupport
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct ComparisonReportTests {
  private let suite = "ComparisonReportTests"

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let shapes: [SampleComparison.Shape]
    var status = RunRecord.Status.complete

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "slower", shapes: [.init(ratio: 1.081)]),
    Case(name: "faster", shapes: [.init(ratio: 0.9)]),
    Case(name: "same", shapes: [.init(ratio: 1.001, spread: 0.002)]),
    Case(name: "wide", shapes: [.init(ratio: 1.01, spread: 0.03)]),
    Case(name: "known-to-differ", shapes: [.init(ratio: 1.025)]),
    Case(name: "few", shapes: [.init(ratio: 1.1, pairs: 3)]),
    Case(name: "none", shapes: [.init(ratio: 1.1, pairs: 0)]),
    Case(
      name: "below-floor",
      shapes: [.init(ratio: 1.08, rule: ComparisonRule(noiseFloor: 0.12))]
    ),
    Case(name: "disturbed", shapes: [.init(ratio: 1.2, obstacle: .disturbed)]),
    Case(
      name: "looks",
      shapes: [.init(ratio: 1.081, rule: ComparisonRule(confidence: 0.9875))]
    ),
    Case(
      name: "several",
      shapes: [
        .init(ratio: 1.001, spread: 0.002), .init(state: .rebootCold, ratio: 1.12),
        .init(candidate: "C", metric: .peakRSS, ratio: 0.8),
        .init(candidate: "C", state: .rebootCold, metric: .peakRSS, ratio: 1.3, pairs: 47),
      ]
    ),
    Case(name: "slow-minority", shapes: [tail(slow: (4, 2, true))]),
    Case(name: "slow-minority-faster", shapes: [tail(ratio: 0.9, slow: (4, 2, true))]),
    Case(name: "slow-near-limit", shapes: [tail(slow: (6, 1.5, true))]),
    Case(name: "slow-fewer", shapes: [tail(slow: (4, 2, false))]),
    Case(name: "slow-never-came", shapes: [tail(slow: (4, .infinity, true))]),
    Case(name: "slow-open", shapes: [tail(pairs: 20)]),
    Case(name: "slow-same", shapes: [tail()]),
    Case(name: "interrupted", shapes: [.init(ratio: 1.081, pairs: 9)], status: .interrupted),
  ]

  /// Typical launches that are nearly the same, of which some are slow.
  private static func tail(
    ratio: Double = 1.001,
    pairs: Int = 57,
    slow: (every: Int, times: Double, isCandidate: Bool)? = nil
  ) -> SampleComparison.Shape {
    SampleComparison.Shape(
      ratio: ratio,
      spread: 0.002,
      pairs: pairs,
      rule: ComparisonRule(tailLimit: 0.1, confidence: 0.96),
      slow: slow
    )
  }

  @Test(arguments: cases)
  func `says the answer first, then the table`(test: Case) throws {
    let summary = try SampleComparison.summary(test.shapes, status: test.status)
    let text = ComparisonText(summary, style: TextStyle(width: 110)).rendered()
    try expectSnapshot(text, named: test.name, suite: suite)
  }

  @Test(arguments: ["slower", "several", "none", "slow-minority"])
  func `writes Markdown for a pull request`(name: String) throws {
    let test = try #require(Self.cases.first { $0.name == name })
    let summary = try SampleComparison.summary(test.shapes)
    let text = ComparisonText(summary, style: TextStyle(width: 80)).markdown()
    try expectSnapshot(text, named: "\(name)-markdown", suite: suite)
    #expect(text.hasPrefix("### "))
  }

  struct Large: Sendable, CustomTestStringConvertible {
    var metric = Metric.launch
    var ratio: Double
    var sentence: String
    var testDescription: String { sentence }
  }

  @Test(arguments: [
    Large(
      ratio: 28.3,
      sentence: "B takes 28 times as long as A (95 % interval ×28 to ×29, 50 pairs)"
    ),
    Large(
      ratio: 1 / 28.3,
      sentence: "B is 28 times as fast as A (95 % interval −97 % to −96 %, 50 pairs)"
    ),
    Large(
      metric: .peakRSS,
      ratio: 3.4,
      sentence: "B is 3.4 times as high as A in peak_rss (95 % interval ×3.4 to ×3.4, 50 pairs)"
    ),
  ])
  func `tells large changes as factors`(_ large: Large) throws {
    let shape = SampleComparison.Shape(metric: large.metric, ratio: large.ratio)
    let summary = try SampleComparison.summary([shape])
    let text = ComparisonText(summary, style: TextStyle(width: 200)).rendered()
    #expect(text.hasPrefix(large.sentence), "\(text)")
  }

  @Test func `tells what would make a verdict likely`() {
    let outlook = ComparisonOutlook(
      time: .milliseconds(30_000),
      pairs: 412,
      detectable: 0.039,
      effectLimit: 0.02,
      pairsNeeded: 1_287,
      timeNeeded: .milliseconds(93_500)
    )
    #expect(
      OutlookText(outlook).line
        == "no verdict is likely within 30 s: at this noise 410 pairs show differences from 3.9 %; "
        + "to tell 2.0 % apart takes about 1300 (--max-time 2m), or a quieter machine "
        + "(see `launchlab doctor`)"
    )
  }

  @Test func `fits a narrow terminal, in colour`() throws {
    let several = try #require(Self.cases.first { $0.name == "several" })
    let summary = try SampleComparison.summary(several.shapes)
    let narrow = ComparisonText(summary, style: TextStyle(width: 60)).rendered()
    let colored = ComparisonText(summary, style: TextStyle(usesColor: true, width: 110))
    try expectSnapshot(narrow, named: "narrow", suite: suite)
    try expectSnapshot(colored.rendered(), named: "colored", suite: suite)
  }

  @Test(arguments: [0, 12])
  func `shows stored runs with the nights that tell their scatter`(nights: Int) throws {
    let comparison = SampleComparison.stored(nights: nights)
    let text = ComparisonText(comparison, style: TextStyle(width: 110)).rendered()
    try expectSnapshot(text, named: "stored-\(nights)", suite: suite)
    guard nights > 0 else { return }
    let json = ComparisonJSON(comparison).rendered()
    try expectSnapshot(json, named: "stored-\(nights)-json", suite: suite)
  }

  @Test func `writes the deciding comparison and all of them as JSON`() throws {
    let several = try #require(Self.cases.first { $0.name == "several" })
    let json = ComparisonJSON(try SampleComparison.summary(several.shapes)).rendered()
    try expectSnapshot(json, named: "json", suite: suite)
  }

  @Test func `writes slow launches as JSON`() throws {
    let test = try #require(Self.cases.first { $0.name == "slow-minority" })
    let json = ComparisonJSON(try SampleComparison.summary(test.shapes)).rendered()
    try expectSnapshot(json, named: "slow-json", suite: suite)
  }

  @Test func `JSON without any comparison has nulls`() throws {
    let json = ComparisonJSON(try SampleComparison.summary([])).rendered()
    #expect(json.contains("\"verdict\": \"inconclusive\""))
    #expect(json.contains("\"ratio\": null"))
  }
}
