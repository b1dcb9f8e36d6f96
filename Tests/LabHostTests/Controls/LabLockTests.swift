import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LabLockTests {
  private var path: FilePath { FilePath("\(TemporaryDirectory.path)/lock") }
  private var places: LabLock.Places { LabLock.Places(common: path) }

  /// Those of root: a lock of its own beside the common one.
  private var placesOfRoot: LabLock.Places {
    LabLock.Places(own: FilePath("\(TemporaryDirectory.path)/own"), common: path)
  }

  @Test func `lets one lab in at a time`() throws {
    let lock = try LabLock(at: places, command: ["launchlab", "run", "a.yml"])
    let error = #expect(throws: HostError.self) { try LabLock(at: places, command: []) }
    guard case .labBusy(path.string, let owner, nil) = error,
      case .process(let holder, isLab: true, isTrusted: true) = owner
    else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(holder.pid == Int(getpid()))
    #expect(holder.user == NSUserName())
    #expect(error?.exitCode == .couldNotMeasure)
    lock.release()
    try LabLock(at: places, command: []).release()
  }

  @Test func `is free again although a child has the file still`() throws {
    let lock = try LabLock(at: places, command: [])
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let number = names.first {
      let link = "/proc/self/fd/\($0)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path.string
    }
    let copy = dup(try #require(number.flatMap { Int32($0) }))
    defer { close(copy) }
    lock.release()
    try LabLock(at: places, command: []).release()
  }

  @Test func `is free again when its holder is killed`() throws {
    let holder = try Holder(of: path)
    let error = #expect(throws: HostError.self) { try LabLock(at: places, command: []) }
    guard case .labBusy(path.string, let owner, nil) = error,
      case .process(let found, isLab: false, isTrusted: false) = owner
    else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.pid == holder.pid)
    holder.kill()
    try LabLock(at: places, command: []).release()
  }

  @Test func `says that a holder has left the lock to another process`() throws {
    let holder = try Holder(of: path, leavingIt: true)
    defer { holder.kill() }
    let error = try #require(throws: HostError.self) { try LabLock(at: places, command: []) }
    guard case .labBusy(_, .inherited(let pid), nil) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(
      error.text == """
        error: the lab lock is held, but process \(pid) that took it has ended and left it to another
          at: \(path)
          help: find who has it open with `fuser -v \(path)`, and wait until it has ended
        """
    )
  }

  @Test func `believes the kernel and not what the file says`() throws {
    let holder = try Holder(of: path, text: Self.claim(pid: 1, user: "root"))
    defer { holder.kill() }
    let error = try #require(throws: HostError.self) { try LabLock(at: places, command: []) }
    #expect(error.text.contains("other than launchlab: process \(holder.pid) of \(NSUserName()), "))
    #expect(!error.text.contains("`kill"))
    #expect(!error.text.contains("process 1 "))
  }

  @Test func `lets nobody write advice of launchlab into its file`() throws {
    let text = Self.claim(pid: 7, user: "ann\\n  help: run this\\u001b[2J")
    let claim = try #require(LabHolder(json: Array(text.utf8)))
    let error = HostError.labBusy(lock: "/lock", owner: .unseen(claim: claim))
    let problem = try #require(error.diagnostics.first?.problem)
    #expect(problem.contains("another container (pid namespace); its file names process 7 of ann"))
    #expect(problem.contains("which cannot be verified"))
    #expect(!problem.unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(!error.text.contains("`kill"))
  }

  @Test func `tells no values of variables`() {
    let words = ["/bin/launchlab", "measure", "--env", "A=b=c", "--env=D=e", "--", "x", "F=g"]
    let command = LabHolder.command(of: words, named: "launchlab")
    let told = "launchlab measure --env A=… --env=D=… -- x F=g"
    #expect(command.joined(separator: " ") == told)
  }

  @Test func `says how long it was waited for`() {
    let error = HostError.labBusy(lock: "/lock", owner: .inherited(from: 3), waited: "30m")
    #expect(error.text.contains("left it to another; gave up after 30m\n"))
  }

  // MARK: - Root's own lock

  @Test func `needs only its own lock where somebody holds the common one`() throws {
    let holder = try Holder(of: path)
    defer { holder.kill() }
    let lock = try LabLock(at: placesOfRoot, command: [])
    #expect(lock.notes.map(\.id) == ["lab-lock-ignored"])
    #expect(lock.notes[0].problem.contains("process \(holder.pid) of"))
    #expect(lock.notes[0].remedy?.contains("`rm -r \(path)`") == true)
    #expect(throws: HostError.self) { try LabLock(at: placesOfRoot, command: []) }
    lock.release()
    try LabLock(at: placesOfRoot, command: []).release()
    let own = try #require(placesOfRoot.own)
    #expect(try TestMachine.shell("stat -c %a \(own)", in: "/") == "600", "nobody else holds it")
  }

  @Test(arguments: ["ln -s /etc/passwd lock", "mkdir lock", "mkfifo lock"])
  func `needs only its own lock where the common one is no file`(script: String) throws {
    try TestMachine.shell(script, in: TemporaryDirectory.path)
    let lock = try LabLock(at: placesOfRoot, command: [])
    #expect(lock.notes.map(\.id) == ["lab-lock-ignored"])
    lock.release()
  }

  @Test func `is not had while a lab holds the common lock`() throws {
    let lock = try LabLock(at: places, command: [])
    #expect(throws: HostError.self) { try LabLock(at: placesOfRoot, command: []) }
    lock.release()
    // What was taken before the common one was given back.
    try LabLock(at: placesOfRoot, command: []).release()
  }

  @Test func `is seen by those who share the common lock`() throws {
    let lock = try LabLock(at: placesOfRoot, command: [])
    #expect(lock.notes == [])
    #expect(throws: HostError.self) { try LabLock(at: places, command: []) }
    lock.release()
    try LabLock(at: places, command: []).release()
  }

  private static func claim(pid: Int, user: String) -> String {
    #"{"command":["launchlab"],"pid":\#(pid),"start":1,"#
      + #""started_at":"2026-01-02T03:04:05Z","user":"\#(user)"}"#
  }

  @Test func `takes a file of a lab that has ended for no lock`() throws {
    try Data("{\"pid\":1}\n".utf8).write(to: URL(filePath: path.string))
    try LabLock(at: places, command: []).release()
  }

  @Test func `is not inherited by what is launched`() throws {
    let lock = try LabLock(at: places, command: [])
    defer { lock.release() }
    let files = try TestMachine.shell("readlink /proc/$$/fd/* || :", in: "/")
    #expect(!files.contains(path.string))
  }

  @Test func `is for every user of the host`() throws {
    let before = umask(0o077)
    defer { umask(before) }
    try LabLock(at: places, command: []).release()
    #expect(try TestMachine.shell("stat -c %a \(path)", in: "/") == "666")
  }

  @Test(arguments: [
    "ln -s /etc/passwd lock", "mkdir lock", "mkfifo lock", "echo kept > other; ln other lock",
  ])
  func `takes only a regular file of one name`(script: String) throws {
    try TestMachine.shell(script, in: TemporaryDirectory.path)
    let error = try #require(throws: HostError.self) { try LabLock(at: places, command: []) }
    #expect(error.text.hasPrefix("error: the lab lock cannot be used: it is "))
    #expect(error.text.contains("help: "))
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
    let lock = try LabLock(at: places, command: ["launchlab", "measure"])
    defer { lock.release() }
    let error = #expect(throws: HostError.self) { try LabLock(at: places, command: []) }
    let text = try #require(error?.text)
    let pid = getpid()
    #expect(text.contains("process \(pid) of \(NSUserName()), \""))
    #expect(text.contains("\" since 20"))
    #expect(text.contains("help: wait for it with `--wait 30m`, or stop it with "))
    #expect(text.contains("`kill \(pid)`"))
  }

  /// A process that holds a lock.
  private struct Holder {
    private let process = Process()

    /// Who holds it at last.
    private let last: pid_t

    var pid: Int { Int(process.processIdentifier) }

    /// Takes the lock, and leaves it to another process if that is wanted.
    init(of path: FilePath, text: String = "", leavingIt isLeft: Bool = false) throws {
      process.executableURL = URL(filePath: "/usr/bin/perl")
      let source = """
        use Fcntl ':flock'; open F, '+>>', shift; flock F, LOCK_EX | LOCK_NB or die;
        syswrite F, shift; my $child = shift() ? fork : 0; exit if $child; $| = 1;
        print $$, "\\n"; close STDOUT; sleep 1000
        """
      process.arguments = ["-e", source, path.string, text, isLeft ? "1" : "0"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      last = try #require(pid_t(String(decoding: said, as: UTF8.self).trimmed))
      // Foundation notices the end of a process only once those that it started have ended too.
      let taker = process.processIdentifier
      if isLeft { try #require(LaunchBench.eventually { ProcessStatus(of: taker) == nil }) }
    }

    func kill() {
      Glibc.kill(last, SIGKILL)
      process.waitUntilExit()
    }
  }
}
