import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct ValgrindLogTests {
  /// A log, and the count in it.
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    let count: Int64?

    var testDescription: String { file }
  }

  @Test(arguments: [
    Case(file: "ended-3.19.log", count: 398_154),
    Case(file: "terminated-3.19.log", count: 14_122_729),
    Case(file: "ended-3.22.log", count: 398_154),
    Case(file: "killed-3.19.log", count: nil),
    Case(file: "empty.log", count: nil),
  ])
  func `reads the count of a process`(test: Case) throws {
    let fixtures = try #require(Bundle.module.resourceURL)
    let file = fixtures.appending(components: "Fixtures", "valgrind", test.file)

    let text = try String(contentsOf: file, encoding: .utf8)

    #expect(ValgrindLog.instructions(in: text) == test.count)
  }
}

@Suite struct CallgrindFileTests {
  /// Two functions of a program and one of a library: `walk` calls itself, and then `puts` twice.
  private static let text = """
    # callgrind format
    version: 1
    positions: line
    events: Ir
    summary: 171

    ob=(1) /opt/app
    fl=(1) app.c
    fn=(1) main
    10 5
    +1 1
    cfn=(2) walk
    calls=1 20
    11 165

    fn=(2)
    20 4
    cfn=(3) walk'2
    calls=2 20
    * 140
    fi=(2) inline.h
    -3 1
    cob=(2) /lib/libc.so.6
    cfi=(3) puts.c
    cfn=(4) puts
    calls=2 0
    21 20

    fn=(3)
    20 130
    calls=1 20
    22 10

    ob=(2)
    fl=(3)
    fn=(4)
    0 30

    totals: 171
    """

  private func frame(_ function: String, _ file: String = "/opt/app") -> CodeFrame {
    CodeFrame(file: file, function: function)
  }

  @Test func `has what each function took, and who called whom`() throws {
    let counts = try #require(CallgrindFile(Array(Self.text.utf8))?.counts)
    let puts = frame("puts", "/lib/libc.so.6")

    #expect(counts.own == [frame("main"): 6, frame("walk"): 135, puts: 30])
    #expect(counts.total == 171)
    let calls = counts.calls
    #expect(calls[.init(caller: frame("main"), callee: frame("walk"))]?.instructions == 165)
    #expect(calls[.init(caller: frame("walk"), callee: frame("walk"))]?.times == 2)
    #expect(
      calls[.init(caller: frame("walk"), callee: puts)] == .init(times: 2, instructions: 20)
    )
  }

  @Test func `is nothing where it is cut off, or counts something else`() {
    for end in [0, 40, 200, Self.text.utf8.count - 20] {
      #expect(CallgrindFile(Array(Self.text.utf8.prefix(end))) == nil)
    }
    let other = Self.text.replacing("events: Ir", with: "events: Ir Dr")
    #expect(CallgrindFile(Array(other.utf8)) == nil)
  }
}

@Suite struct ValgrindTargetTests {
  @Test func `wraps the command, with more time, and keeps the program among the own files`() {
    let valgrind = ValgrindCount(program: "/usr/bin/valgrind", directory: "/var/100%/counts")
    let target = Target(
      name: "sh",
      command: ["sh", "-c", "true"],
      stop: StopPolicy(grace: .seconds(2)),
      timeout: .seconds(60),
      environment: ["PATH": "/nowhere:/bin"],
      directory: "/",
      files: ["/data"]
    )

    let counted = valgrind.counting(target)

    #expect(counted.command.first == "/usr/bin/valgrind")
    #expect(counted.command.contains("--log-file=/var/100%%/counts/%p.log"))
    #expect(!counted.command.contains("--quiet"))
    #expect(Array(counted.command.suffix(4)) == ["--", "sh", "-c", "true"])
    #expect(counted.timeout == .seconds(3_000))
    #expect(counted.stop.grace == .seconds(100))
    #expect(counted.files == ["/data", "/bin/sh"])
  }
}

