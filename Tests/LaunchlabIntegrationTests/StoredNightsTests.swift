import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Commands that read stored nights, on a history that another tool measured.
  @Suite struct StoredNightsTests {
    /// 60 nights with a step of 10 % on 11 October, and three nights missing.
    private static var history: String {
      let first = Date(timeIntervalSince1970: 1_788_220_800)
      let lines = (0..<60).filter { ![10, 11, 33].contains($0) }.map { night in
        let day = (first + Double(night) * 86_400).formatted(.iso8601.year().month().day())
        let noise = Double(night * 7 % 11) / 10
        return "\(day),\((night < 40 ? 100 : 110) + noise),ms"
      }
      return (["time,value,unit"] + lines).joined(separator: "\n") + "\n"
    }

    @Test func `imports a history, replays it, and reports it`() async throws {
      let lab = Launchlab()
      try lab.write(Self.history, to: "app.csv")

      let first = try await lab.run("import", "app.csv")
      let second = try await lab.run("import", "app.csv")
      let replay = try await lab.run("replay", "--detector", "potts", "--since", "2026-10-01")
      let report = try await lab.run("report", "--fail-on", "suspected", "--output", "out")
      let nights = try await lab.run("export", "--what", "nights")
      let csv = try await lab.run("export", "--what", "nights", "--format", "csv")
      let alerts = try await lab.run("export", "--what", "alerts")

      #expect(first.status == 0, "\(first.stderr)")
      #expect(first.stdout.contains("imported 57 runs"))
      #expect(second.status == 0)
      #expect(second.stdout.contains("nothing is new"))
      #expect(replay.status == 0, "\(replay.stderr)")
      #expect(replay.stdout.contains("found, delay 2 nights"))
      // The level got worse ten nights ago, and no build can be launched to prove it.
      #expect(report.status == 125, "\(report.stderr)")
      for file in ["out/latest.md", "out/index.html"] { #expect(lab.exists(file)) }
      let text = try String(contentsOfFile: lab.path("out/latest.md"), encoding: .utf8)
      #expect(!text.contains("\"\""))
      let title = try #require(text.split(separator: "\n").first)
      #expect(title.hasSuffix("🟠 unsettled, 1 suspected change"))
      #expect(text.contains("## Level changes without an alert"))
      #expect(nights.stdout.split(separator: "\n").count == 57)
      #expect(csv.stdout.split(separator: "\r\n").count == 58)
      #expect(alerts.status == 0)
      #expect(alerts.stdout.isEmpty)
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
      var testDescription: String { arguments.joined(separator: " ") }
      let arguments: [String]
      let status: Int32
      let text: String
    }

    @Test func `says what is wrong, where, and what to do`() async throws {
      let lab = Launchlab()
      try lab.write("time,value\n2026-11-20,12\nyesterday,3\n", to: "bad.csv")
      let mistakes = [
        Mistake(arguments: ["why", "R-1"], status: 128, text: "no run is stored"),
        Mistake(arguments: ["ack", "R-1", "--reason", "x"], status: 128, text: "no run is stored"),
        Mistake(arguments: ["replay"], status: 128, text: "no run is stored"),
        Mistake(arguments: ["report"], status: 128, text: "no run is stored"),
        Mistake(arguments: ["import", "no.csv"], status: 64, text: "there is no such file"),
        Mistake(
          arguments: ["import", "bad.csv", "--unit", "ms"],
          status: 64,
          text: "at: bad.csv:3:1"
        ),
        Mistake(
          arguments: ["import", "bad.csv", "--state", "cool"],
          status: 64,
          text: "one of reboot-cold"
        ),
      ]
      for mistake in mistakes { try await expect(mistake, in: lab) }
      #expect(!lab.exists(".launchlab/launchlab.sqlite"))

      try lab.write(Self.history, to: "app.csv")
      #expect(try await lab.run("import", "app.csv").status == 0)
      let later = [
        Mistake(arguments: ["why", "R-1"], status: 64, text: "there is no alert \"R-1\""),
        Mistake(arguments: ["why", "night"], status: 64, text: "ID cannot be \"night\""),
        Mistake(arguments: ["ack", "R-1", "--reason", "x"], status: 64, text: "there is no alert"),
        Mistake(arguments: ["ack", "R-1", "--reason", ""], status: 64, text: "--reason cannot be"),
        Mistake(arguments: ["replay", "--since", "soon"], status: 64, text: "--since cannot be"),
        Mistake(arguments: ["report", "--release", "x"], status: 64, text: "--release cannot be"),
        Mistake(
          arguments: ["export", "--what", "nights", "--scenario", "x"],
          status: 64,
          text: "one that has nights, such as app"
        ),
        Mistake(arguments: ["replay", "--detector", "x"], status: 64, text: "give one of nightly"),
        Mistake(
          arguments: ["report", "--scenario", "x"],
          status: 64,
          text: "--scenario cannot be"
        ),
      ]
      for mistake in later { try await expect(mistake, in: lab) }
    }

    private func expect(_ mistake: Mistake, in lab: Launchlab) async throws {
      let output = try await lab.start(mistake.arguments).finish()
      #expect(output.status == mistake.status, "\(mistake): \(output.stderr)")
      #expect(output.stderr.contains(mistake.text), "\(mistake): \(output.stderr)")
      #expect(output.stderr.contains("help: "), "\(mistake): \(output.stderr)")
    }
  }
}
