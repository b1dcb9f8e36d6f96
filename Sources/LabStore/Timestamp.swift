import Foundation

/// Dates as the store keeps them: ISO-8601 in UTC with milliseconds.
///
/// Milliseconds are counted as an integer, because formatting a binary fraction cuts
/// `.001` to `.000`.
enum Timestamp {
  /// The text of a date rounded to the millisecond, such as `2026-11-21T04:30:00.125Z`.
  static func text(_ date: Date) -> String {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded())
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let whole = Date(timeIntervalSince1970: Double(seconds - (rest < 0 ? 1 : 0)))
    let fraction = String(1_000 + (rest < 0 ? rest + 1_000 : rest)).dropFirst()
    return whole.formatted(.iso8601).dropLast() + ".\(fraction)Z"
  }

  /// The date of a text that ``text(_:)`` made; nil for any other form.
  static func date(_ text: String) -> Date? {
    guard text.utf8.count == 24, text.hasSuffix("Z"),
      let milliseconds = Int64(text.dropLast().suffix(3)),
      let whole = try? Date(text.dropLast(5) + "Z", strategy: .iso8601)
    else { return nil }
    let seconds = Int64(whole.timeIntervalSince1970.rounded())
    return Date(timeIntervalSince1970: Double(seconds * 1_000 + milliseconds) / 1_000)
  }
}
