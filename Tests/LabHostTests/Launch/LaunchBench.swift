import Foundation
import Glibc

@testable import LaunchCore
@testable import LaunchHost

/// A spawner for one test, with programs whose processes can be found again.
final class LaunchBench {
  let spawner: Spawner

  /// An argument that only processes of this test have.
  let mark = "mark-\(UUID().uuidString)"

  init(
    interrupt: InterruptFlag? = nil,
    patience: Nanoseconds = .seconds(5),
    harnessCPUs: [Int]? = nil
  ) throws {
    spawner = try Spawner(interrupt: interrupt, patience: patience, harnessCPUs: harnessCPUs)
  }

  deinit { spawner.close() }

  /// Launches a Perl program once.
  func perl(
    _ source: String,
    _ arguments: [String] = [],
    ready: Readiness = .exit,
    timeout: Nanoseconds = .seconds(20),
    grace: Nanoseconds = .seconds(10),
    after: Nanoseconds? = nil,
    stopping condition: Readiness? = nil,
    tty: Bool = false,
    counters: [String] = [],
    conditions: LaunchConditions = LaunchConditions()
  ) throws -> LaunchResult {
    try spawner.launch(
      request(
        ["/usr/bin/perl", "-e", source] + arguments + [mark],
        ready: ready,
        timeout: timeout,
        grace: grace,
        after: after,
        stopping: condition,
        tty: tty,
        counters: counters,
        conditions: conditions
      )
    )
  }

  /// Launches a command once and gives what it prints on stdout.
  func output(
    of command: [String],
    conditions: LaunchConditions = LaunchConditions(),
    padding: Int? = nil
  ) throws -> String {
    let result = try spawner.launchOnce(request(command, conditions: conditions), padding: padding)
    guard result.outcome == .ready else { return "\(result.outcome)" }
    return String(decoding: result.output.stdout.head, as: UTF8.self)
  }

  /// Launches a program that maps memory so many times, of each of which there is a record.
  func mapping(_ count: Int) throws -> LaunchResult {
    #if arch(x86_64)
    let call = 9
    #else
    let call = 222
    #endif
    let source = "syscall(\(call), 0, 4096, 3, 0x22, -1, 0) > 0 or die $! for 1 .. \(count)"
    return try spawner.launch(request(["/usr/bin/perl", "-e", source], recordsFaults: true))
  }

  func request(
    _ command: [String],
    ready: Readiness = .exit,
    exitStatuses: [Int]? = nil,
    timeout: Nanoseconds = .seconds(20),
    grace: Nanoseconds = .seconds(10),
    after: Nanoseconds? = nil,
    stopping condition: Readiness? = nil,
    directory: String = "/",
    standardInput: String? = nil,
    tty: Bool = false,
    counters: [String] = [],
    breakpoints: BreakpointPlaces? = nil,
    recordsFaults: Bool = false,
    tracepoints: PageTracepoints? = nil,
    chosen: ChosenProgram? = nil,
    environment: [String] = ["PATH=/usr/bin:/bin"],
    conditions: LaunchConditions = LaunchConditions()
  ) throws -> LaunchRequest {
    try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: environment,
      directory: directory,
      standardInput: standardInput,
      ready: ready,
      exitStatuses: exitStatuses,
      stop: StopPolicy(grace: grace, condition: condition, after: after),
      timeout: timeout,
      tty: tty,
      counters: counters,
      breakpoints: breakpoints,
      recordsFaults: recordsFaults,
      tracepoints: tracepoints,
      chosen: chosen,
      conditions: conditions
    )
  }

  /// Kills the spawner in the middle of a launch, some times, as soon as so many processes of it
  /// are there and a condition on the number of kills so far holds.
  func killSpawner(
    times: Int,
    whenMarked count: Int,
    and condition: @escaping @Sendable (Int) -> Bool = { _ in true }
  ) {
    let mark = mark
    Thread.detachNewThread {
      for kills in 0..<times {
        var (tree, parents): ([pid_t], [pid_t]) = ([], [])
        _ = Self.eventually {
          tree = Self.processes(marked: mark)
          parents = tree.compactMap(Self.parent(of:))
            .filter { !tree.contains($0) && $0 != getpid() }
          return tree.count == count && !parents.isEmpty && condition(kills)
        }
        for parent in Set(parents) where parent > 1 { kill(parent, SIGKILL) }
        // The next launch may be there before anybody has seen that there was none.
        _ = Self.eventually { Set(tree).isDisjoint(with: Self.processes(marked: mark)) }
      }
    }
  }

  /// The processes that have the mark among their arguments.
  var marked: [pid_t] { Self.processes(marked: mark) }

  static func processes(marked mark: String) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { pid in
      let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
      return line.range(of: Data(mark.utf8)) != nil
    }
  }

  /// The parent of a process; nil when it is gone.
  static func parent(of pid: pid_t) -> pid_t? {
    let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }

  /// Waits until something holds, at most 20 seconds.
  static func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<4_000 {
      if condition() { return true }
      poll(nil, 0, 5)
    }
    return false
  }

  /// A TCP port of the loopback interface that nobody listens on.
  func freePort() throws -> Int {
    let result = try perl(
      "use IO::Socket::INET;"
        + "print IO::Socket::INET->new(Listen=>1, LocalAddr=>'127.0.0.1')->sockport"
    )
    return Int(String(decoding: result.output.stdout.head, as: UTF8.self)) ?? 0
  }
}
