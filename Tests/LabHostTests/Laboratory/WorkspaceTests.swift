import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct WorkspaceTests {
  private var root: String { TemporaryDirectory.path }

  @Test func `leaves what is not launchlab's own in its directory`() throws {
    try TestMachine.shell(
      """
      mkdir -p precious work/2024-11 work/1999999-1 work/launchlab-1999999-1
      touch precious/file work/2024-11/file work/launchlab-1999999-1/file
      ln -s ../precious work/launchlab-1999998-1
      """,
      in: root
    )
    let before = try names()
    let workspace = try Workspace(below: root)
    workspace.remove()
    #expect(try names() == before)
  }

  @Test func `removes what a lab that is gone has left, and nothing of others`() throws {
    let work = FilePath(root).appending("work")
    let dead = work.appending("launchlab-1999999-1").string
    let other = work.appending("launchlab-1999998-1").string
    let former = work.appending("launchlab-7-1").string
    try TestMachine.mark(dead, lab: "1999999-1")
    try TestMachine.mark(other, lab: "1999998-1", namespaces: "1.1")
    try TestMachine.mark(former, lab: "7-1", bootID: "x", namespaces: "1.1")
    try TestMachine.shell("mkdir \(dead)/home0000; touch \(dead)/home0000/file", in: root)
    let workspace = try Workspace(below: root)
    workspace.remove()
    let isLeft = { FileManager.default.fileExists(atPath: $0) }
    #expect(!isLeft(dead))
    #expect(isLeft(other))
    // Without a machine's identifier nobody can tell another boot from another machine.
    #expect(isLeft(former) == (LabMark.ownMachine == nil))
  }

  @Test func `refuses to work behind a link`() throws {
    try TestMachine.shell("mkdir precious; touch precious/file; ln -s precious work", in: root)
    #expect(throws: HostError.placeRefused(path: "\(root)/work", .symbolicLink)) {
      try Workspace(below: root)
    }
    #expect(try TestMachine.shell("ls precious", in: root) == "file")
  }

  private func names() throws -> String { try TestMachine.shell("find . | sort", in: root) }
}
