import Foundation
package import LabAnalysis
package import LabModel

/// Computes every decision of a bisection again from its log.
package struct BisectReplay {
  private let record: BisectRecord

  /// - Parameter path: A log, or the directory it is in.
  /// - Throws: ``WorkflowError`` for what is no log.
  package init(path: String) throws {
    let inside = "\(path)/log.jsonl"
    let isDirectory = FileManager.default.fileExists(atPath: inside)
    record = try BisectRecord(path: isDirectory ? inside : path)
  }

  /// The result of the same events.
  ///
  /// - Returns: What the log comes to; it counts as interrupted where the log has no end.
  /// - Throws: ``WorkflowError/otherDecision(path:line:reason:)`` at the first difference.
  package func summary() throws -> BisectSummary {
    let course = try Self.course(of: record)
    var summary = BisectSummary(course, log: record.path, isInterrupted: course.end == nil)
    summary.places = BisectSummary.Places(
      of: course.start,
      store: store,
      from: WorkingDirectory.path
    )
    return summary
  }

  /// A store that the log is beside, whatever its name was.
  private var store: String {
    URL(filePath: record.path).standardizedFileURL.deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(component: "launchlab.sqlite").path
  }

  /// What was asked for.
  package var start: BisectStart { record.start }

  /// Applies every event of a log.
  static func course(of record: BisectRecord) throws -> BisectCourse {
    var course = BisectCourse(record.start)
    for (index, event) in record.events.enumerated() {
      if let reason = course.apply(event) {
        throw WorkflowError.otherDecision(path: record.path, line: index + 2, reason: reason)
      }
    }
    return course
  }
}
