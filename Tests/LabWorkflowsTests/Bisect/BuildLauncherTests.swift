import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost

@Suite struct BuildLauncherTests {
  @Test(arguments: [
    (0..<2, ["3", "7", "12", "12", "7", "3"]), (3..<5, ["12", "7", "3", "3", "7", "12"]),
  ])
  func `launches even rows in the order of the arms, and odd ones reversed`(
    rows: Range<Int>,
    order: [String]
  ) async throws {
    let bench = LaunchBench()

    let unlaunchable = try await bench.launch([3, 7, 12], rows: rows)

    #expect(unlaunchable == nil)
    #expect(Array(bench.launches.dropFirst(3)) == order)
    #expect(bench.rows.map(\.arms) == [[3, 7, 12], [3, 7, 12]])
    #expect(bench.rows.map(\.values) == [[3e6, 7e6, 12e6], [3e6, 7e6, 12e6]])
  }

  @Test func `discards one launch of each arm, and two of a new one`() async throws {
    let bench = LaunchBench()

    _ = try await bench.launch([3, 7], rows: 0..<1, new: [7])

    #expect(bench.launches == ["3", "7", "7", "3", "7"])
    #expect(bench.rows.count == 1)
  }

  @Test func `launches nothing for no rows`() async throws {
    let bench = LaunchBench()

    _ = try await bench.launch([3, 7], rows: 4..<4)

    #expect(bench.plan == nil)
  }

  @Test(arguments: LaunchState.allCases)
  func `prepares every launch in the state of the scenario`(state: LaunchState) async throws {
    let bench = LaunchBench(.sample(state: state))

    _ = try await bench.launch([3, 7], rows: 0..<1)

    let expected = [3, 7, 3, 7].flatMap { revision in
      ["prepare", "launch"].map { "\($0) \(revision) \(state.rawValue)" }
    }
    #expect(bench.log == expected)
  }

  @Test func `gives every build the controls of the scenario and nothing of other arms`()
    async throws
  {
    let bench = LaunchBench(.sample(controls: ControlPlan(cpus: [1])))

    _ = try await bench.launch([3, 7], rows: 0..<1)

    let scenario = try #require(bench.plan?.scenario)
    #expect(scenario.controls == ControlPlan(cpus: [1]))
    #expect(scenario.targets.map(\.name) == ["3", "7"])
    #expect(scenario.targets.map(\.directory) == ["/builds/3", "/builds/7"])
  }

  @Test
  func `counts the time of discarded launches to the first row, and all else that came before it`()
    async throws
  {
    var rows: [BisectRow] = []
    var launcher = BuildLauncher(start: .sample()) { _ in PacedLaboratory() }

    _ = try await launcher.launch(
      [(3, .build(3)), (7, .build(7))],
      rows: 0..<2,
      isNew: { _ in true },
      take: { rows.append($0) }
    )

    #expect(rows.map { $0.seconds.rounded(.down) } == [6, 2])
  }

  @Test func `keeps a laboratory while the builds stay the same, until it is closed`() async throws
  {
    var made: [FakeLaboratory] = []
    var launcher = BuildLauncher(start: .sample()) { _ in
      made.append(FakeLaboratory { arm, _ in .taking(arm) })
      return made[made.count - 1]
    }
    func launch(_ revisions: [Int], rows: Range<Int>) async throws -> [Int] {
      let arms = revisions.map { ($0, Target.build($0)) }
      _ = try await launcher.launch(arms, rows: rows, isNew: { _ in false }, take: { _ in })
      return [made.count, made.count(where: \.isClosed)]
    }

    #expect(try await launch([3, 7], rows: 0..<2) == [1, 0])
    #expect(try await launch([3, 7], rows: 2..<6) == [1, 0])
    #expect(try await launch([7, 3], rows: 0..<2) == [2, 1])
    launcher.close()
    #expect(made.count(where: \.isClosed) == 2)
    #expect(try await launch([7, 3], rows: 2..<4) == [3, 2])
  }