/// The laboratories of one process share a directory for sockets, so they come one by one.
@Suite(
  .machineKnobs,
  .temporaryDirectory,
  .enabled(if: ValgrindCount.isInstalled, "valgrind is missing"),
  .enabled(if: CProgram.hasCompiler, "there is no C compiler")
)
struct ValgrindLaunchTests {
  @Test func `counts what a program does, the same every time`() async throws {
    let short = try await counts("", launches: 3)
    let long = try await counts("1", launches: 1)

    #expect(Set(short).count == 1)
    let (one, other) = (try #require(short.first ?? nil), try #require(long.first ?? nil))
    #expect((5_000_000...5_010_000).contains(other - one))
  }

  @Test func `counts every process`() async throws {
    let one = try #require(try await counts("1", launches: 1).first ?? nil)
    let two = try #require(try await counts("1 & ./program 1; wait", launches: 1).first ?? nil)

    #expect((5_000_000...8_000_000).contains(two - one))
  }

  @Test func `counts a target that is stopped`() async throws {
    let ready = Readiness.output(stream: .stdout, pattern: "ready")
    let count = try await counts("1 stay", launches: 1, ready: ready).first ?? nil

    #expect(try #require(count) > 5_000_000)
  }

  @Test func `counts the functions of every process`() async throws {
    let found = try await launches("1 & ./program 1; wait", 1, tool: .callgrind) { $0.functions() }

    let counts = try #require(found.first ?? nil)
    let main = counts.own.filter { $0.key.function == "main" && $0.key.file.hasSuffix("/program") }
    #expect(main.count == 1 && (10_000_000...10_010_000).contains(main.first?.value ?? 0))
    let puts = counts.calls.filter { $0.key.callee.function.hasPrefix("puts") }
    #expect(puts.values.map(\.times) == [2])
  }

  @Test func `has no count when a process was killed`() async throws {
    let counts = try await counts("", launches: 1, killing: true)

    #expect(counts == [nil])
  }

  /// The instructions of launches; for `killing`, of one whose log of a process is cut off.
  private func counts(
    _ arguments: String,
    launches: Int,
    ready: Readiness = .exit,
    killing: Bool = false
  ) async throws -> [Int64?] {
    try await self.launches(arguments, launches, ready: ready) { valgrind in
      if killing {
        let log = Workspace.homes(below: "\(TemporaryDirectory.path)/store")
          .appending("counts/1.log").string
        try "==1== Cachegrind\n".write(toFile: log, atomically: false, encoding: .utf8)
      }
      return valgrind.instructions()
    }
  }

  /// Launches a program that executes about 5,000,000 instructions more if it has an argument.
  private func launches<Count>(
    _ arguments: String,
    _ launches: Int,
    ready: Readiness = .exit,
    tool: ValgrindCount.Tool = .cachegrind,
    reading: (ValgrindCount) throws -> Count
  ) async throws -> [Count] {
    let directory = TemporaryDirectory.path
    _ = try CProgram(testDescription: "program").compile(Self.program)
    let valgrind = try ValgrindCount(tool, below: "\(directory)/store")
    let exec = ready == .exit ? "" : "exec "
    let target = Target(
      name: "target",
      command: ["/bin/sh", "-c", "\(exec)./program \(arguments)"],
      ready: ready,
      directory: directory
    )
    let arm = Arm(target: "target", state: .warm)
    let counted = valgrind.counting(target)
    var scenario = Scenario.sample("count", [counted], launches: launches, in: directory)
    scenario.controls = ControlPlan(randomizesAddresses: false, padsEnvironment: false)
    let plan = Plan(scenario: scenario, seed: 1, arms: [arm], blockCount: launches)
    var laboratory = try await HostLaboratory(
      plan: plan,
      directory: "\(directory)/store",
      session: LabSession(
        command: ["test"],
        in: JournalDirectory(environment: [JournalDirectory.variable: "\(directory)/state"])
      )
    )
    defer { laboratory.close() }
    return try (0..<launches).map { _ in
      try valgrind.begin()
      #expect(try laboratory.launch(arm).outcome == .ready)
      return try reading(valgrind)
    }
  }

  private static let program = """
    #include <stdio.h>
    #include <unistd.h>
    int main(int count, char **words) {
      volatile int sum = 0;
      if (count > 1)
        for (int i = 0; i < 1000000; i++) sum++;
      puts("ready");
      fflush(stdout);
      if (count > 2) pause();
      return 0;
    }
    """
}
