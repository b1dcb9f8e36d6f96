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
    changes += ControlJournal.untrusted(in: directory)
    // A tree of files has no processes, and no directories of labs.
    guard tree.isMachine else { return Recovery(changes, notes: notes) }
    for cgroup in RunCgroup.removeStale() {
      changes.append(
        leftover(.cgroup(directory: cgroup.directory.removingRoot().string), isLeft: cgroup.exists)
      )
    }
    for (path, isRemoved) in Workspace.removeStaleSockets() + ProbeDirectory.removeStale() {
      changes.append(leftover(.directory(path: path.string), isLeft: !isRemoved))
    }
    return Recovery(changes, notes: notes)
  }

  /// Journals in directories that anybody could have made are no reason to fail.
  private var notes: [Diagnostic] {
    directory.foreignPlaces.filter { !ControlJournal.names(in: $0).isEmpty }.map { place in
      Diagnostic(
        .warning,
        id: "foreign-journals",
        problem: "the journals in this directory are not read: it is not your own, so that "
          + "somebody else can have written them",
        place: place.string,
        remedy: "see whose it is with `ls -la \(place)`, and remove it if you do not know it"
      )
    }
  }

  private func leftover(_ change: Change, isLeft: Bool) -> UndoneChange {
    let undoing = isLeft ? Undoing.failed(reason: "it cannot be removed") : .restored
    return UndoneChange(change, of: nil, undoing, lab: nil)
  }
}
