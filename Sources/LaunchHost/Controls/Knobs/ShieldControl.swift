import Glibc
import LaunchCore
import SystemPackage

/// Keeps everything else off the processors of the target.
///
/// Sources: Linux, Documentation/admin-guide/cgroup-v1/cpusets.rst; cgroup-v2.rst, section Cpuset.
///
/// With cgroup v1 a new cpuset of all other processors takes in every task of the topmost one;
/// launchlab then steps out again (``release(_:in:)``), so that what it launches may run on the
/// target's processors. With v2 the topmost cgroups are narrowed, and what is launched has to
/// live in a new one beside them (``cgroupParent(in:)``).
struct ShieldControl: Control {
  static let directory = "launchlab-\(ProcessIdentity.current)"

  let name = ControlName.shield
  let cpus: CPUList

  init(cpus: [Int]) { self.cpus = CPUList(cpus) }

  var wanted: String { "all but \(cpus)" }

  func obstacle(in tree: HostTree) -> String? {
    let advice = "leave `shield` out, or set it to off"
    guard !others(in: tree).cpus.isEmpty else {
      return "nothing is left for others, since the target has every processor: "
        + "give `cpus` fewer, or set `shield` to off"
    }
    switch CpusetHierarchy(tree: tree) {
    case nil: return "no cgroup here has the cpuset controller: \(advice)"
    case .first: return nil
    case .second(let top, isOn: false):
      return "the cpuset controller is off: switch it on with "
        + "`echo +cpuset > /\(top)/cgroup.subtree_control`, or set `shield` to off"
    case .second(let top, isOn: true):
      guard siblings(below: top, in: tree).isEmpty else { return nil }
      return "there is no cgroup below /\(top) to keep off: \(advice)"
    }
  }

  /// The processors that others may use, such as `0-2`.
  func reading(in tree: HostTree) -> String? {
    switch CpusetHierarchy(tree: tree) {
    case nil: return nil
    case .first(let top):
      return tree.text(at: "\(top)/\(Self.directory)/cpuset.cpus")
        ?? tree.text(at: "\(top)/cpuset.cpus")
    case .second(let top, _):
      let found = siblings(below: top, in: tree).compactMap { present(of: $0, in: tree) }
      return CPUList(found.flatMap(\.cpus)).description
    }
  }

  func changes(in tree: HostTree) -> [Change] {
    let others = others(in: tree)
    switch CpusetHierarchy(tree: tree) {
    case nil: return []
    case .first(let top):
      let directory = "\(top)/\(Self.directory)"
      guard tree.text(at: "\(directory)/cpuset.cpus") == nil else { return [] }
      let nodes = tree.text(at: "\(top)/cpuset.mems") ?? "0"
      return [.cpuset(directory: directory, cpus: "\(others)", memoryNodes: nodes)]
    case .second(let top, _):
      return siblings(below: top, in: tree).compactMap { narrowing(of: $0, to: others, in: tree) }
    }
  }

  // MARK: - Where the launched live

  /// Takes a process out of the shield, with all its threads; one that is not in it stays.
  ///
  /// Kernels before 6.2 give those who join a cpuset all of its processors: what the process was
  /// bound to before has to be set again.
  func release(_ pid: Int, in tree: HostTree) throws(HostError) {
    guard case .first(let top) = CpusetHierarchy(tree: tree) else { return }
    let members = tree.text(at: "\(top)/\(Self.directory)/cgroup.procs") ?? ""
    guard members.split(separator: "\n").contains("\(pid)") else { return }
    try tree.join("\(top)/cgroup.procs", pid: pid)
  }

  /// The directory in which the cgroup of the run has to be made, relative to the root; nil when
  /// it may be anywhere.
  func cgroupParent(in tree: HostTree) -> String? {
    guard case .second(let top, isOn: true) = CpusetHierarchy(tree: tree) else { return nil }
    return top
  }

  // MARK: - Processors

  private func others(in tree: HostTree) -> CPUList {
    let online = CPUList(tree.text(at: "sys/devices/system/cpu/online") ?? "0") ?? CPUList([0])
    return CPUList(online.cpus.subtracting(cpus.cpus))
  }

  /// The cgroups below the topmost one, but those of launchlab.
  func siblings(below top: String, in tree: HostTree) -> [String] {
    tree.names(in: top)
      .filter { !$0.hasPrefix("launchlab-") }
      .map { "\(top)/\($0)" }
      .filter { tree.text(at: "\($0)/cpuset.cpus") != nil }
  }

