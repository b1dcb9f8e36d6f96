package import LabModel

/// A host as one lab has it: locked, and with a journal of every change, until it ends.
///
/// It is used from one thread.
package final class LabSession {
  /// What labs that were killed had left, and what became of it.
  private let recovery: Recovery

  let journal: ControlJournal
  let tree = HostTree()

  private var lock: LabLock?

  /// Takes the lab lock, and takes the machine back to what it was before labs that were killed.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab, for whom the lock keeps out.
  ///   - directory: Where journals are; nil means that of this user.
  /// - Throws: ``HostError/labBusy(lock:holder:isAlive:)``, and what making the journal throws.
  package init(
    command: [String],
    in directory: JournalDirectory? = nil
  ) throws(HostError) {
    let directory = if let directory { directory } else { try JournalDirectory() }
    let lock = try LabLock(in: directory, command: command)
    self.lock = lock
    recovery = Leftovers(in: directory).recover()
    do throws(HostError) {
      journal = try ControlJournal(in: directory, command: command)
      ForcedEnd.use(journal)
    } catch {
      lock.release()
      throw error
    }
  }

  deinit { end() }

  /// What a person should know of what labs that were killed had left.
  package var notes: [Diagnostic] {
    let restored = recovery.changes.filter { $0.status == .restored }.map(\.place)
    guard !restored.isEmpty else { return recovery.diagnostics }
    let note = Diagnostic(
      .note,
      id: "recovered",
      problem: "a lab that was killed had left these behind, and they were set back or removed: "
        + restored.joined(separator: ", ")
    )
    return recovery.diagnostics + [note]
  }

  /// Undoes every change, and gives the lock back; a session that has ended stays so.
  ///
  /// - Returns: What was not as this lab had left it, and what could not be undone.
  @discardableResult
  package func end() -> [Diagnostic] {
    guard let lock = lock.take() else { return [] }
    defer { lock.release() }
    return ForcedEnd.changing {
      defer { ForcedEnd.use(nil) }
      return Recovery(journal.undoAll(in: tree)).diagnostics
    }
  }
}
