import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct LaunchDistributionsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var sides: [[Double]]
    var missing = 0
    var threshold: Double?
    var style = TextStyle(width: 100)
    var testDescription: String { name }

    var distributions: LaunchDistributions? {
      let names = sides.count == 1 ? ["app warm"] : ["A", "B <b>"]
      return LaunchDistributions(
        "launch, warm",
        zip(names, sides).map { name, values in
          .init(name, values, missing: name == "A" ? 0 : missing)
        },
        unit: .nanoseconds,
        threshold: threshold
      )
    }
  }

  /// Fixed values around a center, in nanoseconds, with one peak.
  private static func peak(_ center: Double, _ count: Int = 50) -> [Double] {
    (0..<count).map { index in
      let sum = [7, 11, 13].reduce(0) { $0 + index * $1 % 17 }
      return center * (0.95 + Double(sum) / 480)
    }
  }

  private static let bimodal = peak(4e6, 37) + peak(8e6, 13)

  static let cases = [
    Case(name: "one-peak", sides: [peak(4e6), peak(4.3e6)]),
    Case(name: "two-modes", sides: [peak(4e6), bimodal]),
    Case(name: "threshold", sides: [peak(4e6), bimodal], missing: 3, threshold: 4.8e6),
    Case(name: "threshold-beyond-all", sides: [peak(4e6), peak(4e6)], threshold: 6e6),
    Case(name: "one-outlier", sides: [peak(4e6), peak(4e6, 49) + [9e9]]),
    Case(name: "far-modes", sides: [peak(4e6), peak(4e6, 40) + peak(6e8, 10)], threshold: 5e6),
    Case(name: "equal", sides: [Array(repeating: 4e6, count: 20), [4e6]]),
    Case(name: "one-value", sides: [[4e6]]),
    Case(name: "zero", sides: [[0, 0], [0]]),
    Case(
      name: "infinite",
      sides: [[.infinity, .nan, 4e6, 5e6], [.infinity]],
      threshold: .infinity
    ),
    Case(name: "one-side", sides: [bimodal]),
    Case(
      name: "ascii",
      sides: [peak(4e6), bimodal + [1e12]],
      threshold: 4.8e6,
      style: TextStyle(width: 100, isASCII: true)
    ),
    Case(
      name: "narrow",
      sides: [peak(4e6), bimodal],
      missing: 3,
      threshold: 7.9e6,
      style: TextStyle(usesColor: true, width: 60)
    ),
    Case(name: "pipe", sides: [peak(4e6), bimodal], style: TextStyle(width: .max)),
  ]

  @Test(arguments: cases)
  func `draws a line per side on a common axis`(_ example: Case) throws {
    let distributions = try #require(example.distributions)
    let lines = distributions.lines(style: example.style)
    try expectSnapshot(lines.joinedLines(), named: example.name, suite: "LaunchDistributions")
    if !example.style.usesColor {
      #expect(lines.allSatisfy { $0.displayWidth <= example.style.width })
    }
  }

  @Test(arguments: ["threshold", "one-outlier", "infinite"])
  func `draws the shares of launches that were ready by then`(name: String) throws {
    let example = try #require(Self.cases.first { $0.name == name })
    let svg = try #require(example.distributions).svg()
    try expectSnapshot(svg, named: "\(name)-svg", suite: "LaunchDistributions")
    #expect(!svg.contains("<b>") && !svg.contains("nan") && !svg.contains("inf"))
  }

  @Test func `draws nothing where no launch has a value`() {
    #expect(Case(name: "", sides: [[], [.infinity]]).distributions == nil)
    #expect(LaunchDistributions.markdown([]).isEmpty)
  }

  @Test func `a launch just above the threshold stands right of its mark`() throws {
    let values = [1.0, 2, 3, 3.01, 4]
    let line = try #require(
      LaunchDistributions("", [.init("A", values)], unit: .count, threshold: 3)
    ).lines(style: TextStyle())[0]
    let parts = line.dropFirst(1).prefix { $0 != "5" }.split(separator: "┆")
    #expect(parts.map { part in part.count { "▁▂▃▄▅▆▇█".contains($0) } } == [3, 2], "\(line)")
  }

  @Test(arguments: [
    ("de_DE.UTF-8", true), ("C.utf8", true), ("C", false), ("de_DE.ISO8859-1", false),
  ])
  func `knows locales whose texts are UTF-8`(locale: String, isUTF8: Bool) {
    #expect(Terminal.isUTF8(locale) == isUTF8)
  }
}
