import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

@Suite(.temporaryDirectory) struct WorkspaceTests {
  @Test func `takes a directory that is its own already`() throws {
    let path = FilePath("\(TemporaryDirectory.path)/launchlab-1-1")
    for _ in 1...2 { try Workspace.make(path, permissions: 0o711) }
    #expect(try mode(of: path) == 0o711)
  }

  @Test(arguments: ["mkdir -m 777 place", "ln -s / place", "touch place"])
  func `refuses what somebody has put in its place`(script: String) throws {
    try TestMachine.shell(script, in: TemporaryDirectory.path)
    let path = FilePath("\(TemporaryDirectory.path)/place")
    #expect(throws: HostError.self) { try Workspace.make(path, permissions: 0o711) }
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `refuses a directory of another user`() throws {
    try TestMachine.shell("mkdir -m 755 place; chown 65534 place", in: TemporaryDirectory.path)
    let path = FilePath("\(TemporaryDirectory.path)/place")
    #expect(throws: HostError.self) { try Workspace.make(path, permissions: 0o711) }
  }

  private func mode(of path: FilePath) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}
