package import Foundation
package import LabModel

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
