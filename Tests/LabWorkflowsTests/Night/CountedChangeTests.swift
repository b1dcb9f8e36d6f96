import Foundation
import LabTestSupport
import Testing

@testable import Gate
@testable import History
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring
@testable import Rendering

@Suite(.temporaryDirectory) struct CountedChangeTests {
  private static let fonts = GateThing(kind: .library, name: "libfonts.so")

  /// The history of three nights with what each has counted, as the last one concludes it.
  private func summary(
    _ inventories: [[LaunchInventory]],
    approvals: String? = nil,
    hosts: [String] = ["c0ffee", "c0ffee", "c0ffee"]
  ) throws -> TrendSummary {
    let directory = TemporaryDirectory.path
    var scenario = SampleNight.scenario(directory: directory)
    scenario.gate = GateRules()
    if let approvals {
      try approvals.write(
        toFile: "\(directory)/launch-approvals.yml",
        atomically: true,
        encoding: .utf8
      )
    }
    let store = try Store(path: "\(directory)/lab.sqlite", mode: .readWrite)
    for (index, inventory) in inventories.enumerated() {
      var run = SampleNight.run(index + 1, in: scenario)
      run.host.fingerprint = hosts[index]
      try store.begin(run).finish(status: .complete, at: run.startedAt)
      try store.saveInventories(inventory, of: run.id)
    }
    return try TrendWorkflow(store: store, scenario: scenario.name).summary(of: nil)
  }

  private static func night(
    _ things: [GateThing],
    relocations: Double = 1000
  ) -> [LaunchInventory] {
    [
      LaunchInventory(target: "server", things: things, counts: [.relocations: .init(relocations)])
    ]
  }

  private static func words(_ summary: TrendSummary) -> [String] {
    CountedWords.groups(summary.countedChanges).map {
      "\($0.run.prefix(8)) \($0.text)\($0.changes[0].isOpen ? ", open" : "")"
    }
  }

  @Test func `a new library makes nights red until it is approved or gone`() throws {
    let summary = try summary([
      Self.night([]), Self.night([Self.fonts], relocations: 2000),
      Self.night([Self.fonts], relocations: 2000),
    ])
    #expect(
      Self.words(summary) == [
        "20261102 1 library more: libfonts.so, open",
        "20261102 relocations of own files 1000 → 2000 (+100 %)",
      ]
    )
    #expect(summary.exitCode == .regression)
    #expect(summary.verdict == "red")
  }

  @Test func `it is not red when it is gone again`() throws {
    let summary = try summary([Self.night([]), Self.night([Self.fonts]), Self.night([])])
    #expect(
      Self.words(summary) == [
        "20261103 1 library less: libfonts.so", "20261102 1 library more: libfonts.so",
      ]
    )
    #expect(summary.exitCode == .done)
  }

  @Test func `it is not red when it is approved`() throws {
    let approvals = "approvals:\n- library: libfonts.so\n  reason: needed\n  by: Ann\n"
    let summary = try summary(
      [Self.night([]), Self.night([]), Self.night([Self.fonts])],
      approvals: approvals
    )
    #expect(summary.countedChanges.map(\.finding.verdict) == [.approved])
    #expect(summary.exitCode == .done)
  }

  @Test func `a figure over its limit is red in the first night`() throws {
    let summary = try summary([
      Self.night([]), Self.night([]), Self.night([], relocations: 2000),
    ])
    #expect(
      Self.words(summary) == ["20261103 relocations of own files 1000 → 2000 (+100 %), open"]
    )
    #expect(summary.exitCode == .regression)
  }

  @Test func `nights on other hosts are not compared`() throws {
    let summary = try summary(
      [Self.night([]), Self.night([Self.fonts]), Self.night([])],
      hosts: ["c0ffee", "f00d", "c0ffee"]
    )
    #expect(summary.countedChanges == [])
  }

  @Test func `a mistake in the file of approvals is told`() throws {
    let summary = try summary(
      [Self.night([]), Self.night([Self.fonts]), Self.night([Self.fonts])],
      approvals: "approvals:\n- library: libfonts.so\n"
    )
    #expect(summary.notes.contains { $0.place?.contains("launch-approvals.yml") == true })
    #expect(summary.exitCode == .regression)
  }

  @Test func `the report, the terminal and exports tell it`() throws {
    let names = (1...5).map {
      GateThing(kind: .initializer, name: "init_\($0)", library: "program")
    }
    let summary = try summary([
      Self.night([]), Self.night(names), Self.night(names + [Self.fonts], relocations: 1100),
    ])
    let report = try TrendMarkdown(summary: summary).rendered()
    let lines = report.split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix("🔴 red, 1 rule broken, 6 to be approved"))
    #expect(lines[1] == "- **What:** **server**: 1 library more: libfonts.so; 2 more below")
    #expect(lines[2] == "- **Since:** the night of 2026-11-24")
    #expect(lines[3].hasPrefix("- **Code or machine:** counted, not timed;"))
    let approve = "`launchlab gate approve library:libfonts.so --reason '…'`"
    #expect(lines[4] == "- **Next:** \(approve), or take it out")
    #expect(
      lines.contains {
        $0.contains("init\\_1 in program, init\\_2 in program") && $0.contains("and 2 more")
      }
    )
    #expect(
      lines.contains { $0.contains("1000 → 1100 (+10 %)") && $0.contains("failed, limit +5") }
    )
    #expect(lines.contains("- \(approve)"))

    let text = TrendText(summary, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("  server: 1 library more: libfonts.so; 2 more below\n"))
    #expect(text.contains("  server: relocations of own files 1000 → 1100 (+10 %)\n"))
    let junit = JUnitReport([summary]).rendered()
    #expect(junit.contains("libraries: libfonts.so"))
    let json = TrendJSON([summary]).rendered()
    #expect(json.contains(#""is_open": true"#))

    let counts = try #require(NightCounts(summary))
    #expect(
      counts.sentence
        == "server: 1 library more: libfonts.so; server: relocations of own files 1000 → 1100 (+10 %)"
    )
    #expect(counts.line.hasPrefix(#"{"schema":"launchlab.counts/1","scenario":"redis","#))
  }
}
