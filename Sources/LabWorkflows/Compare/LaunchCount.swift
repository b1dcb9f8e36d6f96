package import LabModel

/// How many launches each side of a comparison gets: a number, or as many as it takes.
package struct LaunchCount: Hashable, Sendable {
  /// The launches of each arm, the fewest where more are allowed.
  package var fewest: Int

  /// When launches end before the most that there may be; nil for a fixed number.
  package var adaptive: AdaptiveLaunches?

  /// The fewest pairs that have an interval.
  package static let least = 5

  /// Reads what was typed.
  ///
  /// - Parameters:
  ///   - text: A number such as `50`, or a range such as `20..200`.
  ///   - precision: A percentage such as `1%`, with a range only; nil means 1 %.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)``.
  package init(_ text: String, precision: String?) throws(WorkflowError) {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    let bad = WorkflowError.badOption(
      name: "--launches",
      value: text,
      expected: "a number from \(Self.least) on, or a range such as 20..200"
    )
    guard let first = ends.first, let fewest = first, fewest >= Self.least, ends.count <= 2 else {
      throw bad
    }
    self.fewest = fewest
    guard ends.count == 2 else {
      guard let precision else { return }
      throw .badOption(
        name: "--precision",
        value: precision,
        expected: "it with a range of launches, such as --launches 20..200"
      )
    }
    guard let most = ends[1], most >= fewest else { throw bad }
    let share = try Percentage(precision ?? "1%", option: "--precision").share
    adaptive = AdaptiveLaunches(most: most, precision: share)
  }
}

/// A percentage as it is typed, such as `2%`.
struct Percentage {
  /// From 0 to 1, both excluded.
  let share: Double

  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for something else than a number
  ///   between 0 and 100 and the sign.
  init(_ text: String, option: String) throws(WorkflowError) {
    let isDecimal = text.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard text.last == "%", isDecimal, let number = Double(text.dropLast()), number > 0,
      number < 100
    else {
      throw .badOption(
        name: option,
        value: text,
        expected: "a percentage between 0% and 100%, such as 2%"
      )
    }
    share = number / 100
  }
}
