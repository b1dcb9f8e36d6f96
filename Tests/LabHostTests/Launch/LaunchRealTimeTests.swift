import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LaunchRealTimeTests {
  private static let realTime = LaunchConditions(isRealTime: true)

  /// Prints the level and the policy, fields 40 and 41 of proc_pid_stat(5), of a process.
  private static func reader(of process: String) -> [String] {
    ["/bin/sh", "-c", "(sed 's/.*) //' /proc/\(process)/stat | cut -d' ' -f38,39); :"]
  }

  @Test(.enabled(if: TestMachine.isRoot, "real-time scheduling takes root"))
  func `runs the target and its children one level below the spawner, and only then`() throws {
    let bench = try LaunchBench()
    let spawner = Self.reader(of: "$PPID")
    #expect(try bench.output(of: spawner) == "0 0\n")
    #expect(try bench.output(of: Self.reader(of: "self"), conditions: Self.realTime) == "1 1\n")
    #expect(try bench.output(of: Self.reader(of: "$$"), conditions: Self.realTime) == "1 1\n")
    #expect(try bench.output(of: spawner, conditions: Self.realTime) == "2 1\n")
    #expect(try bench.output(of: Self.reader(of: "self")) == "0 0\n")
    #expect(try bench.output(of: spawner) == "0 0\n")
  }

  @Test(.enabled(if: TestMachine.isRoot, "real-time scheduling takes root"))
  func `limits how long the target computes without waiting`() throws {
    let limit = ["/bin/sh", "-c", "sed -n 's/^Max realtime timeout *//p' /proc/self/limits"]
    let bench = try LaunchBench()
    let words = try bench.output(of: limit, conditions: Self.realTime).split(separator: " ")
    #expect(words.prefix(2) == ["10000000", "11000000"])
  }

  @Test(.enabled(if: TestMachine.isRoot, "real-time scheduling takes root"))
  func `marks a launch with more threads at work than processors`() throws {
    let bench = try LaunchBench()
    let cpus = try #require(ProcessAffinity.available().last)
    var conditions = Self.realTime
    conditions.cpus = [cpus]
    // The first child keeps the processor for a while, so that the second one waits for it.
    let source = """
      $| = 1; for (1, 2) { next if fork; my $end = times() + 0.3; 1 while times() < $end; exit }
      print "up\\n"; 1 while wait > 0
      """
    let ready = Readiness.output(stream: .stdout, pattern: "^up")
    let crowded = try bench.perl(source, ready: ready, conditions: conditions)
    #expect(crowded.outcome == .ready)
    #expect(crowded.flags.contains(.crowded))
    let alone = try bench.perl(
      "$| = 1; print qq(up\\n); sleep 10",
      ready: ready,
      conditions: conditions
    )
    #expect(!alone.flags.contains(.crowded))
  }

  @Test func `tells nobody what is needed`() throws {
    let bench = try LaunchBench()
    let refused = try bench.request(["/bin/true"], conditions: Self.realTime)
    let plain = try bench.request(["/bin/true"])
    let results = try LimitedSpawner.nobody().launch([refused, plain])
    let reason =
      "cannot run it before every other program: operation not permitted; needs"
      + " CAP_SYS_NICE or an RLIMIT_RTPRIO of 2 (`ulimit -r`): run as root, or raise the limit"
    #expect(results.map(\.outcome) == [.notStarted(reason: reason), .ready])
  }
}
