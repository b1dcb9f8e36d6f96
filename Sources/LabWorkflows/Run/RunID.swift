import Foundation
import LabModel

/// The identifier of a run: time-ordered, and unique by four random digits.
enum RunID {
  /// Makes an identifier such as `20261121T043000Z-3fa2`.
  ///
  /// - Parameters:
  ///   - date: When the run begins.
  ///   - salt: Any number; its lowest 16 bits are used.
  /// - Returns: The time to the second in UTC, and four hexadecimal digits of the salt.
  static func make(at date: Date, salt: UInt64) -> String {
    let format = Date.VerbatimFormatStyle(
      format: """
        \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)T\
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\
        \(second: .twoDigits)Z
        """,
      timeZone: .gmt,
      calendar: Calendar(identifier: .gregorian)
    )
    let digits = String(salt & 0xffff, radix: 16)
    let padding = String(repeating: "0", count: 4 - digits.count)
    return "\(date.formatted(format))-\(padding)\(digits)"
  }
}
