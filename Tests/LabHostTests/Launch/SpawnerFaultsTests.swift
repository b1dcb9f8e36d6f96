import CLaunchWire
import Glibc
import Testing

@testable import LaunchCore
@testable import LaunchHost

struct SpawnerFaultsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var error: Int32 = 0
    var flags: UInt32 = 0
    var counted: Int64?
    var isComplete: Bool
    var noteCount = 0
  }

  static let cases = [
    Case(testDescription: "as many as were counted", counted: 1, isComplete: true),
    Case(testDescription: "fewer than were counted", counted: 2, isComplete: false),
    Case(testDescription: "none counted", isComplete: true),
    Case(
      testDescription: "those of user mode, as many as were counted",
      flags: FAULTS_IN_USER_MODE,
      counted: 1,
      isComplete: true
    ),
    Case(
      testDescription: "those of user mode, fewer than were counted",
      flags: FAULTS_IN_USER_MODE,
      counted: 2,
      isComplete: false,
      noteCount: 1
    ),
    Case(
      testDescription: "those of user mode, none counted",
      flags: FAULTS_IN_USER_MODE,
      isComplete: false,
      noteCount: 1
    ),
    Case(testDescription: "refused", error: EACCES, counted: 0, isComplete: false, noteCount: 1),
  ]

  @Test(arguments: cases) func `tells whether it has every fault`(_ faults: Case) {
    // One record of a fault.
    let sample: [UInt8] =
      [9, 0, 0, 0, 0, 0, 32, 0] + [7, 0, 0, 0, 7, 0, 0, 0]
      + [5, 0, 0, 0, 0, 0, 0, 0] + [0, 16, 0, 0, 0, 0, 0, 0]
    var taken = wire_faults()
    taken.error = faults.error
    taken.flags = faults.flags
    let answer = SpawnerFaults(taken, sample)
    let found = answer.decoded(until: nil, counted: faults.counted)
    #expect(found.isComplete == faults.isComplete)
    #expect(found.notes.count == faults.noteCount)
    #expect(found.events.count == (faults.error == 0 ? 1 : 0))
  }

  @Test func `is incomplete where the kernel has no room for more records`() throws {
    let bench = try LaunchBench()
    let complete = try bench.spawner.launch(
      bench.request(["/usr/bin/perl", "-e", "1"], recordsFaults: true)
    )
    #expect(complete.faults?.isComplete == true)
    let cut = try bench.mapping(20_000)
    #expect(cut.outcome == .ready)
    #expect(cut.faults?.isComplete == false)
    #expect(cut.faults?.notes == ["there were more faults than could be recorded"])
  }
}
