import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// The controls of the machine that the tests run on.
@Suite(
  .machineKnobs,
  .temporaryDirectory,
  .enabled(if: geteuid() == 0, "setting values of the machine needs root")
)
struct ControlSessionMachineTests {
  private static let values: [(path: String, other: String)] = [
    (HugePagesControl.path, "never"), (SwapControl.path, "37"), (AddressesControl.path, "1"),
  ]

  @Test func `sets values of this machine and sets them back`() throws {
    let tree = HostTree()
    let first = Self.values.map { tree.value(at: $0.path) }
    defer {
      for (value, path) in zip(first, Self.values.map(\.path)) {
        if let value { try? tree.write(value, to: path) }
      }
    }
    try #require(first.allSatisfy { $0 != nil })
    try tree.write("1", to: AddressesControl.path)
    let before = Self.values.map { tree.value(at: $0.path) }
    let plan = ControlPlan(
      randomizesAddresses: true,
      hugePages: before[0] == "never" ? .always : .never,
      swap: .swappiness(before[1] == "37" ? 38 : 37)
    )
    var changes: [Change] = []
    var session = ControlSession(plan: plan) { change, _ in changes.append(change) }
    let receipts = try session.apply().filter { $0.name != "proactive_reclaim" }
    #expect(receipts.map(\.name) == ["thp", "aslr", "swap"])
    #expect(receipts.allSatisfy { $0.status == .applied && $0.reason == nil })
    #expect(receipts.map(\.after) == [plan.hugePages?.rawValue, "on", receipts[2].wanted])
    #expect(tree.value(at: AddressesControl.path) == "2")
    #expect(changes.count == 3)
    for change in changes.reversed() { #expect(change.undo(in: tree) == .restored) }
    #expect(Self.values.map { tree.value(at: $0.path) } == before)
  }

  /// A cpuset of this machine stands for the topmost one, with one process in it.
  @Test(.enabled(if: Self.cpusets != nil, "this machine has no cpusets of cgroup v1"))
  func `shields a cpuset of this machine, but not who steps out`() throws {
    let top = try #require(Self.cpusets)
    let nested = "\(top)/launchlab-test-\(UUID().uuidString)"
    let tree = try fixture(standingFor: nested)
    try #require(unsafe mkdir("/\(nested)", 0o755) == 0)
    let sleepers = try (0..<2).map { _ in try Self.sleeper() }
    defer {
      for sleeper in sleepers {
        // It has the signal mask of the thread that started it, which may hold back others.
        kill(sleeper.processIdentifier, SIGKILL)
        sleeper.waitUntilExit()
      }
      _ = unsafe rmdir("/\(nested)/\(ShieldControl.directory)")
      _ = unsafe rmdir("/\(nested)")
    }
    let machine = HostTree()
    for file in ["cpuset.cpus", "cpuset.mems"] {
      try machine.write(machine.text(at: "\(top)/\(file)") ?? "", to: "\(nested)/\(file)")
    }
    let pids = sleepers.map { Int($0.processIdentifier) }
    for pid in pids { try machine.join("\(nested)/cgroup.procs", pid: pid) }

    let target = try #require(CPUList(machine.text(at: "\(nested)/cpuset.cpus") ?? "")?.cpus.max())
    let control = ShieldControl(cpus: [target])
    var changes: [Change] = []
    var session = ControlSession(plan: ControlPlan(cpus: [target]), tree: tree) { change, _ in
      changes.append(change)
    }
    let receipt = try #require(try session.apply().first)
    #expect(receipt.status == .applied)
    #expect(receipt.after == CPUList(0..<target).description)
    for pid in pids { #expect(Self.processors(of: pid) == CPUList(0..<target)) }
    try control.release(pids[0], in: tree)
    #expect(Self.processors(of: pids[0])?.cpus.contains(target) == true)
    #expect(Self.processors(of: pids[1])?.cpus.contains(target) == false)
    for change in changes.reversed() { #expect(change.undo(in: tree) == .restored) }
    for pid in pids { #expect(Self.processors(of: pid)?.cpus.contains(target) == true) }
  }

  /// The topmost cpuset of cgroup v1 with more than one processor; relative to the root.
  private static var cpusets: String? {
    guard case .first(let top) = CpusetHierarchy(tree: HostTree()),
      (CPUList(HostTree().text(at: "\(top)/cpuset.cpus") ?? "")?.cpus.count ?? 0) > 1
    else { return nil }
    return top
  }

  /// A tree whose topmost cpuset is one of this machine's.
  private func fixture(standingFor cpuset: String) throws -> HostTree {
    let machine = try MachineCopy("xeon-server")
    let cpusets = "sys/fs/cgroup/cpuset"
    try machine.remove(cpusets)
    try machine.remove("proc")
    try machine.remove("sys/devices/system/cpu/online")
    let root = URL(filePath: machine.tree.root.string)
    for (link, place) in [
      (cpusets, "/\(cpuset)"), ("proc", "/proc"),
      ("sys/devices/system/cpu/online", "/sys/devices/system/cpu/online"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: root.appending(path: link).path,
        withDestinationPath: place
      )
    }
    return machine.tree
  }

  private static func sleeper() throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sleep")
    process.arguments = ["60"]
    try process.run()
    return process
  }

  private static func processors(of pid: Int) -> CPUList? {
    let lines = (HostTree().text(at: "proc/\(pid)/status") ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix("Cpus_allowed_list:") }
      .flatMap { CPUList(String($0.dropFirst(18).trimmed)) }
  }
}
