import Glibc
import LabModel
import SystemPackage

/// Copies below an `install` directory that have not taken the place of their originals yet.
struct CopiesChange {
  /// Absolute, without links.
  var directory: String

  /// The lab that makes them, as in ``ProcessIdentity``.
  var lab: String

  /// Removes what the lab has left, through no link and no mount, unless it is at work.
  func undo() throws(ChangeFailure) -> Undoing {
    guard let owner = ProcessIdentity(lab) else { throw ChangeFailure("no lab is named") }
    if owner != .current, owner.isAlive {
      throw ChangeFailure("process \(owner.pid) is using it")
    }
    guard PathIdentity.isThere(directory) else { return .alreadyRestored }
    do throws(HostError) {
      let opened = try ConfinedDirectory(at: FilePath(directory))
      let count = try Reinstaller.removeCopies(in: opened) { $0 == owner.pid }
      return count > 0 ? .restored : .alreadyRestored
    } catch {
      throw ChangeFailure(error.diagnostics.first?.problem ?? "it cannot be opened")
    }
  }
}
