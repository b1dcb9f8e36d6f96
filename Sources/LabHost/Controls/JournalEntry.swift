import Foundation
import LabModel

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
struct JournalContent: Hashable {
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
  static func line(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // These types have nothing that JSON cannot say.
    let data = (try? encoder.encode(value)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}
