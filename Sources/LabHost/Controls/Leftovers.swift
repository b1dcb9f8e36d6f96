package import LabModel
import SystemPackage

/// What labs that were killed have left of themselves on this machine.
package struct Leftovers: Sendable {
  private let directory: JournalDirectory
  private let tree: HostTree

  package init(in directory: JournalDirectory, tree: HostTree = HostTree()) {
    self.directory = directory
    self.tree = tree
  }

  /// Undoes what is in their journals, ends what they have launched, and removes what they made.
  ///
  /// The lab lock must be held. Journals of other users are theirs to recover.
  package func recover() -> Recovery {
    let journals = ControlJournal.stale(in: directory)
    var changes = journals.flatMap { $0.undoAll(in: tree) }
    // A tree of files has no processes, and no directories of labs.
    guard tree.isMachine else { return Recovery(changes) }
    for cgroup in RunCgroup.removeStale() {
      changes.append(
        leftover(.cgroup(directory: cgroup.directory.removingRoot().string), isLeft: cgroup.exists)
      )
    }
    for (path, isRemoved) in Workspace.removeStaleSockets() + ProbeDirectory.removeStale() {
      changes.append(leftover(.directory(path: path.string), isLeft: !isRemoved))
    }
    return Recovery(changes)
  }

  private func leftover(_ change: Change, isLeft: Bool) -> UndoneChange {
    let undoing = isLeft ? Undoing.failed(reason: "it cannot be removed") : .restored
    return UndoneChange(change, of: nil, undoing, lab: nil)
  }
}
