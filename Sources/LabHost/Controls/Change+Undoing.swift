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
