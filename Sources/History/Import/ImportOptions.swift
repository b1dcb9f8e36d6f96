package import Foundation
package import LaunchCore
import Rendering

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
    case .count, .percent: nil
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

  /// All of them, at least one.
  let problems: [Diagnostic]

  package var exitCode: LabExitCode { .usage }

  package init(_ problems: [Diagnostic]) {
    self.problems = problems
  }

  /// Those beyond ``limit`` are only counted.
  package var diagnostics: [Diagnostic] {
    let rest = Quantity.count(problems.count - Self.limit, "more problem")
    return problems.prefix(Self.limit)
      + (problems.count > Self.limit
        ? [Diagnostic(.error, id: "import-more", problem: "and \(rest) like these")] : [])
  }
}
