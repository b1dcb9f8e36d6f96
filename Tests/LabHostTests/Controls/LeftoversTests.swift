import Foundation
import Glibc
import LabModel
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

@Suite(.temporaryDirectory) struct LeftoversTests {
  @Test func `finds nothing where nothing was left`() throws {
    let recovery = try Leftovers(in: directory(), tree: FixtureTree().tree).recover()
    #expect(recovery == Recovery())
    #expect(recovery.exitCode == .done)
  }

  @Test func `undoes the journals of every killed lab`() throws {
    let fixture = FixtureTree()
    for (number, name) in ["a", "b"].enumerated() {
      try fixture.write("0\n", to: "proc/sys/\(name)")
      let journal = try ControlJournal(
        in: directory(),
        command: [],
        lab: try #require(ProcessIdentity("199999\(number)-1"))
      )
      try journal.record(.value(path: "proc/sys/\(name)", before: "1", after: "0"), of: .thp)
    }
    let recovery = try Leftovers(in: directory(), tree: fixture.tree).recover()
    #expect(recovery.changes.map(\.place) == ["/proc/sys/a", "/proc/sys/b"])
    #expect(fixture.text(at: "proc/sys/a") == "1")
    #expect(fixture.text(at: "proc/sys/b") == "1")
  }

  @Test func `removes directories of sockets that a killed lab has left`() throws {
    let path = "/tmp/launchlab-1999998-\(UInt32.random(in: 1 ... .max))"
    try TestMachine.mark(path, lab: String(path.dropFirst("/tmp/launchlab-".count)))
    try TestMachine.shell("touch \(path)/socket", in: "/")
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try Leftovers(in: directory()).recover()
    #expect(!exists(path))
  }

  @Test func `leaves directories of sockets that another container may use`() throws {
    let lab = "1999997-\(UInt32.random(in: 1 ... .max))"
    let path = "/tmp/launchlab-\(lab)"
    try TestMachine.mark(path, lab: lab, namespaces: "1.1")
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try Leftovers(in: directory()).recover()
    #expect(exists(path))
  }

  private func directory() throws -> JournalDirectory {
    try JournalDirectory(
      environment: [JournalDirectory.variable: "\(TemporaryDirectory.path)/state"]
    )
  }
}
