package import LaunchCore

/// A host as one lab has it: locked, and with a journal of every change, until it ends.
///
/// It is used from one thread.
package final class LabSession {
  /// What labs that were killed had left, and what became of it.
  private let recovery: Recovery

  let journal: ControlJournal
  let tree = HostTree()

  /// How spawners ended that were lost in this lab, such as `signal 9`, in this order.
  var lostSpawners: [String] = []

  private var lock: LabLock?
  private let lockNotes: [Diagnostic]

  /// Takes the lab lock, and takes the machine back to what it was before labs that were killed.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab, for whom the lock keeps out.
  ///   - directory: Where journals are.
  /// - Throws: ``HostError/labBusy(lock:owner:waited:)``, and what making the journal throws.
  package init(command: [String], in directory: JournalDirectory) throws(HostError) {
    let lock = try LabLock(in: directory, command: command)
    self.lock = lock
    lockNotes = lock.notes
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

  /// What a person should know of what labs that were killed had left, and of what was killed in
  /// this one.
  package var notes: [Diagnostic] {
    lockNotes + recovery.diagnostics + [recovered, relaunched].compactMap(\.self)
  }

  private var recovered: Diagnostic? {
    let restored = recovery.changes.filter { $0.status == .restored }.map(\.place)
    guard !restored.isEmpty else { return nil }
    return Diagnostic(
      .note,
      id: "recovered",
      problem: "cleaned up after an interrupted run: "
        + restored.joined(separator: ", ")
    )
  }

  private var relaunched: Diagnostic? {
    guard let status = lostSpawners.last else { return nil }
    let count = lostSpawners.count
    let times = count == 1 ? "once" : "\(count) times"
    let launches = count == 1 ? "the launch" : "each launch"
    return Diagnostic(
      .note,
      id: "spawner-killed",
      problem: "the spawner was killed \(times), last with \(status), "
        + "and \(launches) that it was busy with was made again; no launch is lost",
      remedy: "see `dmesg | tail` if you did not kill it: memory may have run out"
    )
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
