import Foundation
package import LaunchCore
import Measuring

/// The log of a bisection as it was read.
struct BisectRecord {
  let path: String
  let start: BisectStart

  /// What followed the start, in order.
  let events: [BisectEvent]

  /// The length of the whole lines in bytes; what follows was cut off in the middle of a line.
  let length: Int

  /// Reads a log.
  ///
  /// - Throws: ``WorkflowError/badLog(_:path:line:reason:)`` for a line that is no event,
  ///   ``WorkflowError/otherRules(_:path:rules:known:version:)`` and
  ///   ``WorkflowError/cannotRead(path:reason:)``.
  init(path: String) throws {
    let (start, lines) = try EventLog<BisectEvent>.read(.bisection, at: path) { event in
      if case .started(let start) = event { start } else { nil as BisectStart? }
    }
    guard start.isSound else {
      throw WorkflowError.badLog(.bisection, path: path, line: 1, reason: "its start cannot be")
    }
    self.path = path
    self.start = start
    events = lines.dropFirst().map(\.event)
    length = lines.last?.end ?? 0
  }
}

extension BisectStart: LogStart {
  /// Whether a bisection can have begun so.
  fileprivate var isSound: Bool {
    let last = revisions.count - 1
    let numbers = [parameters.minimumEffect, parameters.buildSeconds, parameters.launchSeconds]
    return last >= 1 && skips.allSatisfy { $0 > 0 && $0 < last } && !scenario.targets.isEmpty
      && !scenario.states.isEmpty && numbers.allSatisfy { $0.isFinite && $0 >= 0 }
      && parameters.limits.isSound
      && (0.5..<1).contains(parameters.confidence)
      && revisions.allSatisfy { $0.weight.isFinite && $0.weight >= 0 }
  }
}

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
      from: WorkflowContext.live.directory
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
