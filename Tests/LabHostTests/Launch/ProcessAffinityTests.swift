import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchHost

/// They bind threads of this process, all of them in one test.
@Suite(.machineKnobs) struct ProcessAffinityTests {
  /// Runs with the calling thread kept on one processor, and gives all that it may run on.
  private static func narrowed<Result>(_ body: ([Int]) throws -> Result) throws -> Result {
    let before = ProcessAffinity.allowed()
    let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    let number = thread.split(separator: "/").last ?? ""
    let first = try #require(before.first)
    try TestMachine.shell("taskset -pc \(first) \(number)", in: "/")
    defer {
      let all = before.map(String.init).joined(separator: ",")
      _ = try? TestMachine.shell("taskset -pc \(all) \(number)", in: "/")
    }
    return try body(before)
  }

  @Test func `tells the processors of the calling thread`() throws {
    try Self.narrowed { all in #expect(ProcessAffinity.allowed() == [all[0]]) }
  }

  @Test func `finds processors that the thread is kept off, and leaves it where it is`() throws {
    try Self.narrowed { all in
      #expect(ProcessAffinity.available() == all)
      #expect(ProcessAffinity.allowed() == [all[0]])
    }
  }

  @Test func `pins every thread of the process`() throws {
    // Every other thread may run on all of them already, and so is left as it is.
    try Self.narrowed { all in
      #expect(ProcessAffinity.pin(to: all) == 0)
      #expect(ProcessAffinity.allowed() == all)
    }
  }

  @Test func `says why no thread can be pinned`() {
    let before = ProcessAffinity.allowed()
    #expect(ProcessAffinity.pin(to: [1_023]) == EINVAL)
    #expect(ProcessAffinity.allowed() == before)
  }
}
