import Glibc

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
