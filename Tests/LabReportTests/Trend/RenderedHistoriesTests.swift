import Testing

@testable import History
@testable import LaunchCore
@testable import Rendering

/// Reports, dashboards and charts of 200 generated histories, read by a checker that knows the rendered
/// text only.
@Suite struct RenderedHistoriesTests {
  private struct Report {
    /// With plain spaces.
    var markdown: String
    var pages: [String]
    var isImported: Bool
    var json: String
    var series: [String]
    var exitCode: Int32

    init(_ summary: TrendSummary, targets: [String]) throws {
      markdown = try TrendMarkdown(summary: summary).rendered()
        .replacing("\u{a0}", with: " ")
      pages =
        [
          DashboardHeader(summary).rendered(), DashboardData(summary).json,
          TrendText(summary, style: TextStyle(width: .max)).rendered(),
          AlertFeed(summary).rendered(), JUnitReport([summary]).rendered(),
        ] + TrendCharts(summary).files.map(\.text)
      isImported = summary.run.purpose == .imported
      series = targets.map { "\($0) warm launch" }
      exitCode = summary.exitCode.rawValue
      json = TrendJSON([summary]).rendered()
    }

    var problems: [String] {
      get throws {
        try ReportChecker(
          markdown: markdown,
          pages: pages,
          isImported: isImported,
          json: json,
          series: series,
          exitCode: exitCode
        )
        .problems
      }
    }
  }

  private static func report(_ seed: UInt64) throws -> Report {
    let nights = SimulatedNights(.generated(seed))
    let measured = Set(
      nights.rows.filter { row in
        nights.nights.last.map { $0.fingerprint == row.fingerprint && $0.identity == row.identity }
          ?? false
      }
      .map(\.summary.arm.target)
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
    var changed: @Sendable (String) -> String
  }

  /// The first report with what is to be falsified.
  @Test(arguments: [
    Falsehood(testDescription: "a green headline") {
      $0.replacing("🔴 red", with: "🟢 green", maxReplacements: 1)
    },
    Falsehood(testDescription: "a count") {
      $0.replacing("1 confirmed regression", with: "2 confirmed regressions", maxReplacements: 1)
    },
    Falsehood(testDescription: "a level") {
      $0.replacing(#/( %\], [\d.]+ → )\d/#) { "\($0.1)99" }
    },
    Falsehood(testDescription: "a level beside a proof") {
      $0.replacing(#/(history [\d.]+ → )\d/#) { "\($0.1)99" }
    },
    Falsehood(testDescription: "the level that was") {
      $0.replacing(#/(history )\d/#) { "\($0.1)99" }
    },
    Falsehood(testDescription: "a series") {
      $0.replacing(#/\|[^|]*\| db warm launch.*\n/#, with: "")
    },
    Falsehood(testDescription: "the nights on record") {
      $0.replacing(#/\d+ nights on record/#, with: "99 nights on record")
    },
    Falsehood(testDescription: "how long the host is the same") {
      $0.replacing(#/the same one for \d+/#, with: "the same one for 99")
    },
    Falsehood(testDescription: "how old an alert is") {
      $0.replacing(#/\d+ nights old/#, with: "99 nights old")
    },
    Falsehood(testDescription: "the change beside a chart") {
      $0.replacing(#/missing. R-1: \+\d/#, with: "missing. R-1: +98")
    },
    Falsehood(testDescription: "a second number of a change") {
      $0.replacing(#/(history [\d.]+ → [\d.]+ ms)/#) { "\($0.1), +98.0 %" }
    },
    Falsehood(testDescription: "an alert twice") {
      $0.replacing(#/(\| \[R-1\].*\n)/#) { $0.1 + $0.1 }
    },
  ])
  func `the checker notices`(_ falsehood: Falsehood) throws {
    for seed in 0..<200 as Range<UInt64> {
      var report = try Self.report(seed)
      let changed = falsehood.changed(report.markdown)
      guard changed != report.markdown else { continue }
      report.markdown = changed
      #expect(try !report.problems.isEmpty)
      return
    }
    Issue.record("no report has it")
  }
}
