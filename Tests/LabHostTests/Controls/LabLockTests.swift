import Foundation
import Glibc
import LabModel
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

@Suite(.temporaryDirectory) struct LabLockTests {
  private var path: FilePath { FilePath("\(TemporaryDirectory.path)/lock") }

  @Test func `lets one lab in at a time`() throws {
    let lock = try LabLock(at: path, command: ["launchlab", "run", "a.yml"])
    let error = #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    guard case .labBusy(path.string, let holder?, true) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(holder.pid == Int(getpid()))
    #expect(holder.command == ["launchlab", "run", "a.yml"])
    #expect(holder.user == NSUserName())
    #expect(error?.exitCode == .couldNotMeasure)
    lock.release()
    try LabLock(at: path, command: []).release()
  }

  @Test func `is free again although a child has the file still`() throws {
    let lock = try LabLock(at: path, command: [])
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let number = names.first {
      let link = "/proc/self/fd/\($0)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path.string
    }
    let copy = dup(try #require(number.flatMap { Int32($0) }))
    defer { close(copy) }
    lock.release()
    try LabLock(at: path, command: []).release()
  }

  @Test func `is free again when its holder is killed`() throws {
    let holder = try Holder(of: path)
    let error = #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    #expect(error == .labBusy(lock: path.string, holder: nil, isAlive: false))
    holder.kill()
    try LabLock(at: path, command: []).release()
  }

  @Test func `says that a holder has left the lock to another process`() throws {
    let text =
      #"{"command":["launchlab"],"pid":1999999,"start":1,"#
      + #""started_at":"2026-01-02T03:04:05Z","user":"ann"}"#
    let holder = try Holder(of: path, text: text)
    defer { holder.kill() }
    let error = #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    #expect(
      error?.text == """
        error: the lab lock is held in the name of process 1999999 of ann, "launchlab" since \
        2026-01-02T03:04:05Z, which is not seen from here: it has ended and left the lock to \
        another process, or it runs in another container
          at: \(path)
          help: find who holds it with `fuser -v \(path)`, and wait until it has ended
        """
    )
  }

  @Test func `lets nobody write advice of launchlab into its file`() throws {
    let text =
      #"{"command":["launchlab","\n  help: run this"],"pid":1999999,"start":1,"#
      + #""started_at":"2026-01-02T03:04:05Z","user":"ann\n"}"#
    let holder = try Holder(of: path, text: text)
    defer { holder.kill() }
    let error = #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    #expect(error?.diagnostics.first?.problem.contains("\n") == false)
  }

  @Test func `takes a file of a lab that has ended for no lock`() throws {
    try Data("{\"pid\":1}\n".utf8).write(to: URL(filePath: path.string))
    try LabLock(at: path, command: []).release()
  }

  @Test func `is not inherited by what is launched`() throws {
    let lock = try LabLock(at: path, command: [])
    defer { lock.release() }
    let files = try TestMachine.shell("readlink /proc/$$/fd/* || :", in: "/")
    #expect(!files.contains(path.string))
  }

  @Test func `is for every user of the host`() throws {
    let before = umask(0o077)
    defer { umask(before) }
    try LabLock(at: path, command: []).release()
    #expect(try TestMachine.shell("stat -c %a \(path)", in: "/") == "666")
  }

  @Test(arguments: [
    "ln -s /etc/passwd lock", "mkdir lock", "mkfifo lock", "echo kept > other; ln other lock",
  ])
  func `takes only a regular file of one name`(script: String) throws {
    try TestMachine.shell(script, in: TemporaryDirectory.path)
    #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    let other = FileManager.default.contents(atPath: "\(TemporaryDirectory.path)/other")
    #expect([nil, Data("kept\n".utf8)].contains(other))
  }

  @Test func `tells who has it, and waits for no pipe that stands there`() throws {
    let environment = [JournalDirectory.variable: TemporaryDirectory.path]
    let directory = try JournalDirectory(environment: environment)
    let lock = try LabLock(in: directory, command: ["launchlab"])
    #expect(LabLock.holder(in: directory)?.pid == Int(getpid()))
    lock.release()
    #expect(LabLock.holder(in: directory) == nil)
    try TestMachine.shell("rm lock; mkfifo lock", in: TemporaryDirectory.path)
    #expect(LabLock.holder(in: directory) == nil)
  }

  @Test func `names its holder and the remedy`() throws {
    let lock = try LabLock(at: path, command: ["launchlab", "measure"])
    defer { lock.release() }
    let error = #expect(throws: HostError.self) { try LabLock(at: path, command: []) }
    let text = try #require(error?.text)
    let pid = getpid()
    #expect(text.contains("process \(pid) of \(NSUserName()), \"launchlab measure\" since 20"))
    #expect(text.contains("help: wait until it has ended, or end it with `kill \(pid)`"))
  }

  /// A process that holds a lock as descriptor 9.
  private struct Holder {
    private let process = Process()

    init(of path: FilePath, text: String = "") throws {
      process.executableURL = URL(filePath: "/bin/bash")
      let lock = "exec 9<>\(path); flock -n 9; echo '\(text)' >&9; echo locked"
      process.arguments = ["-euc", "\(lock); exec >/dev/null; exec sleep 1000"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      try #require(String(decoding: said, as: UTF8.self) == "locked\n")
    }

    func kill() {
      Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
}
