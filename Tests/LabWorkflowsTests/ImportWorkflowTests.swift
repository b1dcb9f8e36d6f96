import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct ImportWorkflowTests {
  private var storePath: String { TemporaryDirectory.path + "/lab.sqlite" }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = TemporaryDirectory.path + "/" + name
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func request(
    _ files: [String],
    scenario: String? = "app",
    _ options: ImportOptions = ImportOptions(unit: ImportedUnit("ms"))
  ) -> ImportRequest {
    ImportRequest(files: files, scenario: scenario, store: storePath, options: options)
  }

  private func store() throws -> Store { try Store(path: storePath, mode: .readOnly) }

  @Test func `stores each time of a CSV file as a night`() throws {
    // Given three values of two days
    let path = try file("app.csv", "time,value\n2026-11-21,2\n2026-11-20,1.5\n2026-11-21,4\n")

    // When they are imported
    let summary = try ImportWorkflow(request([path]), in: .fake()).run()

    // Then they make a series
    let store = try store()
    let series = try store.series(scenario: "app", metrics: [.launch, .peakRSS])
    #expect(series.map(\.key.target) == ["app"])
    #expect(series.map(\.key.fingerprint) == ["imported"])
    #expect(series[0].points.map(\.median) == [1_500_000, 3_000_000])
    #expect(series[0].points.map(\.n) == [1, 2])
    #expect(summary.runs.map(\.id) == series[0].points.map(\.run))
    #expect(summary.runs.map(\.launches) == [1, 2])

    // And the runs are whole ones
    let run = try store.run(series[0].points[1].run)
    #expect(run.purpose == .imported)
    #expect(run.status == .complete)
    #expect(run.plan.scenario.name == "app")
    var launches: [Int64?] = []
    try store.forEachLaunch(of: run.id) { launches.append($0.result.launch?.count) }
    #expect(launches == [2_000_000, 4_000_000])
  }

  @Test func `opens an alert where the newest nights are on a worse level`() throws {
    // Given a month of values of which the last ten are slower
    let lines = (1...28).map { day in
      "2026-10-\(day < 10 ? "0" : "")\(day),\(Double(100 + day * 7 % 5) * (day > 18 ? 1.1 : 1))"
    }
    let path = try file("app.csv", (["time,value"] + lines).joined(separator: "\n") + "\n")

    // When they are imported, twice
    let summary = try ImportWorkflow(request([path]), in: .fake()).run()
    let again = try ImportWorkflow(request([path]), in: .fake()).run()

    // Then there is one alert, and the verdict says so
    let alerts = try store().alerts(scenario: "app")
    #expect(alerts.map(\.state) == [.confirmed])
    #expect(alerts.first?.cause == .unknown)
    #expect(alerts.first?.onset == summary.runs[18].id)
    #expect(summary.verdict?.exitCode == .regression)
    #expect(again.verdict == nil)
  }

  @Test func `stores the commands of hyperfine as the targets of one run`() throws {
    let text = """
      {"results": [{"command": "a", "times": [0.1, 0.2, 0.3], "memory_usage_byte": [1, 2, 3]},
        {"command": "b", "times": [0.5]}]}
      """
    let date = try #require(ImportedTime.date("2026-11-21T04:30:00Z"))
    let options = ImportOptions(commit: "c0ffee", host: "lab", date: date)
    let path = try file("h.json", text)
    let summary = try ImportWorkflow(request([path], options), in: .fake()).run()
    #expect(summary.runs.count == 1)
    let store = try store()
    let night = try #require(store.nights(scenario: "app").first)
    #expect(night.startedAt == date)
    #expect(night.fingerprint == "lab")
    #expect(night.build?.commit == "c0ffee")
    let series = try store.series(scenario: "app", metrics: [.launch, .peakRSS])
    let found = series.map { "\($0.key.target) \($0.key.metric.rawValue) \($0.points[0].median)" }
    #expect(found == ["a launch 200000000.0", "a peak_rss 2.0", "b launch 500000000.0"])
    #expect(summary.runs[0].launches == 4)
  }

  @Test func `takes the time of hyperfine from the file`() throws {
    let path = try file("h.json", #"{"results": [{"command": "a", "times": [1]}]}"#)
    let written = Date(timeIntervalSince1970: 1_795_235_400)
    try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
    let summary = try ImportWorkflow(request([path], scenario: nil), in: .fake()).run()
    #expect(summary.scenario == "h")
    #expect(summary.runs.map(\.startedAt) == [written])
  }

  @Test func `joins files whose lines are of the same time`() throws {
    let a = try file("a.csv", "time,value\n2026-11-21,2\n")
    let b = try file("b.csv", "time,value\n2026-11-21,3\n2026-11-22,4\n")
    let summary = try ImportWorkflow(request([a, b]), in: .fake()).run()
    #expect(summary.runs.map { $0.arms.map(\.target) } == [["a", "b"], ["b"]])
  }

  @Test func `refuses results of one target that were written at the same time`() throws {
    let date = Date(timeIntervalSince1970: 1_795_219_200)
    let paths = try ["a", "b"].map { name in
      let path = try file("\(name).json", #"{"results": [{"command": "app", "times": [0.1]}]}"#)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      return path
    }
    let error = #expect(throws: ImportError.self) {
      try ImportWorkflow(request(paths, ImportOptions()), in: .fake()).run()
    }
    let problem = try #require(error?.diagnostics.first)
    #expect(problem.place == paths[1])
    #expect(problem.problem.hasPrefix("app warm has the same time here as in \(paths[0])"))
    #expect(!FileManager.default.fileExists(atPath: storePath), "nothing was stored")

    let later = [FileAttributeKey.modificationDate: date + 86_400]
    try FileManager.default.setAttributes(later, ofItemAtPath: paths[1])
    let summary = try ImportWorkflow(request(paths, ImportOptions()), in: .fake()).run()
    #expect(summary.runs.count == 2)
  }

  @Test func `skips what was imported before, value by value`() throws {
    let first = try file("a.csv", "time,value\n2026-11-20,1\n2026-11-21,2\n")
    _ = try ImportWorkflow(request([first]), in: .fake()).run()
    let again = try ImportWorkflow(request([first]), in: .fake()).run()
    #expect(again.runs.isEmpty)
    #expect(again.skipped == 2)

    let more = try file(
      "more.csv",
      "time,value,target,metric,unit\n2026-11-21,9,a,,\n2026-11-21,3,a,peak_rss,B\n2026-11-22,5,a,,\n"
    )
    let summary = try ImportWorkflow(request([more]), in: .fake()).run()
    #expect(summary.skipped == 1)
    let series = try store().series(scenario: "app", metrics: [.launch, .peakRSS])
    #expect(series.map { $0.points.map(\.median) } == [[1e6, 2e6, 5e6], [3]])
  }

  @Test func `stores nothing when one of the files has a mistake`() throws {
    let good = try file("good.csv", "time,value\n2026-11-21,2\n")
    let bad = try file("bad.csv", "time,value\n2026-11-21,x\nnever,2\n")
    let worse = try file("worse.json", "{")
    let error = #expect(throws: ImportError.self) {
      try ImportWorkflow(request([good, bad, worse]), in: .fake()).run()
    }
    let names = error?.diagnostics.map { $0.place?.split(separator: "/").last }
    #expect(names == ["bad.csv:2:12", "bad.csv:3:1", "worse.json"])
    #expect(!FileManager.default.fileExists(atPath: storePath))
  }

  @Test func `refuses files that it cannot tell what to do with`() throws {
    let path = try file("a.txt", "time,value\n2026-11-21,2\n")
    #expect(throws: WorkflowError.unknownFormat(path: path)) {
      try ImportWorkflow(request([path]), in: .fake()).run()
    }
    #expect(throws: WorkflowError.missingScenario(files: 2)) {
      try ImportWorkflow(request([path, path], scenario: nil), in: .fake()).run()
    }
    let missing = TemporaryDirectory.path + "/none.csv"
    let error = #expect(throws: WorkflowError.self) {
      try ImportWorkflow(request([missing]), in: .fake()).run()
    }
    guard case .cannotRead(missing, _) = error else { throw try #require(error) }
  }
}