  // MARK: - Launches that are not ready

  @Test func `launches a row again when an arm was not ready`() async throws {
    let bench = LaunchBench { arm, number in number == 3 ? .ended(.exited(code: 1)) : .taking(arm) }

    let unlaunchable = try await bench.launch([3, 7], rows: 0..<2)

    #expect(unlaunchable == nil)
    #expect(bench.launches == ["3", "7", "3", "7", "3", "7", "7", "3"])
    #expect(bench.rows.map(\.values) == [[3e6, 7e6], [3e6, 7e6]])
  }

  @Test func `gives an arm up that was not ready twice, and keeps the rows before`() async throws {
    let bench = LaunchBench { arm, number in
      arm.target == "7" && number > 3
        ? .ended(.exited(code: 127), stderr: "hello\nlibx.so: cannot open\n\n") : .taking(arm)
    }

    let unlaunchable = try await bench.launch([3, 7], rows: 0..<9)

    #expect(unlaunchable?.revision == 7)
    #expect(unlaunchable?.reason == "exited with status 127: libx.so: cannot open")
    #expect(bench.rows.count == 1)
  }

  @Test func `takes the limit for the time of a launch without an end`() async throws {
    let bench = LaunchBench { arm, _ in arm.target == "7" ? .ended(.timedOut) : .taking(arm) }

    let unlaunchable = try await bench.launch([3, 7], rows: 0..<1, new: [7])

    #expect(unlaunchable == nil)
    #expect(bench.launches == ["3", "7", "3", "7"])
    #expect(bench.rows.map(\.values) == [[3e6, 9e9]])
    #expect(bench.rows.map(\.timedOut) == [[7]])
  }

  @Test func `takes no time limit for anything but the time`() async throws {
    let bench = LaunchBench(.sample(.metric(.peakRSS))) { arm, _ in
      arm.target == "7" ? .ended(.timedOut) : .taking(arm)
    }

    let unlaunchable = try await bench.launch([7], rows: 0..<1)

    #expect(unlaunchable?.reason == "timed out")
  }

  @Test func `keeps the rows that were taken when it is interrupted`() async throws {
    let bench = LaunchBench { arm, number in
      guard number < 6 else { throw FakeInterruption() }
      return .taking(arm)
    }

    await #expect(throws: FakeInterruption.self) { try await bench.launch([3, 7], rows: 0..<9) }

    #expect(bench.rows.count == 2)
    #expect(bench.closed == 1)
  }

  // MARK: - CPU time

  @Test func `notes the CPU times of launches whose time is measured`() async throws {
    func rows(of measure: BisectMeasure, missing: Bool) async throws -> [BisectRow] {
      let bench = LaunchBench(.sample(measure)) { arm, number in
        var result = LaunchResult.taking(arm)
        result.figures.peakRSS = 1
        guard !missing || arm.target != "7" else { return result }
        result.figures.userTime = .milliseconds(2)
        result.figures.systemTime = .milliseconds(1)
        return result
      }
      _ = try await bench.launch([3, 7], rows: 0..<1)
      return bench.rows
    }
    #expect(try await rows(of: .metric(.launch), missing: false)[0].processorTimes == [3e6, 3e6])
    #expect(try await rows(of: .metric(.launch), missing: true)[0].processorTimes == nil)
    #expect(try await rows(of: .metric(.peakRSS), missing: false)[0].processorTimes == nil)
  }

  // MARK: - Valgrind

