import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct ShieldControlTests {
  private static let first = "sys/fs/cgroup/cpuset"
  private static let second = "sys/fs/cgroup"

  @Test func `makes a cpuset of all other processors with cgroup v1`() throws {
    let machine = try MachineCopy("xeon-server")
    let control = ShieldControl(cpus: [2, 3])
    let directory = "\(Self.first)/\(ShieldControl.directory)"
    #expect(control.wanted == "all but 2-3")
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(control.shortfall(in: machine.tree) == nil)
    #expect(control.reading(in: machine.tree) == "0-3")
    #expect(
      control.changes(in: machine.tree)
        == [.cpuset(directory: directory, cpus: "0-1", memoryNodes: "0")]
    )
    #expect(control.cgroupParent(in: machine.tree) == nil)
    try machine.write("0-1", to: "\(directory)/cpuset.cpus")
    #expect(control.reading(in: machine.tree) == "0-1")
    #expect(control.changes(in: machine.tree).isEmpty)
  }

  @Test func `steps out of the cpuset, and only out of it`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.write("1\n77\n2", to: "\(Self.first)/\(ShieldControl.directory)/cgroup.procs")
    try machine.write("412", to: "\(Self.first)/cgroup.procs")
    try ShieldControl(cpus: [3]).release(7, in: machine.tree)
    #expect(machine.text("\(Self.first)/cgroup.procs") == "412")
    try ShieldControl(cpus: [3]).release(77, in: machine.tree)
    #expect(machine.text("\(Self.first)/cgroup.procs") == "77")
  }

  @Test func `names the cpusets that stay on the processors of the target`() throws {
    let machine = try MachineCopy("xeon-server")
    for (name, cpus, tasks) in [("docker", "0-3", "90"), ("far", "0", "91"), ("empty", "3", "")] {
      try machine.write(cpus, to: "\(Self.first)/\(name)/cpuset.cpus")
      try machine.write(tasks, to: "\(Self.first)/\(name)/tasks")
    }
    #expect(
      ShieldControl(cpus: [3]).shortfall(in: machine.tree)
        == "the tasks of /sys/fs/cgroup/cpuset/docker stay on the target's processors: "
        + "narrow `cpuset.cpus` there, or stop them"
    )
  }

  @Test func `names the programs that are bound to the processors of the target`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.write("11\n12\n13\n14", to: "\(Self.first)/cgroup.procs")
    for (pid, name, memory, cpus) in [
      (11, "free", "VmSize:\t9 kB\n", "0-3"), (12, "burner", "VmSize:\t9 kB\n", "3"),
      (13, "far", "VmSize:\t9 kB\n", "0-1"), (14, "ksoftirqd/3", "", "3"),
    ] {
      let status = "Name:\t\(name)\n\(memory)Cpus_allowed_list:\t\(cpus)"
      try machine.write(status, to: "proc/\(pid)/status")
    }
    #expect(
      ShieldControl(cpus: [2, 3]).shortfall(in: machine.tree)
        == "bound to the target's processors, and so left there: burner (pid 12); "
        + "bind them to others with `taskset -cp`, or stop them"
    )
    #expect(ShieldControl(cpus: [2]).shortfall(in: machine.tree) == nil)
  }

  @Test func `narrows the topmost cgroups of v2 and widens them again`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("0-1", to: "\(Self.second)/machine.slice/cpuset.cpus")
    let control = ShieldControl(cpus: [1])
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(control.reading(in: machine.tree) == "0-3")
    let changes = try control.apply(in: machine)
    #expect(
      changes == [
        .value(path: "\(Self.second)/init.scope/cpuset.cpus", before: "", after: "0,2-3"),
        .value(path: "\(Self.second)/machine.slice/cpuset.cpus", before: "0-1", after: "0"),
        .value(path: "\(Self.second)/system.slice/cpuset.cpus", before: "", after: "0,2-3"),
        .value(path: "\(Self.second)/user.slice/cpuset.cpus", before: "", after: "0,2-3"),
      ]
    )
    #expect(control.reading(in: machine.tree) == "0,2-3")
    #expect(control.changes(in: machine.tree).isEmpty)
    #expect(changes.undo(in: machine).allSatisfy { $0 == .restored })
    #expect(machine.text("\(Self.second)/user.slice/cpuset.cpus")?.isEmpty == true)
    #expect(machine.text("\(Self.second)/machine.slice/cpuset.cpus") == "0-1")
  }

  @Test func `wants the cgroup of the run beside those that it narrows`() throws {
    let machine = try MachineCopy("intel-notebook")
    #expect(ShieldControl(cpus: [1]).cgroupParent(in: machine.tree) == Self.second)
  }

  @Test func `names a cgroup that has no other processor`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("1", to: "\(Self.second)/machine.slice/cpuset.cpus")
    let control = ShieldControl(cpus: [1])
    #expect(control.changes(in: machine.tree).count == 3)
    #expect(
      control.shortfall(in: machine.tree)
        == "/sys/fs/cgroup/machine.slice has no processor but those of the target"
    )
  }

  @Test func `says how to switch the controller on`() throws {
    let machine = try MachineCopy("amd-desktop")
    #expect(
      ShieldControl(cpus: [1]).obstacle(in: machine.tree)
        == "the cpuset controller is off: switch it on with "
        + "`echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control`, or set `shield` to off"
    )
  }

  @Test func `says that nothing is left for others`() throws {
    let machine = try MachineCopy("intel-notebook")
    #expect(
      ShieldControl(cpus: [0, 1, 2, 3]).obstacle(in: machine.tree)
        == "nothing is left for others, since the target has every processor: "
        + "give `cpus` fewer, or set `shield` to off"
    )
  }

  @Test func `says that there is no controller, and nothing to keep off`() throws {
    let machine = try MachineCopy("intel-notebook")
    for name in ["init.scope", "system.slice", "user.slice"] {
      try machine.remove("\(Self.second)/\(name)")
    }
    #expect(
      ShieldControl(cpus: [1]).obstacle(in: machine.tree)
        == "there is no cgroup below /sys/fs/cgroup to keep off: "
        + "leave `shield` out, or set it to off"
    )
    try machine.write("cpu io memory", to: "\(Self.second)/cgroup.controllers")
    #expect(
      ShieldControl(cpus: [1]).obstacle(in: machine.tree)
        == "no cgroup here has the cpuset controller: leave `shield` out, or set it to off"
    )
  }
}
