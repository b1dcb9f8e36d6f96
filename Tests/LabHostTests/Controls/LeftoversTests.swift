import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

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

  @Test func `removes the copies that a killed lab was making, and no others`() throws {
    let app = "\(TemporaryDirectory.path)/app"
    try TestMachine.shell(
      """
      mkdir -p app/sub other; touch app/file app/.launchlab-1999990-1.tmp
      touch app/sub/.launchlab-1999990-2.tmp app/.launchlab-1999991-3.tmp app/.launchlab-1999990.tmp
      touch other/.launchlab-1999990-4.tmp; ln -s ../other app/link
      """,
      in: TemporaryDirectory.path
    )
    let lab = try #require(ProcessIdentity("1999990-1"))
    let journal = try ControlJournal(in: directory(), command: ["launchlab", "run"], lab: lab)
    try journal.recordOnce(.copies(directory: app, lab: "\(lab)"))
    try journal.recordOnce(.copies(directory: app, lab: "\(lab)"))
    let recovery = try Leftovers(in: directory()).recover()
    #expect(recovery.changes.filter { $0.kind == .copies }.map(\.status) == [.restored])
    let left = try TestMachine.shell("find app other -type f | sort", in: TemporaryDirectory.path)
    #expect(
      left == """
        app/.launchlab-1999990.tmp
        app/.launchlab-1999991-3.tmp
        app/file
        other/.launchlab-1999990-4.tmp
        """
    )
  }

  @Test func `leaves the copies of a lab that is at work, and what is behind a link`() throws {
    let path = TemporaryDirectory.path
    try TestMachine.shell("mkdir app; touch app/.launchlab-1-2.tmp; ln -s app link", in: path)
    let first = try #require(ProcessIdentity(ofLiving: 1))
    func undoing(_ name: String, lab: String) -> Undoing {
      Change.copies(directory: "\(path)/\(name)", lab: lab).undo(in: HostTree())
    }
    #expect(undoing("app", lab: "\(first)") == .failed(reason: "process 1 is using it"))
    guard case .failed = undoing("link", lab: "1-0") else {
      Issue.record("a link was followed")
      return
    }
    #expect(exists("\(path)/app/.launchlab-1-2.tmp"))
    #expect(undoing("gone", lab: "1-0") == .alreadyRestored)
    #expect(!Change.copies(directory: "app", lab: "1-0").isPossible)
    #expect(!Change.copies(directory: "/app", lab: "1").isPossible)
  }

  @Test(arguments: ["chmod 666 J", "chmod g+w J", "mv J ../J; ln -s ../J J", "rm J; mkfifo J"])
  func `says which journal it does not trust`(script: String) throws {
    let fixture = FixtureTree()
    try fixture.write("0\n", to: "proc/sys/a")
    let journal = try ControlJournal(
      in: directory(),
      command: [],
      lab: try #require(ProcessIdentity("1999990-1"))
    )
    try journal.record(.value(path: "proc/sys/a", before: "1", after: "0"), of: .thp)
    let name = try #require(journal.path.lastComponent).string
    try TestMachine.shell(
      script.replacingOccurrences(of: "J", with: name),
      in: journal.path.removingLastComponent().string
    )

    let recovery = try Leftovers(in: directory(), tree: fixture.tree).recover()

    #expect(fixture.text(at: "proc/sys/a") == "0")
    #expect(recovery.exitCode == .couldNotMeasure)
    #expect(recovery.diagnostics.map(\.id) == ["journal-untrusted"])
    #expect(recovery.diagnostics.first?.place == journal.path.string)
    #expect(recovery.diagnostics.first?.remedy?.contains("`rm \(journal.path)`") == true)
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `warns of journals where anybody can have put them`() throws {
    let root = TemporaryDirectory.path
    try TestMachine.shell(
      "mkdir run; mkdir -m 1777 tmp; mkdir -p tmp/launchlab-0/state; "
        + "echo > tmp/launchlab-0/state/journal-5-5; chown -R 65534 tmp/launchlab-0",
      in: root
    )
    let directory = try JournalDirectory(environment: [:], root: FilePath(root))

    let recovery = Leftovers(in: directory, tree: FixtureTree().tree).recover()

    #expect(recovery.exitCode == .done)
    #expect(recovery.notes.map(\.place) == ["\(root)/tmp/launchlab-0/state"])
  }

  private func directory() throws -> JournalDirectory {
    try JournalDirectory(
      environment: [JournalDirectory.variable: "\(TemporaryDirectory.path)/state"]
    )
  }
}