  @Test(.temporaryDirectory) func `sums what valgrind counts, and makes a target warm once`()
    async throws
  {
    let directory = "\(TemporaryDirectory.path)/counts"
    let valgrind = ValgrindCount(program: "/usr/bin/valgrind", directory: directory)
    let start = BisectStart.sample(.counter(.instructions), counting: .valgrind)
    let bench = LaunchBench(start, valgrind: valgrind) { arm, _ in
      for process in 1...2 {
        let line = "==\(process)== I   refs:      1,00\(arm.target)\n"
        try line.write(toFile: "\(directory)/\(process).log", atomically: false, encoding: .utf8)
      }
      return .taking(arm)
    }

    let unlaunchable = try await bench.launch([3, 7], rows: 0..<2, new: [3, 7])

    #expect(unlaunchable == nil)
    #expect(bench.rows.map(\.values) == [[2006, 2014], [2006, 2014]])
    let first = ["prepare 3 warm", "launch 3 warm", "prepare 7 warm", "launch 7 warm"]
    #expect(bench.log == first + ["launch 7 warm", "launch 3 warm"])
    let targets = try #require(bench.plan).scenario.targets
    #expect(targets.map(\.timeout) == [.seconds(450), .seconds(450)])
  }

  @Test(.temporaryDirectory) func `gives an arm up of which a process was not counted`()
    async throws
  {
    let directory = "\(TemporaryDirectory.path)/counts"
    let valgrind = ValgrindCount(program: "/usr/bin/valgrind", directory: directory)
    let start = BisectStart.sample(.counter(.instructions), counting: .valgrind)
    let bench = LaunchBench(start, valgrind: valgrind) { arm, _ in
      try "==1== Cachegrind\n".write(toFile: "\(directory)/1", atomically: false, encoding: .utf8)
      return .taking(arm)
    }

    let unlaunchable = try await bench.launch([3], rows: 0..<1)

    #expect(unlaunchable?.revision == 3)
    #expect(unlaunchable?.reason.hasPrefix("instructions is not available: a process") == true)
  }

  // MARK: - Disturbances

  @Test func `launches a disturbed row again`() async throws {
    let bench = LaunchBench { arm, number in number == 4 ? .disturbed(arm) : .taking(arm) }

    _ = try await bench.launch([3, 7], rows: 0..<4)

    #expect(bench.launches.count == 12)
    #expect(bench.rows.allSatisfy { $0.values == [3e6, 7e6] })
  }

  @Test func `launches a row again whose state was not reached`() async throws {
    let bench = LaunchBench { arm, number in
      var result = LaunchResult.taking(arm)
      if number == 4 { result.figures.majorFaults = 5 }
      return result
    }

    _ = try await bench.launch([3, 7], rows: 0..<4)

    #expect(bench.launches.count == 12)
  }

  @Test(arguments: [(0.25, 2), (0.5, 4)])
  func `repeats at most the tolerated share, and keeps later rows`(
    share: Double,
    repeated: Int
  ) async throws {
    let controls = ControlPlan(steal: DisturbanceLimits(share: share))
    let bench = LaunchBench(.sample(controls: controls)) { arm, _ in .disturbed(arm) }

    _ = try await bench.launch([3, 7], rows: 0..<8)

    #expect(bench.rows.count == 8)
    let launches = (1 + 8 + repeated) * 2
    #expect(bench.launches.count == launches)
  }

  @Test func `does not wait for ever for a machine that does not settle`() async throws {
    let unsettled = Preparation(settling: Settling(waited: .seconds(9), obstacle: "load of 3"))
    let bench = LaunchBench(preparation: { _ in unsettled })

    _ = try await bench.launch([3, 7], rows: 0..<8)

    #expect(bench.log.count { $0 == "stop waiting" } == 1)
    #expect(bench.rows.count == 8)
  }
}

/// Every launch takes a second here.
private struct PacedLaboratory: LaunchLaboratory {
  let host = HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "c0ffee")
  let receipts: [ControlReceipt] = []
  let notes: [Diagnostic] = []
  private(set) var now = Nanoseconds.zero

  mutating func prepare(_ arm: Arm) -> Preparation { Preparation() }

  mutating func launch(_ arm: Arm) -> LaunchResult {
    now = now + .seconds(1)
    return .taking(arm)
  }

  mutating func stopWaiting() {}

  func close() {}
}
