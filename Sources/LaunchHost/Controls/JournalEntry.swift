import Foundation
import Glibc
import LaunchCore
import SystemPackage

/// The first line of a journal: whose it is.
struct JournalHeader: Hashable, Codable {
  /// The process id and start of the lab, as in ``ProcessIdentity``.
  var lab: String

  /// The boot that the changes are of; `/proc/sys/kernel/random/boot_id`.
  var bootID: String

  /// Where the process id and start are those of the lab, as in ``LabMark``.
  var namespaces: String?

  var command: [String]
  var startedAt: Date

  /// The version of launchlab.
  var version: String

  enum CodingKeys: String, CodingKey {
    case lab
    case bootID = "boot_id"
    case namespaces
    case command
    case startedAt = "started_at"
    case version
  }
}

/// A line that is written before a change is made.
struct JournalEntry: Hashable, Codable {
  /// From 1 on.
  var begin: Int

  /// Nil for what every run makes.
  var control: ControlName?

  /// Nil when another version of launchlab has written a change that this one does not know.
  var change: Change?

  init(begin: Int, control: ControlName?, change: Change) {
    self.begin = begin
    self.control = control
    self.change = change
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    begin = try container.decode(Int.self, forKey: .begin)
    control = try? container.decode(ControlName.self, forKey: .control)
    change = try? container.decode(Change.self, forKey: .change)
  }
}

/// A line that is written after a change was undone.
struct JournalEnd: Hashable, Codable {
  /// The number of the change.
  var undone: Int

  var how: UndoneChange.Status
}

/// The lines of a journal, as far as they can be read.
///
/// A line that was cut off is passed over: its change was not made yet, since a line is on the disk
/// before its change is made.
package struct JournalContent: Hashable {
  private(set) var header: JournalHeader?

  /// In the order in which the changes were made.
  private(set) var entries: [JournalEntry] = []

  private var undone: Set<Int> = []

  /// Whether the last line is whole, so that another one can follow it.
  let endsWithLine: Bool

  init(_ bytes: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let newline = UInt8(ascii: "\n")
    endsWithLine = bytes.isEmpty || bytes.last == newline
    for line in bytes.split(separator: newline) {
      let data = Data(line)
      if let header = try? decoder.decode(JournalHeader.self, from: data) {
        self.header = header
      } else if let entry = try? decoder.decode(JournalEntry.self, from: data) {
        entries.append(entry)
      } else if let end = try? decoder.decode(JournalEnd.self, from: data) {
        undone.insert(end.undone)
      }
    }
  }

  /// The changes that are still to be undone, the last one first.
  var pending: [JournalEntry] { entries.reversed().filter { !undone.contains($0.begin) } }

  /// The number of the next entry.
  var next: Int { (entries.map(\.begin).max() ?? 0) + 1 }

  /// A line with its line feed.
  package static func line(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // These types have nothing that JSON cannot say.
    let data = (try? encoder.encode(value)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}

/// The file of a journal, which only its own user can have written.
enum JournalFile {
  /// What a file is.
  enum Content {
    case trusted([UInt8])

    /// Root would do whatever it says; the reason is a sentence without a full stop, and the remedy
    /// a command that makes it trusted, where there is one.
    case untrusted(reason: String, remedy: String? = nil)
  }

  /// Reads the whole file, unless it is a link, another user's, or one that others may write to.
  ///
  /// - Returns: Nil when there is none.
  static func content(at path: FilePath) -> Content? {
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(path, .readOnly, options: options)
    } catch {
      switch error as? Errno {
      case .noSuchFileOrDirectory: return nil
      case .tooManySymbolicLinkLevels: return .untrusted(reason: "it is a symbolic link")
      case let failure: return .untrusted(reason: "it cannot be read (\(failure ?? .ioError))")
      }
    }
    defer { try? file.close() }
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else {
      return .untrusted(reason: "it cannot be looked at")
    }
    if status.st_mode & S_IFMT != S_IFREG { return .untrusted(reason: "it is not a regular file") }
    if let reason = status.foreignReason {
      let remedy = "chown \(geteuid()) \(path) && chmod 600 \(path)"
      return .untrusted(reason: reason, remedy: remedy)
    }
    return HostTree.bytes(of: file).map { .trusted($0) } ?? .untrusted(reason: "it cannot be read")
  }

  /// Reads the whole file; nil when there is none, or it is not to be trusted.
  static func bytes(at path: FilePath) -> [UInt8]? {
    guard case .trusted(let bytes) = content(at: path) else { return nil }
    return bytes
  }
}

extension stat {
  /// Who else than this user can write to a file, as a sentence without a full stop; nil when nobody
  /// can.
  var foreignReason: String? {
    guard st_uid == geteuid() else { return "it belongs to user \(st_uid)" }
    guard st_mode & 0o022 == 0 else {
      return "others may write to it (mode \(String(st_mode & 0o777, radix: 8)))"
    }
    return nil
  }
}
