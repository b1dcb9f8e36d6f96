import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler `cc`")
) struct ControlWorkflowTests {
  private var root: String { TemporaryDirectory.path }

  private func control(_ command: [String]) async throws -> ControlWorkflow.Control? {
    let target = Target(name: "tool", command: ["/bin/true"], directory: root)
    var scenario = Scenario.sample("tool", [target], launches: 3, in: root)
    scenario.control = .command(command)
    let cache = CacheLocation(directory: "\(root)/lab")
    return try await ControlWorkflow(scenario: scenario, cache: cache, context: .fake()).control()
  }

  private func compile(_ status: Int) throws -> String {
    try CompiledProgram("int main(void) { return \(status); }\n", in: root).path
  }

  @Test func `launches the copy of the first night, whatever is installed later`() async throws {
    let program = try compile(1)
    let first = try #require(try await control([program, "-v"]))
    let content = FileManager.default.contents(atPath: program)
    try FileManager.default.removeItem(atPath: program)
    _ = try compile(2)

    let second = try #require(try await control([program, "-v"]))

    #expect(first == second)
    #expect(first.notes == [])
    #expect(first.target.name == "control")
    #expect(first.target.command.dropFirst() == ["-v"])
    let copy = first.target.command[0]
    #expect(copy.hasPrefix("\(root)/lab/artifacts/"))
    #expect(FileManager.default.contents(atPath: copy) == content)
    #expect(FileManager.default.isExecutableFile(atPath: copy))
  }

  @Test func `pins another program for another command`() async throws {
    let program = try compile(1)
    _ = try await control([program])
    try FileManager.default.removeItem(atPath: program)
    _ = try compile(2)
    let other = try #require(try await control([program, "-v"]))
    #expect(
      FileManager.default.contents(atPath: other.target.command[0])
        == FileManager.default.contents(atPath: program)
    )
  }

  @Test func `copies anew what somebody has changed`() async throws {
    let program = try compile(1)
    let first = try #require(try await control([program]))
    try FileManager.default.removeItem(atPath: first.target.command[0])
    try Data("other".utf8).write(to: URL(filePath: first.target.command[0]))
    let second = try #require(try await control([program]))
    #expect(
      FileManager.default.contents(atPath: second.target.command[0])
        == FileManager.default.contents(atPath: program)
    )
  }

  @Test func `launches a script where it is, and says so`() async throws {
    let script = "\(root)/script"
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: script))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    let control = try #require(try await control([script]))
    #expect(control.target.command == [script])
    #expect(control.notes.map(\.id) == ["control-in-place"])
    #expect(control.notes.first?.severity == .note)
  }

  @Test func `launches in place where no copy can be made`() async throws {
    let program = try compile(1)
    try Data().write(to: URL(filePath: "\(root)/lab"))
    let control = try #require(try await control([program]))
    #expect(control.target.command == [program])
    #expect(control.notes.map(\.severity) == [.warning])
  }

  @Test func `refuses a program that is not there`() async throws {
    await #expect(throws: HostError.self) { try await control(["\(root)/missing"]) }
  }
}
