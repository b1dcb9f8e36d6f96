import Foundation
import LabAnalysis
import LabHost
import LabModel

/// A bisection before its next step: a new one, or one whose log goes on.
struct BisectBeginning {
  var course: BisectCourse
  let log: BisectLog
  let path: String

  /// How many events came from former processes.
  let eventCount: Int

  let notes: [Diagnostic]
  let plan: BisectPlan

  /// Starts a log, or reads the one that is to go on.
  ///
  /// - Throws: ``WorkflowError``, and errors of the range and the repository.
  init(request: BisectRequest) throws {
    let location = BisectLocation(storeDirectory: request.storeDirectory)
    plan = request.plan
    switch request.beginning {
    case .new(let start, let notes):
      path = location.log(of: start.id)
      course = BisectCourse(start)
      log = try BisectLog(startingAt: path, with: start)
      eventCount = 0
      self.notes = notes
    case .resumed(let known):
      // It is read again, since another process may have gone on until this one had the lab.
      let record = try BisectRecord(path: known.path)
      path = record.path
      course = try BisectReplay.course(of: record)
      log = try BisectLog(resumingAt: record.path, length: record.length)
      try log.append(.resumed(at: Date()))
      eventCount = record.events.count
      notes = Self.notes(on: record.start)
    }
  }

  /// A warning when the launches so far were made under other conditions.
  private static func notes(on start: BisectStart) -> [Diagnostic] {
    let here = Doctor.facts.fingerprint
    guard here != start.fingerprint else { return [] }
    return [
      Diagnostic(
        .warning,
        id: "other-host",
        problem: "this host is \"\(here)\", but the bisection began on \"\(start.fingerprint)\"; "
          + "the difference between two builds may be another one here",
        remedy: "bisect anew if the answer has to hold for one of them"
      )
    ]
  }

  /// What is known at this moment.
  func summary(isInterrupted: Bool) -> BisectSummary {
    BisectSummary(course, log: path, isInterrupted: isInterrupted)
  }
}

extension BisectSummary {
  /// What a course has come to.
  init(_ course: BisectCourse, log: String, isInterrupted: Bool) {
    self.init(
      start: course.start,
      answer: course.end ?? course.engine.answer(.inconclusive(.interrupted)),
      builds: course.engine.builds,
      failedBuilds: course.engine.failedBuilds,
      launches: course.engine.launches,
      seconds: course.seconds,
      skipped: course.failures.keys.sorted(),
      failures: course.failures,
      unlaunchable: course.unlaunchable,
      timeouts: course.timeouts,
      buildLogTail: Self.tail(of: course),
      log: log,
      isInterrupted: isInterrupted
    )
    medians = course.medians
  }

  /// The last lines of the build of an end that failed; none where no end did.
  private static func tail(of course: BisectCourse) -> [String] {
    guard case .failed(let end)? = course.end?.outcome else { return [] }
    return course.failureLogs[end].map(LogTail.lines) ?? []
  }
}
