package import Foundation
import Glibc

/// Who has the lab lock, as its file says.
package struct LabHolder: Hashable, Codable, Sendable {
  package var pid: Int

  /// When the process started, in clock ticks after the boot; it tells it from a later one.
  package var start: UInt64

  package var user: String
  package var command: [String]
  package var startedAt: Date

  enum CodingKeys: String, CodingKey {
    case pid, start, user, command
    case startedAt = "started_at"
  }

  /// This process, which runs a command line of launchlab.
  static func current(command: [String]) -> Self {
    let identity = ProcessIdentity.current
    return Self(
      pid: identity.pid,
      start: identity.start,
      user: NSUserName(),
      command: command,
      startedAt: Date()
    )
  }

  /// Whether the process is still there, as seen from this one.
  var isAlive: Bool { ProcessIdentity("\(pid)-\(start)")?.isAlive ?? false }

  /// Reads what a holder has written; nil when it is not whole.
  init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let holder = try? decoder.decode(Self.self, from: Data(json)) else { return nil }
    self = holder
  }

  private init(pid: Int, start: UInt64, user: String, command: [String], startedAt: Date) {
    self.pid = pid
    self.start = start
    self.user = user
    self.command = command
    self.startedAt = startedAt
  }

  /// A line of JSON.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }
}
