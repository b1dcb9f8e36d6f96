import LabHost
package import LabModel

/// Takes the machine back to what it was before labs that could not do so themselves.
package struct RestoreWorkflow {
  private let command: [String]

  /// - Parameter command: The command line of launchlab, for a lab that finds the lock taken.
  package init(command: [String] = CommandLine.arguments) { self.command = command }

  /// Undoes what is left, with the lab lock held.
  ///
  /// - Returns: What was left, and what became of it.
  /// - Throws: `HostError` when another lab is at work, or the journals cannot be found.
  package func run() throws -> Recovery {
    let directory = try JournalDirectory()
    let lock = try LabPatience.turn { () throws(HostError) in
      try LabLock(in: directory, command: command)
    }
    defer { lock.release() }
    var recovery = Leftovers(in: directory).recover()
    recovery.notes += lock.notes
    return recovery
  }
}
