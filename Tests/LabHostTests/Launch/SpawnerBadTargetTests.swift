import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SpawnerBadTargetTests {
  struct EndCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var source: String
    var outcome: Outcome
    var flags: [LaunchFlag] = []
    var ready = Readiness.exit
  }

  static let endCases = [
    EndCase(
      testDescription: "a crash",
      source: "kill 11, $$; sleep 60",
      outcome: .signalled(signal: 11)
    ),
    EndCase(testDescription: "a failure", source: "exit 7", outcome: .exited(code: 7)),
    EndCase(
      testDescription: "an end before it is ready",
      source: "exit 0",
      outcome: .exited(code: 0),
      ready: .output(stream: .stdout, pattern: "never")
    ),
    EndCase(
      testDescription: "a closed stdout",
      source: "close STDOUT; close STDERR; exit 0",
      outcome: .ready
    ),
    EndCase(
      testDescription: "a child left behind",
      source: "exit if fork; sleep 60",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
    EndCase(
      testDescription: "a detached child that ignores signals",
      source: "use POSIX; if (!fork) { POSIX::setsid(); $SIG{$_}='IGNORE' for keys %SIG;"
        + "exit if fork; sleep 60 } wait",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
    EndCase(
      testDescription: "a stopped child",
      source: "exit if fork; kill 19, $$; sleep 60",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
    EndCase(
      testDescription: "a storm of forks",
      source: "exit if fork; for (1..200) { exit if fork } sleep 60",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
    EndCase(
      testDescription: "a process that flees by forking",
      source: "exit if fork; while (1) { exit if fork }",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
    EndCase(
      testDescription: "many children at once",
      source: "for (1..100) { fork or sleep 60 }",
      outcome: .ready,
      flags: [.leftProcesses]
    ),
  ]

  @Test(arguments: endCases)
  func `leaves nothing behind of`(_ end: EndCase) throws {
    let bench = try LaunchBench()
    let result = try bench.perl(end.source, ready: end.ready)
    #expect(result.outcome == end.outcome)
    #expect(result.flags == end.flags)
    #expect(bench.marked.isEmpty)
  }

  @Test func `ends a target that hangs`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl("sleep 60", timeout: .milliseconds(100))
    #expect(result.outcome == .timedOut)
    #expect(result.launch == nil)
    #expect(result.flags == [])
    #expect(try #require(result.figures.peakRSS) > 0)
    #expect(bench.marked.isEmpty)
  }

  @Test func `kills a target that ignores the stop signal`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$SIG{TERM}='IGNORE'; $|=1; print qq(up\\n); fork; sleep 60 while 1",
      ready: .output(stream: .stdout, pattern: "up"),
      grace: .milliseconds(100)
    )
    #expect(result.outcome == .ready)
    #expect(result.flags == [.killed])
    #expect(bench.marked.isEmpty)
  }

  @Test func `keeps both ends of a flood`() throws {
    let bench = try LaunchBench()
    let size = 1 << 30
    let flood =
      "print q(a) x 65536; $b = q(b) x 1048576; print $b for 1..1023; "
      + "print substr($b, 0, 1048576 - 65536 - 3), q(end)"
    let result = try bench.perl(flood)
    #expect(result.outcome == .ready)
    #expect(result.output.stdout.totalBytes == Int64(size))
    #expect(result.output.stdout.head == Array(repeating: UInt8(ascii: "a"), count: 65_536))
    #expect(result.output.stdout.tail.count == CapturedStream.limit)
    #expect(result.output.stdout.tail.suffix(4) == ArraySlice("bend".utf8))
    #expect(result.flags.contains(.outputTruncated))
    // A spawner that always has the processor at once may keep up with it.
    #expect(try (1...3).contains { _ in try bench.perl(flood).flags.contains(.outputBlocked) })
  }

  @Test func `stops a target that floods without end`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl("print q(x) x 65536 while 1", timeout: .milliseconds(300))
    #expect(result.outcome == .timedOut)
    #expect(bench.marked.isEmpty)
  }

  @Test func `launches a target that removes its own directory`() throws {
    let bench = try LaunchBench()
    let directory = "\(TemporaryDirectory.path)/own"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let request = try bench.request(
      ["/usr/bin/perl", "-e", "rmdir shift or exit 1", directory],
      directory: directory
    )
    #expect(try bench.spawner.launch(request).outcome == .ready)
    #expect(
      try bench.spawner.launch(request).outcome
        == .notStarted(
          reason: "cannot enter the directory \"\(directory)\": no such file or directory"
        )
    )
  }

  struct ProgramCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var content: String?
    var mode = 0o755
    var reason: String
  }

  static let programCases = [
    ProgramCase(testDescription: "a missing program", content: nil, reason: "no such file"),
    ProgramCase(
      testDescription: "a file without the right to execute",
      content: "#!/bin/sh\n",
      mode: 0o644,
      reason: "permission denied; make it executable, on a file system that is not noexec"
    ),
    ProgramCase(
      testDescription: "a script without its first line",
      content: "echo\n",
      reason: "exec format error: no #! line, or a program for another machine?"
    ),
    ProgramCase(
      testDescription: "a script of a missing interpreter",
      content: "#!/nowhere/sh\n",
      reason: "its interpreter \"/nowhere/sh\" does not exist"
    ),
  ]

  @Test(arguments: programCases)
  func `says why it cannot execute`(_ program: ProgramCase) throws {
    let path = "\(TemporaryDirectory.path)/program"
    if let content = program.content {
      _ = FileManager.default.createFile(
        atPath: path,
        contents: Data(content.utf8),
        attributes: [.posixPermissions: program.mode]
      )
    }
    let bench = try LaunchBench()
    let result = try bench.spawner.launch(bench.request([path]))
    #expect(
      result.outcome == .notStarted(reason: "cannot execute \"\(path)\": \(program.reason)")
    )
    #expect(result.spawn == nil)
  }

  @Test func `says that the standard input is missing`() throws {
    let bench = try LaunchBench()
    let result = try bench.spawner.launch(
      bench.request(["/bin/true"], standardInput: "/nowhere")
    )
    #expect(
      result.outcome
        == .notStarted(
          reason: "cannot open the standard input \"/nowhere\": no such file or directory"
        )
    )
  }
}
