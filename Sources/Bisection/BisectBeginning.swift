import Foundation
package import LaunchCore
import LaunchHost
package import Measuring

/// A bisection before its next step: a new one, or one whose log goes on.
struct BisectBeginning {
  var course: BisectCourse
  let log: BisectLog
  let path: String

  /// How many events came from former processes.
  let eventCount: Int

  let notes: [Diagnostic]
  let plan: BisectPlan
  private let places: BisectSummary.Places

  /// Starts a log, or reads the one that is to go on.
  ///
  /// - Throws: ``WorkflowError``, and errors of the range and the repository.
  init(request: BisectRequest, at now: Date) throws {
    let location = LogLocation(.bisection, storeDirectory: request.storeDirectory)
    plan = request.plan
    places = request.places
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
      let before = course.start.parameters.limits
      let limits =
        course.hasEnded
        ? try request.limits.raised(from: before) : request.limits.applied(to: before)
      log = try BisectLog(resumingAt: record.path, length: record.length)
      try log.append(.resumed(at: now))
      eventCount = record.events.count
      let missing = course.missingSubmodules.sorted { $0.key < $1.key }
        .map { Diagnostic.missing($0.value) }
      guard limits != before else {
        notes = Self.notes(on: record.start) + missing
        return
      }
      try log.append(.limited(limits))
      if let reason = course.apply(.limited(limits)) {
        throw WorkflowError.cannotGoOn(.bisection, id: record.start.id, reason: reason)
      }
      notes = Self.notes(on: record.start) + missing + [Self.note(on: limits)]
    }
  }

  private static func note(on limits: BisectLimits) -> Diagnostic {
    Diagnostic(
      .note,
      id: "limits-changed",
      problem: "new limits, counted from the start: \(BisectPlanText.words(of: limits))"
    )
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
        remedy: "start a new bisection to get an answer for one of them"
      )
    ]
  }

  /// What is known at this moment.
  func summary(isInterrupted: Bool) -> BisectSummary {
    var summary = BisectSummary(course, log: path, isInterrupted: isInterrupted)
    summary.places = places
    return summary
  }
}

extension BisectSummary {
  /// What a course has come to.
  init(_ course: BisectCourse, log: String, isInterrupted: Bool) {
    let answer = (course.end ?? course.engine.answer(.inconclusive(.interrupted)))
      .naming(commitsOf: course.start)
    self.init(
      start: course.start,
      answer: answer,
      builds: course.engine.builds,
      failedBuilds: course.engine.failedBuilds,
      launches: course.engine.launches,
      seconds: course.seconds,
      skipped: course.failures.keys.sorted(),
      failures: course.failures,
      unlaunchable: course.unlaunchable,
      timeouts: course.timeouts,
      details: answer.culprits.map { culprit in
        CulpritDetails(builds: Self.builds(of: culprit, in: course))
      },
      buildLogTail: Self.tail(of: course),
      log: log,
      isInterrupted: isInterrupted
    )
    medians = course.medians
    processorTime = course.processorTime
    told = course.missingSubmodules.sorted { $0.key < $1.key }.map { .missing($0.value) }
    warnings = [Self.difference(of: answer.culprits.first, in: course)].compactMap(\.self)
    explanation = Self.explanation(of: answer.culprits, in: course)
      .map { CulpritExplanation($0, besideLog: log) }
  }

  /// What the log says of the only culprit; nil where it says something of another one only.
  private static func explanation(
    of culprits: [BisectCulprit],
    in course: BisectCourse
  ) -> BisectExplanation? {
    guard culprits.count == 1, let told = course.explanation,
      told.parentBuild == culprits[0].parentBuild, told.build == culprits[0].build
    else { return nil }
    return told
  }

  /// What was launched for a culprit and its parent.
  private static func builds(of culprit: BisectCulprit, in course: BisectCourse) -> LaunchedPair? {
    guard let parent = course.builds[culprit.parentBuild]?.target,
      let own = course.builds[culprit.build]?.target
    else { return nil }
    return LaunchedPair(parent: parent, culprit: own)
  }

  /// A warning where the first culprit has other submodules than its parent, which may be the change.
  private static func difference(
    of culprit: BisectCulprit?,
    in course: BisectCourse
  ) -> Diagnostic? {
    guard let culprit else { return nil }
    let missing = [culprit.parentBuild, culprit.build].map { build in
      Set((course.builds[build]?.missingSubmodules ?? []).map(\.path))
    }
    let paths = missing[0].symmetricDifference(missing[1]).sorted()
    guard !paths.isEmpty else { return nil }
    return Diagnostic(
      .warning,
      id: "submodules-differ",
      problem: "the culprit and its parent were not built with the same submodules "
        + "(\(paths.joined(separator: ", "))): this may be all that differs between them",
      remedy: "get the submodules, or leave them out everywhere with `submodules: off`"
    )
  }

  /// The last lines of the build of an end that failed; none where no end did.
  private static func tail(of course: BisectCourse) -> [String] {
    guard case .failed(let end)? = course.end?.outcome else { return [] }
    return course.failureLogs[end].map { LogTail.lines(of: $0) } ?? []
  }
}

/// The log of a bisection.
struct BisectLog {
  private let log: EventLog<BisectEvent>

  /// Begins a log in a directory of its own.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  init(startingAt path: String, with start: BisectStart) throws {
    log = try EventLog(.bisection, startingAt: path, with: .started(start))
  }

  /// Goes on with a log; a last line that was cut off is removed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - length: The length of its whole lines, in bytes.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)`` and ``WorkflowError/logInUse(_:path:)``.
  init(resumingAt path: String, length: Int) throws {
    log = try EventLog(.bisection, resumingAt: path, length: length)
  }

  /// Writes an event; all but a row is on the disk when this returns, with the rows before it.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func append(_ event: BisectEvent) throws {
    if case .row = event { return try log.append(event, isDurable: false) }
    try log.append(event)
  }

  func close() { log.close() }
}

/// What a bisection tells while it goes on.
package enum BisectProgressEvent: Sendable {
  /// The work begins, or goes on after `events` events of former processes.
  case started(BisectStart, plan: BisectPlan, events: Int)

  /// Something that a reader should know before the answer.
  case noted(Diagnostic)

  /// Another lab is at work.
  case waiting(LabPatience.Event)

  case building(BisectRevision, number: Int)

  case built(BisectBuilt, BisectRevision)

  /// A row is complete.
  case launched(done: Int, of: Int, BisectProgress)

  /// An action is done.
  case decided(BisectProgress)

  /// The culprit is known, and is launched and traced.
  case explaining

  /// A launch that is traced, or one beside it, was made.
  case traced(done: Int, of: Int)
}
