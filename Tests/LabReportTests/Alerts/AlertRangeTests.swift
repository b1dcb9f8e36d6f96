import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

@Suite struct AlertRangeTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var change: @Sendable (inout TrendSummary) -> Void = { _ in }
    var since: String
    var compares: String?
    var testDescription: String { name }
  }

  private static let sample = SampleTrend()

  private static func short(_ night: Int) -> String { String(sample.commit(night).prefix(10)) }

  private static func range(_ good: Int, _ bad: Int) -> String { "\(short(good))..\(short(bad))" }

  private static let lastGood = "last good `\(short(50))` \"change 50\""

  static let cases = [
    Case(
      name: "between neighbouring nights there may be many commits",
      since: "between `\(short(50))` \"change 50\" (night of \(sample.day(50))) and `\(short(51))` "
        + "\"load fonts when they are needed\" (night of \(sample.day(51))), 1 night: a commit of "
        + "`\(range(50, 51))`; first seen",
      compares: range(50, 51)
    ),
    Case(
      name: "a wider proof names no commit alone",
      change: { $0.alerts[0].proof?.good = sample.commit(47) },
      since: "between `\(short(47))` \"change 47\" (night of \(sample.day(47))) and `\(short(51))` "
        + "\"load fonts when they are needed\" (night of \(sample.day(51))), 4 nights: a commit of "
        + "`\(range(47, 51))`; first seen in the night of \(sample.day(51))",
      compares: range(47, 51)
    ),
    Case(
      name: "a later build that was launched widens the range",
      change: { $0.alerts[0].proof?.bad = sample.commit(53) },
      since: "`\(range(50, 53))`; first seen in the night of \(sample.day(51))",
      compares: range(50, 53)
    ),
    Case(
      name: "missing nights hold commits as well",
      change: { summary in
        let missing = [sample.run(48), sample.run(49), sample.run(50)]
        summary.nights.removeAll { missing.contains($0.run) }
        summary.alerts[0].proof?.good = sample.commit(47)
      },
      since: "4 nights: a commit of `\(range(47, 51))`",
      compares: range(47, 51)
    ),
    Case(
      name: "a proof of unknown builds names them as they are",
      change: { summary in
        summary.alerts[0].proof?.good = "feed"
        summary.alerts[0].proof?.bad = "beef"
      },
      since: "between the build `feed` and the build `beef`: it is not known which change",
      compares: nil
    ),
    Case(
      name: "a proof for the other way proves nothing",
      change: { summary in
        summary.alerts[0].proof?.verdict = .inconclusive
        summary.alerts[0].cause = .unknown
        summary.alerts[0].state = .suspected
        summary.alerts[0].events = [summary.alerts[0].events[0]]
        summary.alerts[0].events[0].state = .suspected
      },
      since: "the night of \(sample.day(51)), at the earliest; \(lastGood), night of "
        + "\(sample.day(50)); range `\(range(50, 59))`, not proved",
      compares: range(50, 59)
    ),
    Case(
      name: "what a person has settled ends with that night",
      change: { summary in
        summary.alerts[0].proof = nil
        summary.alerts[0].cause = .unknown
        summary.alerts[0].events[0].state = .acknowledged
        summary.alerts[0].events[0].run = nil
        summary.alerts[0].events[0].at = sample.date(53)
      },
      since: "range `\(range(50, 53))`, not proved",
      compares: range(50, 53)
    ),
    Case(
      name: "a machine change has no commit",
      change: { $0.alerts[0].cause = .machine },
      since: "the night of \(sample.day(51)); the last good one is \(sample.day(50))",
      compares: nil
    ),
  ]

  @Test(arguments: cases)
  func `names only commits that a comparison has proved`(_ example: Case) throws {
    var summary = SampleTrend.red
    summary.alerts = [summary.alerts[0]]
    example.change(&summary)
    let text = try TrendMarkdown(summary: summary).rendered()
    let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("- **Since:**") })
    #expect(line.contains(example.since))
    let command = text.split(separator: "\n").first { $0.hasPrefix("    launchlab compare") }
    #expect(
      command.map(String.init)
        == example.compares.map { "    launchlab compare --revisions \($0) scenario.yml" }
    )
  }

  @Test func `compares by the scenario's own file`() {
    let nights = SampleAlerts.nights
    let commands = AlertCommands(
      SampleAlerts.confirmed,
      nights: nights,
      scenarioFile: "my shop.yml"
    )
    #expect(commands.compare?.contains(" 'my shop.yml' --target ") == true)
    let json = FindingJSON(SampleAlerts.confirmed, nights: nights, scenarioFile: "shop.yml").line
    #expect(json.contains(" shop.yml --target "))
  }

  @Test func `writes the builds of a proof as JSON`() {
    let line = FindingJSON(SampleAlerts.confirmed, nights: SampleAlerts.nights).line
    #expect(line.contains(#""range":{"good":{"build":"8ab12c0","run":"20261113T020000Z-0a1b""#))
    let suspected = SampleAlerts.alert { $0.proof = nil }
    #expect(FindingJSON(suspected, nights: SampleAlerts.nights).line.contains(#""range":null"#))
  }

  @Test func `says a range in one sentence`() {
    var nights = SampleAlerts.nights
    nights.insert(SampleAlerts.night(12, "77aa2c0d", "use a map"), at: 0)
    let alert = SampleAlerts.alert { $0.proof?.good = "77aa2c0" }
    let text = AlertSentence(alert, nights: nights).text
    #expect(text.contains("since 2026-11-14, by a commit of 77aa2c0d..4c1f9e2d1e (2 nights): "))
  }
}
