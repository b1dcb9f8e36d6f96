package import LabModel

/// What a text says about stages.
package struct StageTextResult: Hashable, Sendable {
  /// What the text is called.
  package var name: String

  /// In the order in which they begin; empty when the text has none.
  package var blocks: [StageTextBlock]

  /// What the loader said it does, without times, in the order of the lines.
  package var events: [StageTextEvent]

  /// The numbers of the lines that were used, from 1, ascending.
  package var usedLines: [ClosedRange<Int>]

  /// The numbers of the lines that hold something and were not used, ascending.
  package var ignoredLines: [ClosedRange<Int>]

  package var diagnostics: [Diagnostic]

  /// Whether nothing was met that no loader prints.
  package var isStandard: Bool

  /// How many bytes were looked at, those looked at twice counted twice; a measure of the work.
  package var scannedBytes: Int

  /// Whether the text says nothing about stages.
  package var isEmpty: Bool { blocks.isEmpty && events.isEmpty }

  /// Whether no block lacks stages or is cut off.
  package var isComplete: Bool { blocks.allSatisfy(\.isComplete) }

  /// Whether something was refused.
  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// A line with which glibc tells what it is about to run.
package struct StageTextEvent: Hashable, Sendable {
  /// As printed, such as `calling init`.
  package var name: String

  /// What follows the colon and a space: a path, and for `calling fini` the namespace.
  package var text: String

  package var pid: Int64?

  package var line: Int
}
