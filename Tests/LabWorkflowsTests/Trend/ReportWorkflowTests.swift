import Foundation
import LabModel
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

  @Test func `says in words that its directory cannot be made`() throws {
    try store(root)
    try Data().write(to: URL(filePath: "\(root)/report"))
    let error = try #require(throws: WorkflowError.self) { try report() }
    guard case .cannotWrite("\(root)/report/img", _) = error else { throw error }
  }
}
