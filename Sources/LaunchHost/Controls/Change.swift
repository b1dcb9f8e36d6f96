import LaunchCore
import SystemPackage

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

extension Change {
  /// Whether launchlab makes such changes: a damaged journal must not reach anything else.
  var isPossible: Bool {
    do throws(ChangeFailure) {
      try check()
      return true
    } catch {
      return false
    }
  }

  /// - Throws: Why launchlab never makes such a change.
  func check() throws(ChangeFailure) {
    switch self {
    case .value(let path, _, _):
      // Links such as `/proc/1/root` lead everywhere.
      let names = path.split(separator: "/")
      guard names.starts(with: ["proc", "sys"]) || names.starts(with: ["sys"]),
        !names.contains("..")
      else { throw ChangeFailure("it is not a file of /proc/sys or /sys") }
    case .cpuset(let path, _, _):
      guard Self.isNamedByLaunchlab(path) else {
        throw ChangeFailure("it is not a cpuset of launchlab")
      }
    case .cgroup(let path):
      guard Self.isNamedByLaunchlab(path) else {
        throw ChangeFailure("it is not a cgroup of launchlab")
      }
    case .directory(let path):
      // Whether it is one is said by the mark in it alone.
      guard path.hasPrefix("/"), let name = FilePath(path).lastComponent?.string,
        name.hasPrefix(Workspace.prefix) || ProcessIdentity(name) != nil
      else { throw ChangeFailure("it is not a private directory of launchlab") }
    case .copies(let directory, let lab):
      guard directory.hasPrefix("/"), !directory.split(separator: "/").contains(".."),
        ProcessIdentity(lab) != nil
      else { throw ChangeFailure("it is not a directory that a lab has made copies in") }
    case .unit, .swapArea, .processes: break
    }
  }

  private static func isNamedByLaunchlab(_ path: String) -> Bool {
    let names = path.split(separator: "/")
    return names.last?.hasPrefix("launchlab-") == true && !names.contains("..")
  }
}

extension Change {
  /// Makes the change, and makes sure that it was made.
  ///
  /// The journal must have it first. A failed change is taken back as far as it went.
  ///
  /// - Parameter tree: The machine, or a tree of files that stands in for it.
  /// - Throws: ``HostError/changeFailed(_:reason:)``.
  package func apply(in tree: HostTree) throws(HostError) {
    do throws(ChangeFailure) {
      try check()
      switch self {
      case .value(let path, let before, let after):
        try ValueChange(path: path, before: before, after: after).apply(in: tree)
      case .unit(let name): try UnitChange(name: name).apply(in: tree)
      case .swapArea(let path, let priority):
        try SwapChange(path: path, priority: priority).apply(in: tree)
      case .cpuset(let directory, let cpus, let memoryNodes):
        try CpusetChange(directory: directory, cpus: cpus, memoryNodes: memoryNodes)
          .apply(in: tree)
      // Their makers make them; the journal only has to know.
      case .cgroup, .processes, .directory, .copies: break
      }
    } catch {
      throw .changeFailed(self, reason: error.reason)
    }
  }

  /// Takes the machine back to what it was before the change.
  ///
  /// It may be called for a change that was never made, or undone already, and again after a
  /// failure.
  package func undo(in tree: HostTree) -> Undoing {
    do throws(ChangeFailure) {
      try check()
      switch self {
      case .value(let path, let before, let after):
        return try ValueChange(path: path, before: before, after: after).undo(in: tree)
      case .unit(let name): return try UnitChange(name: name).undo(in: tree)
      case .swapArea(let path, let priority):
        return try SwapChange(path: path, priority: priority).undo(in: tree)
      case .cpuset(let directory, let cpus, let memoryNodes):
        return try CpusetChange(directory: directory, cpus: cpus, memoryNodes: memoryNodes)
          .undo(in: tree)
      case .cgroup(let directory): return try CgroupChange(directory: directory).undo(in: tree)
      case .processes(let mark): return try MarkedProcesses(mark: mark).undo(in: tree)
      case .directory(let path): return try DirectoryChange(path: path).undo()
      case .copies(let directory, let lab):
        return try CopiesChange(directory: directory, lab: lab).undo()
      }
    } catch {
      return .failed(reason: error.reason)
    }
  }

