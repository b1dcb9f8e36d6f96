import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ControlJournalTests {
  private let fixture = FixtureTree()
  private let swappiness = "proc/sys/vm/swappiness"

  @Test func `restores what a killed lab has changed`() throws {
    try fixture.write("60\n", to: swappiness)
    let killed = try journal(of: "1999999-1")
    try change(swappiness, "60", "0", control: .swap, in: killed)
    let stale = ControlJournal.stale(in: try directory())
    #expect(stale.map(\.path) == [killed.path])
    #expect(
      stale.flatMap { $0.undoAll(in: fixture.tree) } == [
        UndoneChange(
          control: .swap,
          kind: .value,
          place: "/proc/sys/vm/swappiness",
          before: "60",
          status: .restored,
          lab: "launchlab run a.yml (pid 1999999)"
        )
      ]
    )
    #expect(fixture.text(at: swappiness) == "60")
    #expect(ControlJournal.stale(in: try directory()).isEmpty)
  }

  @Test func `knows a change that a lab was killed before`() throws {
    try fixture.write("60\n", to: swappiness)
    let killed = try journal(of: "1999999-1")
    try killed.record(.value(path: swappiness, before: "60", after: "0"), of: .swap)
    #expect(killed.undoAll(in: fixture.tree).map(\.status) == [.unchanged])
    #expect(fixture.text(at: swappiness) == "60")
  }

  @Test func `knows whether anything is to be undone`() throws {
    let killed = try journal(of: "1999999-1")
    #expect(!killed.isPending)
    try killed.record(.value(path: swappiness, before: "60", after: "0"), of: .swap)
    #expect(killed.isPending)
  }

  @Test func `undoes the last change first`() throws {
    try fixture.write("60\n", to: swappiness)
    let journal = try journal(of: "1999999-1")
    try change(swappiness, "60", "10", control: .swap, in: journal)
    try change(swappiness, "10", "0", control: .swap, in: journal)
    #expect(journal.undoAll(in: fixture.tree).map(\.before) == ["10", "60"])
    #expect(fixture.text(at: swappiness) == "60")
  }

  @Test func `undoes the changes of one control and keeps the others`() throws {
    try fixture.write("60\n", to: swappiness)
    try fixture.write("1\n", to: "proc/sys/kernel/nmi_watchdog")
    let journal = try journal(of: "1999999-1")
    try change(swappiness, "60", "0", control: .swap, in: journal)
    try change("proc/sys/kernel/nmi_watchdog", "1", "0", control: .nmiWatchdog, in: journal)
    #expect(journal.undoAll(of: .swap, in: fixture.tree).map(\.status) == [.restored])
    #expect(fixture.text(at: "proc/sys/kernel/nmi_watchdog") == "0")
    let rest = journal.undoAll(in: fixture.tree)
    #expect(rest.map(\.control) == [.nmiWatchdog])
    #expect(fixture.text(at: "proc/sys/kernel/nmi_watchdog") == "1")
  }

  @Test func `keeps what could not be undone for the next time`() throws {
    try fixture.write("60\n", to: swappiness)
    let journal = try journal(of: "1999999-1")
    try journal.record(.swapArea(path: "swapfile", priority: 3), of: .swap)
    try change(swappiness, "60", "0", control: .swap, in: journal)
    let first = journal.undoAll(in: fixture.tree)
    #expect(first.map(\.status) == [.restored, .failed])
    #expect(first.last?.remedy == "swapon -p 3 /swapfile")
    // What is restored is not looked at again: by now somebody may have set it on purpose.
    try fixture.write("0\n", to: swappiness)
    let second = ControlJournal.stale(in: try directory()).flatMap {
      $0.undoAll(in: fixture.tree)
    }
    #expect(second.map(\.status) == [.failed])
    #expect(fixture.text(at: swappiness) == "0")
  }

  @Test func `tells a change that ended with an earlier boot`() throws {
    try fixture.write("0\n", to: swappiness)
    let path = "\(TemporaryDirectory.path)/launchlab-1999999-1"
    try TestMachine.mark(path, lab: "1999999-1", bootID: "earlier")
    let journal = try ControlJournal(
      in: directory(),
      command: [],
      // A living process: after a boot it may be given the numbers of a lab.
      lab: .current,
      bootID: "earlier"
    )
    try journal.record(.value(path: swappiness, before: "60", after: "0"), of: .swap)
    try journal.record(.directory(path: path), of: nil)
    let stale = ControlJournal.stale(in: try directory())
    #expect(stale == [journal])
    #expect(stale.flatMap { $0.undoAll(in: fixture.tree) }.map(\.status) == [.restored, .expired])
    #expect(fixture.text(at: swappiness) == "0")
    #expect(!exists(path))
  }

  @Test func `leaves the journal of a living lab alone`() throws {
    let living = try #require(ProcessIdentity(ofLiving: Int(getppid())))
    for lab in [living.description, ProcessIdentity.current.description] {
      _ = try journal(of: lab)
    }
    #expect(ControlJournal.stale(in: try directory()).isEmpty)
  }

  @Test(
    .enabled(if: TestMachine.isRoot, "chown takes root"),
    arguments: ["chown 65534 J", "chmod 666 J", "mv J ../J; ln -s ../J J"]
  )
  func `believes nobody else`(script: String) throws {
    try fixture.write("0\n", to: swappiness)
    let journal = try journal(of: "1999999-1")
    try journal.record(.value(path: swappiness, before: "60", after: "0"), of: .swap)
    let name = try #require(journal.path.lastComponent?.string)
    let directory = journal.path.removingLastComponent().string
    try TestMachine.shell(script.replacing("J", with: name), in: directory)
    #expect(ControlJournal.stale(in: try self.directory()).isEmpty)
    #expect(journal.undoAll(in: fixture.tree).isEmpty)
    #expect(fixture.text(at: swappiness) == "0")
  }

  @Test func `does not forget a change that it does not know`() throws {
    let journal = try journal(of: "1999999-1")
    let later = #"{"begin":1,"change":{"clock":{"path":"x"}},"control":"clock"}"# + "\n"
    let file = try #require(FileHandle(forWritingAtPath: journal.path.string))
    try file.seekToEnd()
    try file.write(contentsOf: Data(later.utf8))
    let undone = journal.undoAll(in: fixture.tree)
    #expect(undone.map(\.kind) == [.unknown])
    #expect(undone.map(\.status) == [.failed])
    #expect(exists(journal.path.string))
  }

  @Test func `reads every entry that is whole, wherever it was cut off`() throws {
    let journal = try journal(of: "1999999-1")
    try journal.record(.value(path: swappiness, before: "60", after: "0"), of: .swap)
    try journal.record(.processes(mark: "x"), of: nil)
    let bytes = try #require(HostTree().bytes(at: journal.path.string))
    let whole = JournalContent(bytes)
    #expect(whole.entries.count == 2)
    let newlines = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    let wrong = (0...bytes.count).filter { cut in
      let content = JournalContent(Array(bytes[..<cut]))
      let lines = newlines.count { $0 <= cut }
      return content.entries != Array(whole.entries.prefix(max(0, lines - 1)))
        || (content.header == nil) != (lines == 0)
    }
    #expect(wrong.isEmpty)
  }

  @Test func `writes behind a line that was cut off`() throws {
    let journal = try journal(of: "1999999-1")
    try journal.record(.processes(mark: "x"), of: nil)
    try TestMachine.shell("truncate -s -5 \(journal.path)", in: "/")
    try fixture.write("60\n", to: swappiness)
    try change(swappiness, "60", "0", control: .swap, in: journal)
    let content = JournalContent(try #require(HostTree().bytes(at: journal.path.string)))
    #expect(content.entries.map(\.control) == [.swap])
  }

  @Test func `says why nothing can be written down`() throws {
    let journal = try journal(of: "1999999-1")
    try FileManager.default.removeItem(atPath: journal.path.string)
    let error = #expect(throws: HostError.self) { try journal.record(.unit(name: "a"), of: nil) }
    #expect(
      error?.text == """
        error: cannot write to the journal of changes: No such file or directory; nothing is \
        changed that is not in it
          at: \(journal.path)
          help: make room on its file system, or name another directory in LAUNCHLAB_STATE_DIR
        """
    )
  }

  private func directory() throws -> JournalDirectory {
    try JournalDirectory(
      environment: [JournalDirectory.variable: "\(TemporaryDirectory.path)/state"]
    )
  }

  @Test func `leaves the journal of a lab that another container may have`() throws {
    let id = try #require(ProcessIdentity("1999999-1"))
    func journal(bootID: String = LabMark.ownBootID) throws -> ControlJournal {
      try ControlJournal(
        in: try directory(),
        command: [],
        lab: id,
        bootID: bootID,
        namespaces: "1.1"
      )
    }
    let own = try journal()
    #expect(ControlJournal.stale(in: try directory()) == [])
    try FileManager.default.removeItem(atPath: own.path.string)
    let former = try journal(bootID: "former")
    #expect(ControlJournal.stale(in: try directory()) == [former])
  }

  private func journal(of lab: String) throws -> ControlJournal {
    try ControlJournal(
      in: directory(),
      command: ["launchlab", "run", "a.yml"],
      lab: try #require(ProcessIdentity(lab))
    )
  }

  private func change(
    _ path: String,
    _ before: String,
    _ after: String,
    control: ControlName,
    in journal: ControlJournal
  ) throws {
    let change = Change.value(path: path, before: before, after: after)
    try journal.record(change, of: control)
    try change.apply(in: fixture.tree)
  }
}
