import Foundation
import Glibc
package import LaunchCore
package import SystemPackage

/// What a lab has changed of the machine, on disk before it is changed.
///
/// A journal is a file of JSON lines of its own for each process of launchlab, named
/// `journal-<pid>-<start>`. It outlives a lab that is killed, and says to the next one what to
/// restore. All that it knows is in the file.
package struct ControlJournal: Hashable, Sendable {
  static let prefix = "journal-"

  package let path: FilePath

  private let lab: ProcessIdentity

  /// Begins the journal of this process, or goes on with it when a change could not be undone.
  ///
  /// - Parameters:
  ///   - directory: Where journals are.
  ///   - command: The command line of launchlab.
  /// - Throws: ``HostError/journal(operation:path:errno:)``.
  package init(in directory: JournalDirectory, command: [String]) throws(HostError) {
    try self.init(in: directory, command: command, lab: .current)
  }

  /// Begins the journal of any process.
  init(
    in directory: JournalDirectory,
    command: [String],
    lab: ProcessIdentity,
    bootID: String = Self.bootID(in: HostTree()),
    namespaces: String = LabMark.ownNamespaces
  ) throws(HostError) {
    self.lab = lab
    path = directory.path.appending("\(Self.prefix)\(lab)")
    guard content.header == nil else { return }
    let header = JournalHeader(
      lab: lab.description,
      bootID: bootID,
      namespaces: namespaces,
      command: command,
      startedAt: Date(),
      version: LaunchlabVersion.current
    )
    try append(JournalContent.line(header), options: .create)
    try synchronizeDirectory()
  }

  private init?(_ path: FilePath) {
    guard let name = path.lastComponent?.string, name.hasPrefix(Self.prefix),
      let lab = ProcessIdentity(name.dropFirst(Self.prefix.count))
    else { return nil }
    self.path = path
    self.lab = lab
  }

  /// The journals of labs that are gone.
  package static func stale(in directory: JournalDirectory) -> [ControlJournal] {
    directory.places.flatMap { place in
      HostTree().names(in: place.string).compactMap { ControlJournal(place.appending($0)) }
    }
    .filter { JournalFile.bytes(at: $0.path) != nil && $0.isStale }
  }

  /// The journals that are not read, because somebody else can have written them.
  static func untrusted(in directory: JournalDirectory) -> [UndoneChange] {
    directory.places.flatMap { place in
      names(in: place).compactMap { name in
        let path = place.appending(name)
        guard case .untrusted(let reason, let remedy) = JournalFile.content(at: path) else {
          return nil
        }
        return UndoneChange(
          kind: .journal,
          place: path.string,
          status: .failed,
          reason: reason,
          remedy: remedy
        )
      }
    }
  }

  /// The names of all that could be a journal in a directory.
  static func names(in place: FilePath) -> [String] {
    HostTree().names(in: place.string).filter { $0.hasPrefix(prefix) }
  }

  /// Whether a change in it is still to be undone; a lab that was killed at once has made none.
  package var isPending: Bool { !content.pending.isEmpty }

  /// Writes a change down, and waits until it is on the disk.
  ///
  /// - Parameters:
  ///   - change: What is going to be changed now.
  ///   - control: Why; nil for what every run makes.
  /// - Throws: ``HostError/journal(operation:path:errno:)``; then the change must not be made.
  package func record(_ change: Change, of control: ControlName?) throws(HostError) {
    let entry = JournalEntry(begin: content.next, control: control, change: change)
    try append(JournalContent.line(entry))
  }

  /// Writes a change down that this lab may make several times, unless it is written down already.
  ///
  /// - Throws: As ``record(_:of:)``.
  package func recordOnce(_ change: Change) throws(HostError) {
    guard !content.pending.contains(where: { $0.change == change }) else { return }
    try record(change, of: nil)
  }

  /// Undoes every change that is not undone yet, the last one first.
  ///
  /// The file is removed, unless something failed: then `launchlab restore` tries again.
  ///
  /// - Parameters:
  ///   - control: Only the changes of this control; nil means all.
  ///   - tree: The machine, or a tree of files that stands in for it.
  /// - Returns: What became of each, in this order.
  @discardableResult
  package func undoAll(
    of control: ControlName? = nil,
    in tree: HostTree = HostTree()
  ) -> [UndoneChange] {
    let content = content
    let isExpired = content.header.map { $0.bootID != Self.bootID(in: HostTree()) } ?? false
    let pending = content.pending.filter { control == nil || $0.control == control }
    let undone = pending.map { entry in
      let result = undo(entry, of: content.header, isExpired: isExpired, in: tree)
      if result.status != .failed {
        // Were it lost, the next restore would find nothing to do.
        try? append(JournalContent.line(JournalEnd(undone: entry.begin, how: result.status)))
      }
      return result
    }
    if control == nil, !undone.contains(where: { $0.status == .failed }) {
      _ = unsafe unlink(path.string)
    }
    return undone
  }

  private func undo(
    _ entry: JournalEntry,
    of header: JournalHeader?,
    isExpired: Bool,
    in tree: HostTree
  ) -> UndoneChange {
    guard let change = entry.change else {
      return UndoneChange(
        control: entry.control,
        kind: .unknown,
        place: path.string,
        status: .failed,
        reason: "launchlab \(header?.version ?? "of another version") made a change that this "
          + "version does not know",
        lab: description(header)
      )
    }
    let isGone = isExpired && change.endsWithBoot
    var result = UndoneChange(
      change,
      of: entry.control,
      isGone ? .alreadyRestored : change.undo(in: tree),
      lab: description(header)
    )
    if isGone { result.status = .expired }
    return result
  }

  // MARK: - The file

  private var content: JournalContent {
    JournalContent(JournalFile.bytes(at: path) ?? [])
  }

  private var isStale: Bool {
    // After a boot another process may have the identity of one before.
    guard let header = content.header else { return LabMark(of: lab).isGone }
    // Journals of versions before this one do not say of which container they are.
    let namespaces = header.namespaces ?? LabMark.ownNamespaces
    return LabMark(of: lab, bootID: header.bootID, namespaces: namespaces).isGone
  }

  private func description(_ header: JournalHeader?) -> String? {
    guard lab != .current else { return nil }
    return ((header?.command ?? []) + ["(pid \(lab.pid))"]).joined(separator: " ")
  }

  private func append(
    _ line: [UInt8],
    options: FileDescriptor.OpenOptions = []
  ) throws(HostError) {
    // After a line that was cut off a new one begins.
    let bytes = content.endsWithLine ? line : [UInt8(ascii: "\n")] + line
    do {
      let file = try FileDescriptor.open(
        path,
        .writeOnly,
        options: options.union([.append, .noFollow, .closeOnExec]),
        permissions: [.ownerReadWrite]
      )
      try file.closeAfter {
        try file.writeAll(bytes)
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
      }
    } catch {
      throw .journal(
        operation: "write to",
        path: path.string,
        errno: (error as? Errno)?.rawValue ?? EIO
      )
    }
  }

  private func synchronizeDirectory() throws(HostError) {
    let directory = path.removingLastComponent()
    do {
      let file = try FileDescriptor.open(
        directory,
        .readOnly,
        options: [.directory, .closeOnExec]
      )
      try file.closeAfter {
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
      }
    } catch {
      throw .journal(
        operation: "synchronize the directory of",
        path: path.string,
        errno: (error as? Errno)?.rawValue ?? EIO
      )
    }
  }

  static func bootID(in tree: HostTree) -> String {
    tree.text(at: "proc/sys/kernel/random/boot_id") ?? ""
  }
}

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
    // Without a file system in memory the probe is in /tmp.
    let directories =
      Workspace.removeStaleSockets() + ProbeDirectory.removeStale()
      + ProbeDirectory.removeStale(in: "/tmp")
    for (path, isRemoved) in directories {
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
