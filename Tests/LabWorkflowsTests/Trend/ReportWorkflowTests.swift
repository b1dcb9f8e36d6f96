import Foundation
import LabHost
import LabModel
import LabReport
import LabStore
import LabTestSupport
import LabWorkflows
import Testing

@Suite(.temporaryDirectory) struct ReportWorkflowTests {
  private var root: String { TemporaryDirectory.path }

  private func report(_ scenarioPath: String? = nil) throws -> [String] {
    let request = ReportRequest(scenarioPath: scenarioPath, store: "\(root)/store.sqlite")
    return try ReportWorkflow(request, directory: "\(root)/here").reports().map(\.path)
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
    let alone = try ReportWorkflow(request, directory: root).reports().map(\.path)
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

  @Test func `says in words that its directory cannot be made`() throws {
    try store(root)
    try Data().write(to: URL(filePath: "\(root)/report"))
    #expect(
      throws: HostError.system(
        operation: "make the directory",
        path: "\(root)/report/img",
        errno: ENOTDIR
      )
    ) { try report() }
  }
}
