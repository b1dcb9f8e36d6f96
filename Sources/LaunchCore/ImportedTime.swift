package import Foundation

/// Instants and days as people and other tools write them.
package enum ImportedTime {
  /// Reads an instant.
  ///
  /// - Parameter text: An ISO 8601 date, such as `2026-11-21`, or date and time, such as
  ///   `2026-11-21T04:30:00.5+01:00`, in UTC where it names no zone; or seconds since 1970, of at
  ///   least 9 digits.
  /// - Returns: The instant to the millisecond, or nil for any other text and for years from 10000.
  package static func date(_ text: String) -> Date? {
    var reader = Reader(bytes: Array(text.utf8))
    let milliseconds = unix(text) ?? reader.milliseconds()
    guard let milliseconds, (0..<253_402_300_800_000).contains(milliseconds) else { return nil }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// Reads a day of the calendar from 1970 on.
  ///
  /// - Parameter text: Year, month and day, such as `2026-11-21`.
  /// - Returns: Its beginning in UTC, or nil for any other text.
  package static func day(_ text: String) -> Date? {
    text.utf8.count == 10 && text.contains("-") ? date(text) : nil
  }

  /// A number of fewer digits may be meant as a date, such as `20261121`.
  private static func unix(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].utf8.count >= 9,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }),
      let seconds = Double(text), seconds < 1e12
    else { return nil }
    return Int64((seconds * 1_000).rounded())
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Reads the parts of an ISO 8601 text one after the other.
  private struct Reader {
    var bytes: [UInt8]
    var index = 0

    mutating func milliseconds() -> Int64? {
      guard let day = day() else { return nil }
      if index == bytes.count { return day * 86_400_000 }
      guard take("T") || take(" "), let time = time(), let zone = zone(), index == bytes.count
      else { return nil }
      return day * 86_400_000 + time - zone
    }

    /// Days since 1970.
    private mutating func day() -> Int64? {
      guard let year = number(4), take("-"), let month = number(2), take("-"),
        let day = number(2), (1970...9999).contains(year), (1...12).contains(month), day >= 1
      else { return nil }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard day <= Int64(lengths[Int(month) - 1]) else { return nil }
      let before = lengths.prefix(Int(month) - 1).reduce(0, +)
      let last = year - 1
      let leaps = last / 4 - last / 100 + last / 400 - 477
      return (year - 1970) * 365 + leaps + Int64(before) + day - 1
    }

    private mutating func time() -> Int64? {
      guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60
      else { return nil }
      var milliseconds = (hour * 60 + minute) * 60_000
      guard take(":") else { return milliseconds }
      guard let second = number(2), second < 60 else { return nil }
      milliseconds += second * 1_000
      guard take(".") || take(",") else { return milliseconds }
      let start = index
      while index < bytes.count, isDigit(bytes[index]) { index += 1 }
      guard index > start else { return nil }
      let digits = String(decoding: bytes[start..<index], as: UTF8.self)
      return Double("0.\(digits)").map { milliseconds + Int64(($0 * 1_000).rounded()) }
    }

    /// How far the zone is ahead of UTC, in milliseconds.
    private mutating func zone() -> Int64? {
      if index == bytes.count || take("Z") { return 0 }
      let sign: Int64 = take("+") ? 1 : -1
      guard sign == 1 || take("-"), let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      let minutes = index == bytes.count ? 0 : number(2)
      guard let minutes, minutes < 60 else { return nil }
      return sign * (hours * 60 + minutes) * 60_000
    }

    private mutating func number(_ digits: Int) -> Int64? {
      guard index + digits <= bytes.count, bytes[index..<index + digits].allSatisfy(isDigit)
      else { return nil }
      defer { index += digits }
      return Int64(String(decoding: bytes[index..<index + digits], as: UTF8.self))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }
  }
}
