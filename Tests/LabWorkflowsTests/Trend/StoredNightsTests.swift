import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import Measuring

/// What is told of stored nights, on a history that another tool measured.
@Suite(.temporaryDirectory) struct StoredNightsTests {
  /// Imports 60 nights with a step of 10 % on 11 October, and three nights missing.
  private func importHistory() throws -> ImportSummary {
    let first = Date(timeIntervalSince1970: 1_788_220_800)
    let lines = (0..<60).filter { ![10, 11, 33].contains($0) }.map { night in
      let day = (first + Double(night) * 86_400).formatted(.iso8601.year().month().day())
      let noise = Double(night * 7 % 11) / 10
      return "\(day),\((night < 40 ? 100 : 110) + noise),ms"
    }
    return try importing(
      (["time,value,unit"] + lines).joined(separator: "\n") + "\n",
      as: "app.csv"
    )
  }

  private func importing(_ text: String, as name: String) throws -> ImportSummary {
    let path = "\(TemporaryDirectory.path)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    return try ImportWorkflow(ImportRequest(files: [path]), in: .fake()).run()
  }

  private func export(_ request: ExportRequest) throws -> String {
    var text = ""
    try ExportWorkflow(store: nil, in: .fake()).write(request) { text += $0 }
    return text
  }

  private func replay(
    of scenario: String? = nil,
    since: String? = nil,
    _ effects: String...
  ) throws -> ReplaySummary {
    try ReplayWorkflow(store: nil, in: .fake())
      .summary(scenario: scenario, since: since, effects: effects)
  }

  private func acknowledge(_ id: String, because reason: String) throws {
    _ = try AcknowledgeWorkflow(store: nil, in: .fake()).acknowledge(id, reason: reason)
  }

  @Test func `imports a history, replays it, and reports it`() throws {
    #expect(try importHistory().runs.count == 57)
    let again = try importHistory()
    #expect(again.runs.isEmpty && again.skipped == 57)
    let found = try replay(since: "2026-10-01", "3%", "50%")
    #expect(found.rules.map(\.missed.count) == [0, 1])
    #expect(found.rules.map(\.delay) == [0, nil])

    let output = "\(TemporaryDirectory.path)/out"
    let reports = try ReportWorkflow(ReportRequest(output: output), in: .fake()).reports()

    // The level got worse twenty nights ago, which is enough without a proof.
    #expect(reports.map(\.summary.exitCode) == [.regression])
    #expect(reports.map(\.path) == ["\(output)/latest.md"])
    let text = try String(contentsOfFile: "\(output)/latest.md", encoding: .utf8)
    #expect(!text.contains("\"\""))
    let title = try #require(text.split(separator: "\n").first)
    #expect(title.hasSuffix("🔴 red, 1 confirmed regression"))
    #expect(text.contains("**not settled**: the new level has lasted"))
    #expect(FileManager.default.fileExists(atPath: "\(output)/index.html"))
    #expect(try export(ExportRequest(subject: .nights)).split(separator: "\n").count == 57)
    let csv = try export(ExportRequest(subject: .nights, format: .csv))
    #expect(csv.split(separator: "\r\n").count == 58)
    #expect(try export(ExportRequest(subject: .alerts)).split(separator: "\n").count == 1)
  }

  private func expect(
    _ code: LabExitCode,
    _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    do {
      try body()
      Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch let error as any LabError {
      #expect(error.exitCode == code, sourceLocation: sourceLocation)
      let words = error.diagnostics.map(\.description).joined(separator: "\n")
      #expect(words.contains(text), "\(words)", sourceLocation: sourceLocation)
      #expect(words.contains("help: "), "\(words)", sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  @Test func `says that nothing is stored, and stores nothing that is wrong`() throws {
    let none = "no run is stored"
    expect(.couldNotMeasure, none) { _ = try WhyWorkflow(store: nil, in: .fake()) }
    expect(.couldNotMeasure, none) { try acknowledge("R-1", because: "x") }
    expect(.couldNotMeasure, none) { _ = try replay() }
    expect(.couldNotMeasure, none) {
      _ = try ReportWorkflow(ReportRequest(), in: .fake()).reports()
    }
    expect(.usage, "there is no such file") {
      _ = try ImportWorkflow(ImportRequest(files: ["/nowhere/no.csv"]), in: .fake()).run()
    }
    expect(.usage, "bad.csv:3:1") {
      _ = try importing("time,value,unit\n2026-11-20,12,ms\nyesterday,3,ms\n", as: "bad.csv")
    }
    let store = "\(TemporaryDirectory.path)/.launchlab/launchlab.sqlite"
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `says what is wrong, and what to do`() throws {
    _ = try importHistory()
    let why = try WhyWorkflow(store: nil, in: .fake())
    expect(.usage, "there is no alert \"R-7\"") { _ = try why.explanation(of: "R-7") }
    expect(.usage, "\"night\" is not an alert ID") { _ = try why.explanation(of: "night") }
    expect(.usage, "there is no alert") { try acknowledge("R-7", because: "x") }
    expect(.usage, "missing --reason") { try acknowledge("R-1", because: "") }
    for day in ["soon", "2026-02-30"] {
      expect(.usage, "invalid value \"\(day)\" for --since") { _ = try replay(since: day) }
    }
    expect(.usage, "invalid value \"x\" for --effect") { _ = try replay("x") }
    expect(.usage, "invalid value \"x\" for --scenario") { _ = try replay(of: "x") }
    expect(.usage, "one that has nights, such as app") {
      _ = try export(ExportRequest(subject: .nights, scenario: "x"))
    }
    expect(.usage, "a scenario that was run: app") {
      _ = try export(ExportRequest(all: true, scenario: "x"))
    }
    expect(.usage, "a scenario that was run: app") {
      _ = try HistoryWorkflow(store: nil, in: .fake()).runs(limit: 9, scenario: "x")
    }
    expect(.couldNotMeasure, "it is a directory") {
      let directory = TemporaryDirectory.path
      try CommandFiles().writing(directory, as: "--json").check()
    }
    expect(.usage, "invalid value \"x\" for --scenario") {
      _ = try ReportWorkflow(ReportRequest(scenario: "x"), in: .fake()).reports()
    }
    expect(.usage, "invalid value \"x\" for --release") {
      let options = ReportOptions(release: "x", hasCharts: true)
      _ = try ReportWorkflow(ReportRequest(options: options), in: .fake()).reports()
    }
  }
}
