import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

/// Every number of every finding of many simulated nights, computed again by the script of the
/// integration tests from what `export` writes.
@Suite(.temporaryDirectory) struct RecomputedNightsTests {
  private static let nights = SimulatedNights()

  private static let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "LaunchlabIntegrationTests/recompute.py").path

  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// What the script says of a finding, and how it ends.
  private func recompute(_ finding: String) throws -> (status: Int32, text: String) {
    let nights = Self.nights
    let directory = URL(filePath: TemporaryDirectory.path)
    func write(_ text: String, to name: String) throws -> String {
      let file = directory.appending(path: name)
      try Data(text.utf8).write(to: file)
      return file.path
    }
    let alerts = nights.alerts.map { AlertLines().line(for: $0, deliveries: []) }
    let runs = nights.proofs.keys.sorted().filter { finding.contains($0) }
    let files =
      [
        try write(nights.rows.map(NightLines().line).joined(), to: "nights.jsonl"),
        try write(alerts.joined(), to: "alerts.jsonl"), try write(finding, to: "finding.json"),
      ] + (try runs.map { try write(nights.proofs[$0] ?? "", to: "\($0).jsonl") })
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments =
      [Self.script] + files
      + ["--floor-ns", "100000", "--metrics", "launch"]
    process.environment = ["PYTHONDONTWRITEBYTECODE": "1"]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func `the nights raise every kind of alert and criterion`() {
    let alerts = Self.nights.alerts
    let criteria = Set(alerts.flatMap { $0.events.flatMap { $0.criteria.map(\.id) } })
    let expected: Set = [
      "baseline-median", "baseline-mad", "baseline-mean", "baseline-sd", "t-prediction",
      "two-of-three", "effect", "floor", "probability", "false-discovery", "control-moved",
      "floor-moved", "proof-ratio", "proof-ratio-low", "proof-ratio-high", "same-build", "no-proof",
      "level-back", "return-step", "return-sd", "level-returned", "budget", "budget-low",
      "budget-high", "drift-then", "drift-now", "drift-explained", "drift-ratio-low",
      "drift-ratio-high",
    ]
    #expect(expected.subtracting(criteria) == [])
    #expect(criteria.subtracting(expected) == [])
    #expect(Set(alerts.map(\.kind)) == Set(Alert.Kind.allCases))
    #expect(Set(alerts.map(\.cause)) == Set(Alert.Cause.allCases))
  }

  @Test(.enabled(if: hasPython, "python3 is not installed"), arguments: nights.alerts.indices)
  func `every number can be computed again from the export`(_ index: Int) throws {
    let alert = Self.nights.alerts[index]
    let finding = FindingJSON(alert, nights: Self.nights.nights).line
    let output = try recompute(finding)
    let wrong = output.text.split(separator: "\n").filter { !$0.hasPrefix("same") }
    #expect(output.status == 0, "\(alert.id) \(wrong.joined(separator: "\n"))")
  }

  @Test(
    .enabled(if: hasPython, "python3 is not installed"),
    arguments: [
      "before", "ratio", "low", "smallest_detectable", "value", "limit",
    ]
  )
  func `a falsified number is noticed`(_ member: String) throws {
    let proved = try #require(Self.nights.alerts.first { $0.proof?.verdict == .regression })
    let finding = FindingJSON(proved, nights: Self.nights.nights).line
    let number = try Regex<(Substring, Substring)>(#""\#(member)":\s*([0-9][0-9.e+-]*)"#)
    let match = try #require(finding.firstMatch(of: number))
    let value = try #require(Double(match.output.1))
    let falsified = finding.replacingCharacters(
      in: match.output.1.startIndex..<match.output.1.endIndex,
      with: "\(value * 1.000_001)"
    )
    let output = try recompute(falsified)
    #expect(output.status == 1)
    #expect(output.text.contains("DIFFERENT"))
  }
}
