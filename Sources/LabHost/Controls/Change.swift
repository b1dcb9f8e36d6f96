/// One reversible machine change, as the journal keeps it.
///
/// Paths are relative to the root of a ``HostTree``, without a leading slash.
package enum Change: Hashable, Codable, Sendable {
  /// A value in sysfs or procfs; of a list of choices only the chosen one counts, which is the one
  /// in brackets.
  case value(path: String, before: String, after: String)

  /// A systemd unit that is stopped.
  case unit(name: String)

  /// A swap area that is switched off.
  case swapArea(path: String, priority: Int)

  /// A cpuset that is made, and that the processes of its parent are moved into; cgroup v1.
  case cpuset(directory: String, cpus: String, memoryNodes: String)

  /// A cgroup that the launched processes live in.
  case cgroup(directory: String)

  /// What is launched bears this value in the variable `LAUNCHLAB_RUN`, where there is no cgroup.
  case processes(mark: String)

  /// A private directory of a run, by its absolute path.
  case directory(path: String)

  /// Copies that a lab makes below an `install` directory, each of which takes the place of its
  /// original; the directory by its absolute path, the lab as in ``ProcessIdentity``.
  case copies(directory: String, lab: String)
}
