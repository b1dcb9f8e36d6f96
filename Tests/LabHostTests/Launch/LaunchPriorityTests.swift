import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LaunchPriorityTests {
  /// Prints the nice value and the policy, fields 19 and 41 of proc_pid_stat(5), of a child.
  private static let reader = [
    "/bin/sh", "-c", "(sed 's/.*) //' /proc/self/stat | cut -d' ' -f17,38,39); :",
  ]

  struct PriorityCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var priority: LaunchPriority

    /// The nice value, the real-time level and the policy.
    var seen: String
    var needsRoot = false
  }

  static let cases = [
    PriorityCase(
      testDescription: "a nice value",
      priority: LaunchPriority(nice: 7),
      seen: "7 0 0"
    ),
    PriorityCase(
      testDescription: "a favourable nice value",
      priority: LaunchPriority(nice: -5),
      seen: "-5 0 0",
      needsRoot: true
    ),
    PriorityCase(
      testDescription: "the policy batch with a nice value",
      priority: LaunchPriority(nice: 3, policy: .batch),
      seen: "3 0 3"
    ),
    PriorityCase(
      testDescription: "the policy fifo",
      priority: LaunchPriority(policy: .fifo, level: 12),
      seen: "0 12 1",
      needsRoot: true
    ),
    PriorityCase(
      testDescription: "the policy rr without a level",
      priority: LaunchPriority(policy: .rr),
      seen: "0 1 2",
      needsRoot: true
    ),
    PriorityCase(
      testDescription: "the policy other, whose level does not count",
      priority: LaunchPriority(policy: .other, level: 5),
      seen: "0 0 0"
    ),
  ]

  @Test(
    .enabled(if: TestMachine.isRoot, "some of them need root"),
    arguments: cases
  )
  func `gives the target and its children`(_ target: PriorityCase) throws {
    let conditions = LaunchConditions(priority: target.priority)
    let bench = try LaunchBench()
    #expect(try bench.output(of: Self.reader, conditions: conditions) == "\(target.seen)\n")
    #expect(try bench.output(of: Self.reader) == "0 0 0\n")
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/self/autogroup"),
      "the kernel has no autogroups"
    )
  )
  func `makes a nice value count beyond the session of the target`() throws {
    let group = ["/bin/cat", "/proc/self/autogroup"]
    let conditions = LaunchConditions(priority: LaunchPriority(nice: 9))
    #expect(try LaunchBench().output(of: group, conditions: conditions).hasSuffix(" nice 9\n"))
  }

  @Test func `gives nobody a nice value again and again`() throws {
    let request = try LaunchBench().request(
      Self.reader,
      conditions: LaunchConditions(priority: LaunchPriority(nice: 4))
    )
    let results = try LimitedSpawner.nobody().launch([request, request, request])
    #expect(results.map(\.outcome) == [.ready, .ready, .ready])
    for result in results {
      #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "4 0 0\n")
    }
  }

  struct RefusalCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var priority: LaunchPriority
    var reason: String
  }

  static let refusalCases = [
    RefusalCase(
      testDescription: "a favourable nice value",
      priority: LaunchPriority(nice: -5),
      reason: "cannot give it the nice value -5: permission denied; needs CAP_SYS_NICE or an"
        + " RLIMIT_NICE of 25 (`ulimit -e`): run as root, or raise the limit"
    ),
    RefusalCase(
      testDescription: "the policy fifo",
      priority: LaunchPriority(policy: .fifo, level: 12),
      reason: "cannot give it the policy fifo with level 12: operation not permitted; needs"
        + " CAP_SYS_NICE or an RLIMIT_RTPRIO of 12 (`ulimit -r`): run as root, or raise the limit"
    ),
  ]

  @Test(arguments: refusalCases)
  func `tells nobody what is needed for`(_ target: RefusalCase) throws {
    let bench = try LaunchBench()
    let refused = try bench.request(
      ["/bin/true"],
      conditions: LaunchConditions(priority: target.priority)
    )
    let plain = try bench.request(["/bin/true"])
    let results = try LimitedSpawner.nobody().launch([refused, plain])
    #expect(results.map(\.outcome) == [.notStarted(reason: target.reason), .ready])
  }

  @Test(.enabled(if: TestMachine.isRoot, "others are refused the policy first"))
  func `refuses a level that there is not`() throws {
    let priority = LaunchPriority(policy: .rr, level: 100)
    let result = try LaunchBench().perl("1", conditions: LaunchConditions(priority: priority))
    let reason =
      "cannot give it the policy rr with level 100: a nice value is from -20 to 19, and a level of"
      + " fifo and rr from 1 to 99"
    #expect(result.outcome == .notStarted(reason: reason))
  }
}
