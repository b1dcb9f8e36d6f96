import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Ends of processes that the kernel does not tell, and of those that cannot be reaped.
@Suite(.temporaryDirectory) struct ChildEndTests {
  private func helper(_ script: String, patience: Nanoseconds) throws -> HelperProcess {
    try HelperProcess(program: "/bin/sh", arguments: ["-c", script], patience: patience)
  }

  @Test func `learns of an end without a pidfd`() throws {
    let process = try helper("exec 3<&-; exit 7", patience: .seconds(60))
    let end = try ChildEnd(of: process.pid) { _ in -ENOSYS }
    #expect(end.fate(within: .seconds(60)) == .exited(status: 7))
    #expect(process.abandon() == "an unknown status")
  }

  @Test func `says that a process goes on`() throws {
    let process = try helper("exec sleep 1000", patience: .milliseconds(50))
    let end = try ChildEnd(of: process.pid)
    #expect(end.fate(within: .zero) == nil)
    #expect(end.fate(within: .milliseconds(1)) == nil)
    #expect(process.abandon() == "signal 9")
  }

  @Test(.enabled(if: HeldProcess.isPossible, "python3 cannot trace a process"))
  func `gives up a helper that cannot be reaped, and knows no status of it`() throws {
    let process = try HelperProcess(
      program: HeldProcess.python,
      arguments: ["-c", HeldProcess.script(in: TemporaryDirectory.path) + "\nos.read(3, 1)"],
      patience: .milliseconds(200)
    )
    defer { HeldProcess.letGo(in: TemporaryDirectory.path) }
    #expect(HeldProcess.isHeld(in: TemporaryDirectory.path))
    #expect(process.abandon() == "no status, since it was killed and does not end")
  }

  @Test(.enabled(if: HeldProcess.isPossible, "python3 cannot trace a process"))
  func `gives up a command that cannot be reaped`() throws {
    var command = SideCommand(
      command: [HeldProcess.python, "-c", HeldProcess.script(in: TemporaryDirectory.path)],
      environment: [:],
      directory: "/",
      limit: .seconds(60)
    )
    command.patience = .milliseconds(200)
    defer { HeldProcess.letGo(in: TemporaryDirectory.path) }
    let failure = try #require(try command.run())
    #expect(failure.fate.hasPrefix("ended, but process "))
    #expect(failure.fate.hasSuffix(" cannot be reaped: a debugger or the kernel holds it"))
  }
}

/// A process that another one traces, so that its parent cannot reap it; ptrace(2).
private enum HeldProcess {
  static let python = "/usr/bin/python3"

  /// Whether a child of a process may trace it here.
  static let isPossible: Bool = {
    var template = Array("/tmp/launchlab-held-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return false }
    let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
    let directory = String(decoding: bytes, as: UTF8.self)
    defer {
      _ = unsafe unlink("\(directory)/held")
      _ = unsafe rmdir(directory)
    }
    let command = SideCommand(
      command: [python, "-c", script(in: directory, seconds: 0)],
      environment: [:],
      directory: "/",
      limit: .seconds(60)
    )
    _ = try? command.run()
    return isHeld(in: directory, rounds: 1)
  }()

  /// Has a process in a session of its own trace the one that runs this, and says so in a file.
  static func script(in directory: String, seconds: Int = 60) -> String {
    """
    import ctypes, os, time
    libc, parent = ctypes.CDLL(None), os.getpid()
    libc.prctl(0x59616d61, ctypes.c_long(-1), 0, 0, 0)
    ready, done = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if libc.ptrace(0x4206, parent, None, None) == 0:
            with open("\(directory)/held", "w") as file: file.write(str(os.getpid()))
        os.write(done, b"x")
        time.sleep(\(seconds))
        os._exit(0)
    os.read(ready, 1)
    """
  }

  static func isHeld(in directory: String, rounds: Int = 6_000) -> Bool {
    for _ in 0..<rounds {
      if tracer(in: directory) != nil { return true }
      _ = poll(nil, 0, 10)
    }
    return false
  }

  static func letGo(in directory: String) {
    if let tracer = tracer(in: directory) { kill(tracer, SIGKILL) }
  }

  private static func tracer(in directory: String) -> pid_t? {
    HostTree().text(at: "\(directory)/held").flatMap { pid_t($0) }
  }
}
