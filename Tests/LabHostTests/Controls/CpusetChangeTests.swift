import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

/// In a cpuset of the test's own, so that only the test's processes are moved.
@Suite(.enabled(if: TestCpuset.isPossible, "no cpuset of cgroup v1 may be written to"))
struct CpusetChangeTests {
  @Test func `keeps the tasks of the parent to its processors and moves them back`() throws {
    try withParent { parent, task in
      let change = Self.change(in: parent)
      try change.apply(in: HostTree())
      #expect(HostTree().text(at: "\(parent)/launchlab-shield/tasks") == "\(task)")
      #expect(Self.allowed(task) == "0")
      #expect(change.undo(in: HostTree()) == .restored)
      #expect(HostTree().text(at: "\(parent)/tasks") == "\(task)")
      #expect(Self.allowed(task) == HostTree().text(at: "\(parent)/cpuset.cpus"))
      #expect(change.undo(in: HostTree()) == .alreadyRestored)
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.processorCount > 1, "it takes two processors"))
  func `leaves a task that is bound to a processor`() throws {
    try withParent { parent, task in
      try TestMachine.shell("taskset -pc 1 \(task) >/dev/null", in: "/")
      let change = Self.change(in: parent)
      try change.apply(in: HostTree())
      #expect(HostTree().text(at: "\(parent)/tasks") == "\(task)")
      #expect(change.undo(in: HostTree()) == .restored)
      #expect(Self.allowed(task) == "1")
    }
  }

  @Test func `leaves nothing behind when its processors are refused`() throws {
    try withParent { parent, task in
      let change = Change.cpuset(
        directory: "\(parent)/launchlab-shield",
        cpus: "4000",
        memoryNodes: "0"
      )
      let error = #expect(throws: HostError.self) { try change.apply(in: HostTree()) }
      #expect(error?.text.contains("cpuset.cpus cannot be set to 4000") == true)
      #expect(!exists("/\(parent)/launchlab-shield"))
      #expect(HostTree().text(at: "\(parent)/tasks") == "\(task)")
    }
  }

  @Test func `undoes a cpuset that was made and not filled`() throws {
    try withParent { parent, _ in
      try TestMachine.shell("mkdir /\(parent)/launchlab-shield", in: "/")
      #expect(Self.change(in: parent).undo(in: HostTree()) == .restored)
      #expect(!exists("/\(parent)/launchlab-shield"))
    }
  }

  private static func change(in parent: String) -> Change {
    .cpuset(directory: "\(parent)/launchlab-shield", cpus: "0", memoryNodes: "0")
  }

  private static func allowed(_ task: pid_t) -> String? {
    let lines = HostTree().text(at: "proc/\(task)/status")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("Cpus_allowed_list:") }
    return line?.split(whereSeparator: \.isWhitespace).last.map(String.init)
  }

  /// Makes a cpuset with one sleeping process in it, and removes both.
  private func withParent(_ body: (_ parent: String, _ task: pid_t) throws -> Void) throws {
    let parent = "\(TestCpuset.root)/test-\(UUID().uuidString)"
    let script = """
      mkdir /\(parent); cd /\(parent)
      cat ../cpuset.cpus > cpuset.cpus; cat ../cpuset.mems > cpuset.mems
      """
    try TestMachine.shell(script, in: "/")
    let sleeper = try Sleeper()
    defer {
      sleeper.end()
      // A task that has just ended holds its cpuset for a moment.
      let undo = "for i in {1..100}; do rmdir shield $PWD || :; [ -e tasks ] || break; done"
      _ = try? TestMachine.shell("(\(undo)) 2>/dev/null", in: "/\(parent)")
    }
    // Another laboratory of this machine may just be moving what it saw in the cpuset of all.
    let move = "until grep -q . tasks; do echo \(sleeper.pid) > tasks; sleep 0.1; done"
    try TestMachine.shell(move, in: "/\(parent)")
    try body(parent, sleeper.pid)
  }
}

/// Where cpusets are, on a machine that has them.
private enum TestCpuset {
  static let root = "sys/fs/cgroup/cpuset"

  static var isPossible: Bool { FileManager.default.isWritableFile(atPath: "/\(root)/cpuset.cpus") }
}
