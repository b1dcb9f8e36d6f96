import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct ReportWorkflowTests {
  private var root: String { TemporaryDirectory.path }

  private func report(_ scenarioPath: String? = nil) throws -> [String] {
    let request = ReportRequest(scenarioPath: scenarioPath, store: "\(root)/store.sqlite")
    return try ReportWorkflow(request, in: .fake(directory: "\(root)/here")).reports().map(\.path)
  }

  private func store(_ directory: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(root)/here",
      withIntermediateDirectories: true
    )
    _ = try SampleNight.store(in: root, SampleNight.scenario(directory: directory))
  }

  @Test func `is written beside the scenario`() throws {
    try store(root)
    #expect(try report() == ["\(root)/report/latest.md"])
  }

  @Test(arguments: ["gone", "file"])
  func `does not make a directory of another machine`(name: String) throws {
    let directory = "\(root)/\(name)"
    if name == "file" { try Data().write(to: URL(filePath: directory)) }
    try store(directory)
    #expect(try report() == ["\(root)/here/report/latest.md"])
    #expect(FileManager.default.fileExists(atPath: directory) == (name == "file"))
  }

  @Test func `is written beside the file that is named, not where it once was`() throws {
    try store("\(root)/gone")
    let path = "\(root)/here/scenario.yml"
    try "scenario: redis\ntargets: {server: {command: [/bin/true]}}\nstates: [warm]\nlaunches: 20\n"
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try report(path) == ["\(root)/here/report/latest.md"])
    #expect(!FileManager.default.fileExists(atPath: "\(root)/gone"))
  }

  @Test(arguments: [("abc", "123", true), ("aab", "123", false), ("aba", "13", false)])
  func `tells the nights of one machine, and of fresh ones that none is compared`(
    _ machines: String,
    line: String,
    warns: Bool
  ) throws {
    let scenario = SampleNight.scenario(directory: root)
    let store = try Store(path: "\(root)/store.sqlite", mode: .readWrite)
    for (index, machine) in machines.enumerated() {
      var run = SampleNight.run(index + 1, in: scenario)
      run.host.identity = String(machine)
      try store.begin(run).finish(status: .complete, at: run.startedAt)
    }
    let summary = try TrendWorkflow(store: store, scenario: scenario.name).summary(of: nil)
    let days = summary.nights.map { String($0.run.prefix(8).suffix(1)) }.joined()
    #expect(days == line)
    #expect(summary.notes.map(\.id) == (warns ? ["new-hosts"] : []))
  }

  @Test func `reports over the hosts of a depot`() throws {
    for name in ["a", "hosts"] {
      let directory = "\(root)/mirrors/\(name)/.launchlab"
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true
      )
      try Data(name.utf8).write(to: URL(filePath: "\(directory)/depot-host"))
      let scenario = SampleNight.scenario(directory: "\(root)/gone")
      _ = try SampleNight.store(in: directory, named: "launchlab.sqlite", scenario)
    }
    let request = ReportRequest(store: "\(root)/mirrors", output: "\(root)/out")
    let workflow = ReportWorkflow(request, in: .fake(directory: root))
    let reports = try workflow.reports()
    let overHosts = try workflow.reports(overHostsOf: reports)
    let paths = (reports.map(\.path) + overHosts.map(\.path)).sorted()
    let wanted = ["a/redis", "hosts-/redis", "hosts/redis"]
    #expect(paths == wanted.map { "\(root)/out/\($0)/latest.md" })
    for report in overHosts {
      let text = try String(contentsOfFile: report.path, encoding: .utf8)
      #expect(text.hasPrefix("# redis over 2 hosts, 2026-11-24\n"))
    }
  }

  @Test func `keeps its path when another scenario joins the store`() throws {
    let store = try SampleNight.store(in: root, SampleNight.scenario(directory: root))
    #expect(try report() == ["\(root)/report/latest.md"])
    var joining = SampleNight.scenario(directory: root)
    joining.name = "post gres"
    let night = SampleNight.run(4, in: joining)
    try store.begin(night).finish(status: .complete, at: night.startedAt)
    #expect(
      try report() == ["\(root)/report/post-gres/latest.md", "\(root)/report/latest.md"]
    )
    let request = ReportRequest(
      store: "\(root)/store.sqlite",
      scenario: "post gres",
      options: ReportOptions()
    )
    let alone = try ReportWorkflow(request, in: .fake(directory: root)).reports().map(\.path)
    #expect(alone == ["\(root)/report/post-gres/latest.md"])
  }

  @Test func `stands beside each scenario of a store that several directories share`() throws {
    let store = try SampleNight.store(in: root, SampleNight.scenario(directory: root))
    var joining = SampleNight.scenario(directory: "\(root)/here")
    joining.name = "postgres"
    let night = SampleNight.run(4, in: joining)
    try FileManager.default.createDirectory(
      atPath: "\(root)/here",
      withIntermediateDirectories: true
    )
    try store.begin(night).finish(status: .complete, at: night.startedAt)
    #expect(try report() == ["\(root)/here/report/latest.md", "\(root)/report/latest.md"])
  }

  /// What the third night did.
  private var confirmed: AlertEvent {
    var event = SampleNight.event(.confirmed, cause: .code)
    event.run = "20261103T020000Z-3fa2"
    return event
  }

  /// Every file of the reports with what it holds.
  private func files() throws -> [String: String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/report")
    return try names.filter { $0.contains(".") }.reduce(into: [:]) { files, name in
      files[name] = try String(contentsOfFile: "\(root)/report/\(name)", encoding: .utf8)
    }
  }

  @Test func `later nights and decisions leave the reports of former nights as they are`() throws {
    let scenario = SampleNight.scenario(directory: root)
    let store = try SampleNight.store(in: root, scenario)
    try store.save([SampleNight.alert(events: [confirmed])])
    _ = try report()
    let before = try files()
    #expect(before["2026-11-24.md"]?.contains("1 confirmed regression") == true)

    // A person accepts it, and two more nights pass, the second on the day of the first.
    let accepted = SampleNight.event(.acknowledged, day: 3.2, cause: .code)
    try store.save([SampleNight.alert(events: [confirmed, accepted])])
    for day in [4, 5] {
      var night = SampleNight.run(day, in: scenario)
      night.startedAt = SampleNight.run(4, in: scenario).startedAt + Double(day) * 600
      try store.begin(night).finish(status: .complete, at: night.startedAt)
      _ = try report()
    }
    let after = try files()
    for (name, text) in before where !["latest.md", "index.html", "feed.xml"].contains(name) {
      #expect(after[name] == text, "\(name)")
    }
    #expect(after["2026-11-25.md"] != after["latest.md"])
    #expect(after["20261105T020000Z-3fa2.md"] == after["latest.md"])
  }

  @Test func `an older run is reported in a file of its own, as it was known then`() throws {
    let scenario = SampleNight.scenario(directory: root)
    let store = try SampleNight.store(in: root, scenario)
    let accepted = SampleNight.event(.acknowledged, day: 3.2, cause: .code)
    try store.save([SampleNight.alert(events: [confirmed, accepted])])
    let night = SampleNight.run(4, in: scenario)
    try store.begin(night).finish(status: .complete, at: night.startedAt)
    _ = try report()
    let before = try files()

    var request = ReportRequest(store: "\(root)/store.sqlite", run: "20261103")
    let then = try ReportWorkflow(request, in: .fake(directory: root)).reports()
    #expect(then.map(\.path) == ["\(root)/report/20261103T020000Z-3fa2.md"])
    #expect(then[0].summary.alerts.map(\.state) == [.confirmed])
    request.hindsight = true
    let now = try ReportWorkflow(request, in: .fake(directory: root)).reports()
    #expect(now.map(\.path) == ["\(root)/report/20261103T020000Z-3fa2-now.md"])
    #expect(now[0].summary.alerts.map(\.state) == [.acknowledged])
    let after = try files()
    for (name, text) in before { #expect(after[name] == text, "\(name)") }
  }

  @Test func `shows the newest night, though it failed`() throws {
    let scenario = SampleNight.scenario(directory: root)
    let store = try SampleNight.store(in: root, scenario)
    let night = SampleNight.run(4, in: scenario)
    try store.begin(night).finish(status: .failed, at: night.startedAt)
    let request = ReportRequest(store: "\(root)/store.sqlite")
    let found = try ReportWorkflow(request, in: .fake(directory: root)).reports()
    #expect(found[0].summary.tonight.run == night.id)
    #expect(found[0].summary.exitCode == .couldNotMeasure)
    let first = try #require(try files()["latest.md"]?.split(separator: "\n").first)
    #expect(first.hasSuffix("❌ failed, the run has no result"))
  }

  @Test func `a copied laboratory does not write into the one it was copied from`() throws {
    let original = "\(root)/original"
    let copy = "\(root)/copy"
    try FileManager.default.createDirectory(
      atPath: "\(original)/.launchlab",
      withIntermediateDirectories: true
    )
    _ = try SampleNight.store(
      in: "\(original)/.launchlab",
      named: "launchlab.sqlite",
      SampleNight.scenario(directory: original)
    )
    try FileManager.default.copyItem(atPath: original, toPath: copy)
    func reports(in directory: String) throws -> [String] {
      try ReportWorkflow(ReportRequest(), in: .fake(directory: directory)).reports().map(\.path)
    }
    #expect(try reports(in: copy) == ["\(copy)/report/latest.md"])
    #expect(!FileManager.default.fileExists(atPath: "\(original)/report"))
    #expect(try reports(in: original) == ["\(original)/report/latest.md"])
  }

  @Test func `finds the scenario file beside the store`() throws {
    let scenario = SampleNight.scenario(directory: root)
    try FileManager.default.createDirectory(
      atPath: "\(root)/.launchlab",
      withIntermediateDirectories: true
    )
    _ = try SampleNight.store(in: "\(root)/.launchlab", named: "launchlab.sqlite", scenario)
    for (name, file) in [(scenario.name, "shop.yml"), ("other", "scenario.yml")] {
      try "scenario: \(name)\ntargets: {app: {command: [/bin/true]}}\n"
        .write(toFile: "\(root)/\(file)", atomically: true, encoding: .utf8)
    }
    let reports = try ReportWorkflow(ReportRequest(), in: .fake(directory: root)).reports()
    #expect(reports.map(\.summary.scenarioFile) == ["\(root)/shop.yml"])
  }

  @Test func `says in words that its directory cannot be made`() throws {
    try store(root)
    try Data().write(to: URL(filePath: "\(root)/report"))
    #expect(
      throws: WorkflowError.cannotWrite(path: "\(root)/report", reason: "it is not a directory")
    ) { try report() }
  }
}
