package import Foundation
package import LabModel

/// Instants as other tools write them.
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

/// A unit that values of other tools are in.
package struct ImportedUnit: Hashable, Sendable {
  /// What a value counts.
  package var unit: Metric.Unit

  /// One of this unit in `unit`.
  package var factor: Double

  /// The names that are shown to people.
  package static let list = "ns, us, ms, s, min, B, KB, KiB, MB, MiB, GB, GiB or 1"

  /// - Parameter name: One of ``list``, or `µs`, `kB` or `count`; nil for any other.
  package init?(_ name: String) {
    switch name {
    case "ns": self.init(.nanoseconds, 1)
    case "us", "µs", "μs": self.init(.nanoseconds, 1e3)
    case "ms": self.init(.nanoseconds, 1e6)
    case "s": self.init(.nanoseconds, 1e9)
    case "min": self.init(.nanoseconds, 60e9)
    case "B": self.init(.bytes, 1)
    case "KB", "kB": self.init(.bytes, 1e3)
    case "KiB": self.init(.bytes, 1_024)
    case "MB": self.init(.bytes, 1e6)
    case "MiB": self.init(.bytes, 1_048_576)
    case "GB": self.init(.bytes, 1e9)
    case "GiB": self.init(.bytes, 1_073_741_824)
    case "1", "count": self.init(.count, 1)
    default: return nil
    }
  }

  private init(_ unit: Metric.Unit, _ factor: Double) {
    self.unit = unit
    self.factor = factor
  }

  /// The metric that values of the unit are of, where nothing says it; nil where there are many.
  package var usualMetric: Metric? {
    switch unit {
    case .nanoseconds: .launch
    case .bytes: .peakRSS
    case .count: nil
    }
  }

  /// A value in the unit of the metric, rounded to a whole number.
  ///
  /// - Parameter text: A decimal number, from 0.
  /// - Returns: Nil when it is none, or too large.
  package func value(_ text: String) -> Int64? {
    let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    guard digits, let number = Double(text), number >= 0 else { return nil }
    return Int64(exactly: (number * factor).rounded())
  }
}

/// A format of files of other tools.
package enum ImportFormat: String, CaseIterable, Sendable {
  /// What `hyperfine --export-json` writes.
  case hyperfine

  /// Comma-separated values with a header.
  case csv
}

/// What is taken for true where a file does not say it.
package struct ImportOptions: Hashable, Sendable {
  /// The name of the target; nil for one made from the command or from the name of the file.
  package var target: String?

  package var state: LaunchState
  package var commit: String?

  /// The name of the host, which stands for its fingerprint.
  package var host: String

  /// The time of a file that has none.
  package var date: Date?

  /// The unit of values of CSV.
  package var unit: ImportedUnit?

  package var timeColumn: String
  package var valueColumn: String

  package init(
    target: String? = nil,
    state: LaunchState = .warm,
    commit: String? = nil,
    host: String = "imported",
    date: Date? = nil,
    unit: ImportedUnit? = nil,
    timeColumn: String = "time",
    valueColumn: String = "value"
  ) {
    self.target = target
    self.state = state
    self.commit = commit
    self.host = host
    self.date = date
    self.unit = unit
    self.timeColumn = timeColumn
    self.valueColumn = valueColumn
  }
}

/// Files of other tools that cannot be read as what they should be.
package struct ImportError: LabError, Hashable {
  /// How many problems are shown at most.
  package static let limit = 20

  package var diagnostics: [Diagnostic]

  package var exitCode: LabExitCode { .usage }

  /// - Parameter problems: At least one; those beyond ``limit`` are only counted.
  package init(_ problems: [Diagnostic]) {
    diagnostics = Array(problems.prefix(Self.limit))
    guard problems.count > Self.limit else { return }
    let rest = problems.count - Self.limit
    diagnostics.append(
      Diagnostic(.error, id: "import-more", problem: "and \(rest) more problems like these")
    )
  }
}