  /// Whether the change ends with the boot of the machine that it was made in.
  var endsWithBoot: Bool {
    switch self {
    case .directory, .copies: false
    case .value, .unit, .swapArea, .cpuset, .cgroup, .processes: true
    }
  }
}

/// What undoing a change came to.
package enum Undoing: Hashable, Sendable {
  case restored

  /// The machine was as before already.
  case alreadyRestored

  /// Somebody else changed it meanwhile: it is reported, and not overwritten.
  case foreign(found: String)

  /// As a sentence without a full stop.
  case failed(reason: String)
}

/// Why a change could not be made or undone, as a sentence without a full stop.
struct ChangeFailure: Error {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}

extension Change {
  /// What is changed, for people: an absolute path, or the name of a unit.
  package var place: String {
    switch self {
    case .value(let path, _, _), .swapArea(let path, _), .cpuset(let path, _, _), .cgroup(let path):
      "/\(path)"
    case .unit(let name): name
    case .processes(let mark): "\(MarkedProcesses.variable)=\(mark)"
    case .directory(let path), .copies(let path, _): path
    }
  }

  /// What is done, as a phrase such as `set it to "0"`.
  var action: String {
    switch self {
    case .value(_, _, let after): "set it to \"\(after)\""
    case .unit: "stop the unit"
    case .swapArea: "switch the swap area off"
    case .cpuset(_, let cpus, _): "keep other processes to the processors \(cpus)"
    case .cgroup: "make the cgroup"
    case .processes: "mark the processes"
    case .directory: "make the directory"
    case .copies: "make copies of its files"
    }
  }

  /// The command that undoes the change by hand.
  var manualUndo: String {
    switch self {
    case .value(_, let before, _): "echo '\(before)' > \(place)"
    case .unit(let name): "systemctl start \(name)"
    case .swapArea(_, let priority):
      priority < 0 ? "swapon \(place)" : "swapon -p \(priority) \(place)"
    case .cpuset:
      "while read task; do echo $task > \(place)/../tasks; done < \(place)/tasks; rmdir \(place)"
    case .cgroup: "echo 1 > \(place)/cgroup.kill; rmdir \(place)/* \(place)"
    case .processes:
      "kill -9 $(grep -lsaz '^\(place)$' /proc/[0-9]*/environ | cut -d/ -f3)"
    case .directory: "rm -r \(place)"
    case .copies(let directory, let lab):
      "find \(FilePath(directory).shellWord) -xdev -type f "
        + "-name '\(Reinstaller.prefix)\(lab.prefix { $0 != "-" })-*.tmp' -delete"
    }
  }

  var kind: UndoneChange.Kind {
    switch self {
    case .value: .value
    case .unit: .unit
    case .swapArea: .swapArea
    case .cpuset: .cpuset
    case .cgroup: .cgroup
    case .processes: .processes
    case .directory: .directory
    case .copies: .copies
    }
  }

  /// The value before the change, where there is one.
  var before: String? {
    if case .value(_, let before, _) = self { before } else { nil }
  }
}

extension UndoneChange {
  /// What became of a change.
  init(_ change: Change, of control: ControlName?, _ undoing: Undoing, lab: String?) {
    self.init(
      control: control,
      kind: change.kind,
      place: change.place,
      before: change.before,
      status: .restored,
      lab: lab
    )
    switch undoing {
    case .restored: break
    case .alreadyRestored: status = .unchanged
    case .foreign(let found):
      status = .foreign
      self.found = found
      // It may hold what a person has put there.
      remedy = change.kind == .directory ? "ls -lA \(change.place)" : change.manualUndo
    case .failed(let reason):
      status = .failed
      self.reason = reason
      remedy = change.isPossible ? change.manualUndo : nil
    }
  }
}
