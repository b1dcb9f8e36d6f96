import Testing

@testable import History
@testable import LaunchCore

/// Reports of 200 generated histories, read by a checker that knows the rendered text only.
@Suite struct RenderedHistoriesTests {
  private struct Report {
    /// With plain spaces.
    var markdown: String
    var json = ""
    var series: [String]
    var exitCode: Int32

    init(_ summary: TrendSummary, targets: [String]) throws {
      markdown = try TrendMarkdown(summary: summary).rendered()
        .replacing("\u{a0}", with: " ")
      series = targets.map { "\($0) warm launch" }
      exitCode = summary.exitCode.rawValue
      TrendJSON([summary]).write { json += $0 }
    }

    var problems: [String] {
      get throws {
        try ReportChecker(markdown: markdown, json: json, series: series, exitCode: exitCode)
          .problems
      }
    }
  }

  private static func report(_ seed: UInt64) throws -> Report {
    let nights = SimulatedNights(.generated(seed))
    let measured = Set(
      nights.rows.filter { $0.fingerprint == nights.nights.last?.fingerprint }.map(
        \.summary.arm.target
      )
    )
    let targets = nights.world.scenario.targets.map(\.name).filter(measured.contains)
    return try Report(nights.summary, targets: targets)
  }

  @Test(arguments: 0..<20)
  func `a report agrees with itself`(part: Int) throws {
    for seed in (10 * part)..<(10 * part + 10) {
      let report = try Self.report(UInt64(seed))
      let problems = try report.problems
      #expect(problems == [], "seed \(seed)\n\(report.markdown)")
    }
  }

  struct Falsehood: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var told: String
    var changed: @Sendable (String) -> String
  }

  /// The first report with what is to be falsified.
  @Test(arguments: [
    Falsehood(testDescription: "a green headline", told: "🔴 red") {
      $0.replacing("🔴 red", with: "🟢 green", maxReplacements: 1)
    },
    Falsehood(testDescription: "a count", told: "1 confirmed regression") {
      $0.replacing("1 confirmed regression", with: "2 confirmed regressions", maxReplacements: 1)
    },
    Falsehood(testDescription: "a level", told: " ms, n = 30 pairs") {
      $0.replacing(#/→ \d/#, with: "→ 99", maxReplacements: 1)
    },
    Falsehood(testDescription: "a series", told: "| db warm launch") {
      $0.replacing(#/\|[^|]*\| db warm launch.*\n/#, with: "")
    },
    Falsehood(testDescription: "an alert twice", told: "| [R-1]") {
      $0.replacing(#/(\| \[R-1\].*\n)/#) { $0.1 + $0.1 }
    },
  ])
  func `the checker notices`(_ falsehood: Falsehood) throws {
    for seed in 0..<200 as Range<UInt64> {
      var report = try Self.report(seed)
      guard report.markdown.contains(falsehood.told) else { continue }
      report.markdown = falsehood.changed(report.markdown)
      #expect(try !report.problems.isEmpty)
      return
    }
    Issue.record("no report says \(falsehood.told)")
  }
}
