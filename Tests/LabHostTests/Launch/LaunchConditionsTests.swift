import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LaunchConditionsTests {
  private static let allowed = ["/bin/grep", "Cpus_allowed_list", "/proc/self/status"]

  @Test func `keeps the target and its children on its processors`() throws {
    let bench = try LaunchBench()
    for cpu in ProcessAffinity.available() {
      let conditions = LaunchConditions(cpus: [cpu])
      let line = "Cpus_allowed_list:\t\(cpu)\n"
      #expect(try bench.output(of: Self.allowed, conditions: conditions) == line)
      let nested = ["/bin/sh", "-c", "(\(Self.allowed.joined(separator: " "))); :"]
      #expect(try bench.output(of: nested, conditions: conditions) == line)
    }
  }

  @Test func `gives the target back the processors that the spawner keeps off`() throws {
    let cpus = ProcessAffinity.available()
    let bench = try LaunchBench(harnessCPUs: [cpus[0]])
    let own = ["/bin/sh", "-c", "grep Cpus_allowed_list /proc/$PPID/status; :"]
    #expect(try bench.output(of: own) == "Cpus_allowed_list:\t\(cpus[0])\n")
    let unpinned = try LaunchBench().output(of: Self.allowed)
    #expect(try bench.output(of: Self.allowed) == unpinned)
    let last = LaunchConditions(cpus: [cpus[cpus.count - 1]])
    #expect(
      try bench.output(of: Self.allowed, conditions: last)
        == "Cpus_allowed_list:\t\(cpus[cpus.count - 1])\n"
    )
  }

  @Test func `refuses processors that are not there instead of leaving them out`() throws {
    let cpus = ProcessAffinity.available()
    let list = cpus.map(String.init).joined(separator: ", ")
    let result = try LaunchBench().perl("1", conditions: LaunchConditions(cpus: [cpus[0], 1_023]))
    let reason =
      "cannot run it on processors \(cpus[0]), 1023: only \(list) are on and in the cpuset of"
      + " launchlab; choose among them"
    #expect(result.outcome == .notStarted(reason: reason))
  }

  @Test func `refuses processors that can never be there`() {
    #expect(throws: HostError.launchRefused(.unknownProcessor(1_024))) {
      try LaunchBench().request(["/bin/true"], conditions: LaunchConditions(cpus: [1_024]))
    }
  }

  @Test func `gives every launch the same addresses only where that is asked for`() throws {
    let bench = try LaunchBench()
    let stack = ["/bin/sh", "-c", "(grep -F '[stack]' /proc/self/maps); :"]
    let fixed = LaunchConditions(randomizesAddresses: false)
    let first = try bench.output(of: stack, conditions: fixed)
    #expect(first.contains("[stack]"))
    #expect(try bench.output(of: stack, conditions: fixed) == first)
    let random = try bench.output(of: stack)
    #expect(random.contains("[stack]"))
    #expect(try bench.output(of: stack) != random)
  }

  @Test func `keeps the other flags of the personality`() throws {
    let bench = try LaunchBench()
    let personality = ["/bin/cat", "/proc/self/personality"]
    let before = try #require(UInt32(bench.output(of: personality).dropLast(), radix: 16))
    let fixed = LaunchConditions(randomizesAddresses: false)
    let after = try bench.output(of: personality, conditions: fixed)
    #expect(UInt32(after.dropLast(), radix: 16) == before | 0x4_0000)
  }

  @Test func `names the filter that refuses fixed addresses`() throws {
    let request = try LaunchBench().request(
      ["/bin/true"],
      conditions: LaunchConditions(randomizesAddresses: false)
    )
    let results = try LimitedSpawner.refusing([.personality]).launch([request])
    let reason =
      "cannot switch address randomization off for it: operation not permitted; a filter of system"
      + " calls refuses personality(2): run the container with"
      + " `--security-opt seccomp=unconfined`"
    #expect(results.map(\.outcome) == [.notStarted(reason: reason)])
  }

  @Test(arguments: [0, 1, 100, 4_095])
  func `pads the environment`(_ length: Int) throws {
    let bench = try LaunchBench()
    let padded = LaunchConditions(padsEnvironment: true)
    let environment = try bench.output(of: ["/usr/bin/env"], conditions: padded, padding: length)
    let padding = String(repeating: "X", count: length)
    #expect(environment == "PATH=/usr/bin:/bin\nLAUNCHLAB_PADDING=\(padding)\n")
  }

  @Test func `pads each launch anew, and only where that is asked for`() throws {
    let bench = try LaunchBench()
    let request = try bench.request(
      ["/usr/bin/env"],
      environment: ["LAUNCHLAB_PADDING=own", "A=1"],
      conditions: LaunchConditions(padsEnvironment: true)
    )
    for length in [5, 2, 0] {
      let result = try bench.spawner.launchOnce(request, padding: length)
      let padding = String(repeating: "X", count: length)
      let text = String(decoding: result.output.stdout.head, as: UTF8.self)
      #expect(text == "LAUNCHLAB_PADDING=\(padding)\nA=1\n")
    }
    #expect(try bench.output(of: ["/usr/bin/env"], padding: 7) == "PATH=/usr/bin:/bin\n")
  }

  @Test func `pads the environment of a target that notifies`() throws {
    let source = """
      use Socket; socket S, AF_UNIX, SOCK_DGRAM, 0;
      length $ENV{LAUNCHLAB_PADDING} == 0 && exists $ENV{LAUNCHLAB_PADDING} or exit 8;
      send S, 'READY=1', 0, sockaddr_un($ENV{NOTIFY_SOCKET}); sleep 60
      """
    let padded = LaunchConditions(padsEnvironment: true)
    let result = try LaunchBench().perl(source, ready: .notify, conditions: padded)
    #expect(result.outcome == .ready)
  }
}
