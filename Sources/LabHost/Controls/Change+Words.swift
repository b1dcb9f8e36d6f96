import LabModel
import SystemPackage

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
