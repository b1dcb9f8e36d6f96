import Foundation
import Glibc
import SystemPackage

/// Which process has made something, in which container, and in which boot of the machine.
///
/// A process id alone says nothing of a process in another pid namespace, and a start time nothing
/// in another time namespace or after a boot.
package struct LabMark: Hashable, Codable, Sendable {
  /// The process id and start of the process, as in ``ProcessIdentity``.
  package var lab: String

  /// `/proc/sys/kernel/random/boot_id`.
  var bootID: String

  /// The pid and the time namespace, as ``ownNamespaces`` has them.
  var namespaces: String

  /// `/etc/machine-id`; nil where there is none, as in most containers.
  var machine: String?

  /// The inode of the directory that the mark is in, so that it proves nothing of a copy.
  var inode: UInt64?

  enum CodingKeys: String, CodingKey {
    case lab
    case bootID = "boot_id"
    case namespaces
    case machine
    case inode
  }

  package init(
    of process: ProcessIdentity,
    bootID: String = Self.ownBootID,
    namespaces: String = Self.ownNamespaces,
    machine: String? = Self.ownMachine
  ) {
    lab = process.description
    self.bootID = bootID
    self.namespaces = namespaces
    self.machine = machine
  }

  /// This process.
  static let current = LabMark(of: .current)

  /// Whether the process is known to have ended: what cannot be told counts as alive.
  var isGone: Bool { isGone(on: Self.ownMachine) }

  /// The same, seen from a machine with this ``machine``.
  func isGone(on ownMachine: String?) -> Bool {
    if bootID.isEmpty || Self.ownBootID.isEmpty { return false }
    // The directory may be on a disk that several machines share.
    if bootID != Self.ownBootID { return machine != nil && machine == ownMachine }
    guard isFromHere, let process = ProcessIdentity(lab) else { return false }
    return !process.isAlive
  }

  /// Whether the process is known to run.
  package var isAlive: Bool {
    isFromHere && bootID == Self.ownBootID && ProcessIdentity(lab)?.isAlive == true
  }

  /// Whether it is the mark of this process.
  var isOwn: Bool {
    lab == Self.current.lab && bootID == Self.current.bootID
      && namespaces == Self.current.namespaces
  }

  /// Whether process ids and start times mean the same here as where the mark was made.
  private var isFromHere: Bool {
    !namespaces.isEmpty && namespaces == Self.ownNamespaces
  }

  static let ownBootID = ControlJournal.bootID(in: HostTree())

  /// Source: machine-id(5).
  static let ownMachine = HostTree().text(at: "etc/machine-id").flatMap { $0.isEmpty ? nil : $0 }

  /// The inodes of the pid and the time namespace with a dot between them, such as
  /// `4026531836.4026531834`.
  ///
  /// It is empty where `/proc` is not that of this process's namespace, so that nothing can be told
  /// of any process. Sources: pid_namespaces(7), time_namespaces(7).
  static let ownNamespaces: String = {
    let files = FileManager.default
    guard (try? files.destinationOfSymbolicLink(atPath: "/proc/self")) == "\(getpid())",
      let pid = inode(ofNamespace: "pid")
    else { return "" }
    // Before Linux 5.6 there is no time namespace.
    return "\(pid).\(inode(ofNamespace: "time") ?? "0")"
  }()

  /// The number in a link such as `pid:[4026531836]`.
  private static func inode(ofNamespace name: String) -> String? {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/\(name)")
    let digits = link?.filter(\.isNumber) ?? ""
    return digits.isEmpty ? nil : digits
  }
}

// MARK: - In a file

extension LabMark {
  /// The name of the file that every directory of launchlab's own has.
  static let fileName: FilePath.Component = ".launchlab-owner"

  /// Writes the mark into a directory that has none.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func write(in directory: borrowing ConfinedDirectory) throws(HostError) {
    var mark = self
    mark.inode = UInt64(try directory.status().st_ino)
    let file = try directory.makeFile(Self.fileName)
    let bytes = JournalContent.line(mark)
    let written = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.write(file.descriptor, bytes.baseAddress, bytes.count)
    }
    let code = errno
    guard written == bytes.count else { throw file.failure("write", written < 0 ? code : ENOSPC) }
    // A mark that a power cut has emptied would keep the directory for ever.
    try file.synchronize()
  }

  /// Reads the mark of a directory.
  ///
  /// - Returns: Nil when there is none that only this user can have written.
  init?(in directory: borrowing ConfinedDirectory) {
    guard let file = try? directory.open(Self.fileName, O_RDONLY), let status = try? file.status(),
      status.isRegular, status.st_uid == geteuid(), status.permissions & 0o022 == 0,
      status.st_nlink == 1, status.st_size < 4_096
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(file.descriptor, &bytes, bytes.count)
    guard count > 0,
      let mark = try? JSONDecoder().decode(Self.self, from: Data(bytes.prefix(count))),
      let owner = try? directory.status(), mark.inode == UInt64(owner.st_ino)
    else { return nil }
    self = mark
  }
}
