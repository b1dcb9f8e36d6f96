package import Foundation
package import LaunchCore

/// Values of one time that something else than launchlab measured.
package struct ImportedNight: Hashable, Sendable {
  package var startedAt: Date

  /// The name of the host, which stands for its fingerprint.
  package var host: String

  package var commit: String?

  /// At least one; no two have the same target and state.
  package var arms: [ImportedArm]

  /// Joins nights of the same time, host and commit.
  ///
  /// - Parameter nights: In any order.
  /// - Returns: Ascending by time, then by host and commit; their arms in the order given.
  package static func merged(_ nights: [Self]) -> [Self] {
    struct Key: Hashable {
      var startedAt: Date
      var host: String
      var commit: String?
    }
    var merged: [Key: Self] = [:]
    for night in nights {
      let key = Key(startedAt: night.startedAt, host: night.host, commit: night.commit)
      for arm in night.arms {
        let empty = Self(startedAt: key.startedAt, host: key.host, commit: key.commit, arms: [])
        merged[key, default: empty].add(arm)
      }
    }
    return merged.values.sorted { left, right in
      if left.startedAt != right.startedAt { return left.startedAt < right.startedAt }
      return (left.host, left.commit ?? "") < (right.host, right.commit ?? "")
    }
  }

  private mutating func add(_ arm: ImportedArm) {
    let known = arms.firstIndex { $0.target == arm.target && $0.state == arm.state }
    guard let known else { return arms.append(arm) }
    for (metric, values) in arm.values { arms[known].values[metric, default: []] += values }
  }
}

/// What was measured of one target in one state.
package struct ImportedArm: Hashable, Sendable {
  package var target: String
  package var state: LaunchState

  /// The program and its arguments, as far as they are known; at least one element.
  package var command: [String]

  /// In the unit of the metric, in the order of the launches, at least one value each.
  package var values: [Metric: [Int64]]

  /// The number of launches that the values come from.
  package var launches: Int { values.values.map(\.count).max() ?? 0 }
}

/// A name that is made from any text, such as a command.
package enum ImportedName {
  /// The text with all but letters, digits, `.` and `_` of ASCII as `-`.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - others: Names that are taken; a number is appended where the name is one of them.
  /// - Returns: A name that a target of a scenario may have.
  package static func name(from text: String, besides others: Set<String> = []) -> String {
    let letters = text.unicodeScalars.map { scalar -> Character in
      let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
      return isKept || scalar == "." || scalar == "_" ? Character(scalar) : "-"
    }
    let words = String(letters).split(separator: "-").joined(separator: "-")
    let reserved = [Arm.emptyTarget, Arm.controlTarget]
    let name =
      words.isEmpty || reserved.contains(words)
      ? (words.isEmpty ? "program" : "\(words)-program") : words
    guard others.contains(name) else { return name }
    var number = 2
    while others.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

/// What became of imported files.
package struct ImportSummary: Hashable, Sendable {
  package var scenario: String

  /// The path of the store.
  package var store: String

  /// The runs that were stored, ascending by start.
  package var runs: [RunListing]

  /// How many values of an arm and a metric were there before, and were skipped.
  package var skipped: Int

  /// What the newest night comes to; nil where nothing is new, or that night is not imported.
  package var verdict: TrendSummary?

  /// What a reader of the values should know.
  package var warnings: [Diagnostic]
}
