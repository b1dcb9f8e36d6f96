import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct JournalDirectoryTests {
  private var root: String { TemporaryDirectory.path }

  @Test(.enabled(if: TestMachine.isRoot, "only root has a directory in /run"))
  func `is in run for root`() throws {
    try TestMachine.shell("mkdir run tmp", in: root)
    let directory = try JournalDirectory(environment: [:], root: FilePath(root))
    #expect(directory.path.string == "\(root)/run/launchlab")
    #expect(try TestMachine.shell("stat -c %a run/launchlab", in: root) == "700")
  }

  @Test func `is in tmp where there is no other place`() throws {
    try TestMachine.shell("mkdir -m 1777 tmp", in: root)
    let directory = try JournalDirectory(environment: [:], root: FilePath(root))
    #expect(directory.path.string == "\(root)/tmp/launchlab-\(geteuid())/state")
    #expect(try TestMachine.shell("stat -c %a tmp/launchlab-*", in: root) == "700")
  }

  @Test func `is where the user says`() throws {
    let environment = [JournalDirectory.variable: "\(root)/state"]
    let directory = try JournalDirectory(environment: environment, root: FilePath(root))
    #expect(directory.path.string == "\(root)/state")
    #expect(directory.isChosen)
  }

  @Test(arguments: ["ln -s / state", "mkdir -m 777 state", "touch state"])
  func `takes no directory that somebody else may write to`(script: String) throws {
    try TestMachine.shell(script, in: root)
    let environment = [JournalDirectory.variable: "\(root)/state"]
    let error = try #require(throws: HostError.self) {
      try JournalDirectory(environment: environment)
    }
    guard case .journalDirectory("\(root)/state", _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.text.contains("help: "))
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `follows no link of another user`() throws {
    try TestMachine.shell(
      "mkdir -m 700 own tmp; ln -s ../own tmp/way; chown -hR 65534 tmp",
      in: root
    )
    let environment = [JournalDirectory.variable: "\(root)/tmp/way/lab"]
    #expect(throws: HostError.self) { try JournalDirectory(environment: environment) }
    #expect(try TestMachine.shell("ls own", in: root).isEmpty)
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `takes no directory that somebody else has made in tmp`() throws {
    try TestMachine.shell(
      "mkdir -m 1777 tmp; mkdir tmp/launchlab-0; chown 65534 tmp/launchlab-0",
      in: root
    )
    #expect(throws: HostError.self) {
      try JournalDirectory(environment: [:], root: FilePath(root))
    }
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `finds no journals below what somebody else has made in tmp`() throws {
    try TestMachine.shell(
      "mkdir run; mkdir -m 1777 tmp; mkdir -p tmp/launchlab-0/state; chmod 700 tmp/launchlab-0/*; "
        + "chown 65534 tmp/launchlab-0",
      in: root
    )
    let directory = try JournalDirectory(environment: [:], root: FilePath(root))
    #expect(directory.places == [directory.path])
  }

  @Test func `takes no relative path`() {
    #expect(throws: HostError.self) {
      try JournalDirectory(environment: [JournalDirectory.variable: "state"])
    }
  }

  @Test func `knows the journals of every place that a lab may have chosen`() throws {
    try TestMachine.shell("mkdir run; mkdir -m 1777 tmp", in: root)
    let path = "\(root)/tmp/launchlab-\(geteuid())/state"
    let early = try JournalDirectory(environment: [JournalDirectory.variable: "\(root)/chosen"])
    try TestMachine.shell("mkdir -m 700 -p $(dirname \(path)); mv chosen \(path)", in: root)
    let lab = try #require(ProcessIdentity("1999999-1"))
    let file = "journal-\(lab)"
    try Data().write(to: URL(filePath: "\(path)/\(file)"))
    let directory = try JournalDirectory(environment: [:], root: FilePath(root))
    #expect(directory.path != FilePath(path))
    #expect(ControlJournal.stale(in: directory).map(\.path.string) == ["\(path)/\(file)"])
    #expect(early.places.map(\.string) == ["\(root)/chosen"])
  }

  @Test func `knows a place of two names once`() throws {
    try TestMachine.shell("mkdir -p run/user/$(id -u) var tmp; ln -s ../run var/run", in: root)
    let session = "\(root)/run/user/\(geteuid())"
    let directory = try JournalDirectory(
      environment: ["XDG_RUNTIME_DIR": session],
      root: FilePath(root)
    )
    #expect(directory.places == [directory.path])
  }
}