  /// The processors of a cgroup; one that is told none has those of its parent.
  func present(of cgroup: String, in tree: HostTree) -> CPUList? {
    let own = tree.text(at: "\(cgroup)/cpuset.cpus").flatMap { CPUList($0) }
    guard let own, own.cpus.isEmpty else { return own }
    return tree.text(at: "\(cgroup)/cpuset.cpus.effective").flatMap { CPUList($0) }
  }

  private func narrowing(of cgroup: String, to others: CPUList, in tree: HostTree) -> Change? {
    guard let before = tree.text(at: "\(cgroup)/cpuset.cpus"),
      let present = present(of: cgroup, in: tree), !present.cpus.isDisjoint(with: cpus.cpus)
    else { return nil }
    let rest = CPUList(present.cpus.intersection(others.cpus))
    guard !rest.cpus.isEmpty else { return nil }
    return .value(path: "\(cgroup)/cpuset.cpus", before: before, after: "\(rest)")
  }
}

extension ShieldControl {
  /// Other cgroups, and programs, that have processors of their own and stay on the target's.
  func shortfall(in tree: HostTree) -> String? {
    let parts =
      switch CpusetHierarchy(tree: tree) {
      case nil: [String?]()
      case .first(let top): [cpusets(below: top, in: tree), programs(below: top, in: tree)]
      case .second(let top, _): [stuck(below: top, in: tree)]
      }
    let told = parts.compactMap(\.self)
    return told.isEmpty ? nil : told.joined(separator: "; ")
  }

  private func cpusets(below top: String, in tree: HostTree) -> String? {
    let others = siblings(below: top, in: tree).filter { directory in
      tree.text(at: "\(directory)/tasks")?.isEmpty == false
        && present(of: directory, in: tree)?.cpus.isDisjoint(with: cpus.cpus) == false
    }
    guard !others.isEmpty else { return nil }
    let places = others.map { "/\($0)" }.joined(separator: ", ")
    return "the tasks of \(places) stay on the target's processors: "
      + "narrow `cpuset.cpus` there, or stop them"
  }

  /// A program that was bound to processors by its own will is not moved.
  private func programs(below top: String, in tree: HostTree) -> String? {
    let all = CpusetChange.processors(of: top, in: tree)
    let pids = (tree.text(at: "\(top)/cgroup.procs") ?? "").split(separator: "\n")
    let bound = pids.filter { $0 != "\(getpid())" }.compactMap { pid -> String? in
      guard let status = TaskStatus(of: String(pid), in: tree), status.isOfProgram,
        !status.cpus.isSuperset(of: all), !status.cpus.isDisjoint(with: cpus.cpus)
      else { return nil }
      return "\(status.name) (pid \(pid))"
    }
    guard !bound.isEmpty else { return nil }
    let names = bound.prefix(3) + (bound.count > 3 ? ["\(bound.count - 3) more"] : [])
    return "bound to the target's processors, and so left there: "
      + "\(names.joined(separator: ", ")); bind them to others with `taskset -cp`, or stop them"
  }

  private func stuck(below top: String, in tree: HostTree) -> String? {
    siblings(below: top, in: tree)
      .first { present(of: $0, in: tree)?.cpus.isSubset(of: cpus.cpus) ?? false }
      .map { "/\($0) has no processor but those of the target" }
  }
}

/// The cgroups that say which processors tasks may use.
///
/// Sources: Linux, Documentation/admin-guide/cgroup-v1/cpusets.rst and cgroup-v2.rst (Cpuset).
enum CpusetHierarchy: Hashable {
  /// The cpusets of cgroup v1, mounted at `top`.
  case first(top: String)

  /// The cgroups of v2, mounted at `top`; `isOn` says whether they have the cpuset controller.
  case second(top: String, isOn: Bool)

  /// Finds where the cpuset controller is; nil when this machine has none.
  ///
  /// - Returns: Directories relative to the root of the tree.
  init?(tree: HostTree) {
    let places = CgroupPlaces(tree: tree)
    if let top = places.legacy("cpuset") {
      self = .first(top: FilePath(top).removingRoot().string)
      return
    }
    let tops = places.second.map { $0.point.removingRoot().string }
    guard
      let top = tops.first(where: { Self.words(of: "\($0)/cgroup.controllers", tree, "cpuset") })
    else { return nil }
    self = .second(top: top, isOn: Self.words(of: "\(top)/cgroup.subtree_control", tree, "cpuset"))
  }

  private static func words(of path: String, _ tree: HostTree, _ word: Substring) -> Bool {
    (tree.text(at: path) ?? "").split(separator: " ").contains(word)
  }
}
