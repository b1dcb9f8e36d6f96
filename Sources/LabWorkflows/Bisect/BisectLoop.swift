import Foundation
import LabAnalysis
import LabModel

/// Does what a course says is due, and logs each step before the next one.
struct BisectLoop {
  private(set) var course: BisectCourse
  let log: BisectLog

  /// Works until the course ends.
  ///
  /// - Throws: what the builder, the launcher and the log throw.
  mutating func run(
    builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    while true {
      switch course.action {
      case .build(let revision):
        launcher.close()
        try await build(revision, by: &builder, observe)
      case .launch(let arms, let rows):
        try await restore(arms, by: &builder, launcher: &launcher, observe)
        try launcher.open(within: course.secondsLeft) { observe(.waiting($0)) }
        try await launch(arms, rows: rows, by: &launcher, observe)
      case .done(let answer):
        guard !course.hasEnded else { return }
        let culprits = answer.culprits.map(\.revisions)
        try log.append(
          .ended(BisectEnd(endedAt: Date(), outcome: answer.outcome.name, culprits: culprits))
        )
        return
      }
      observe(.decided(course.engine.progress))
    }
  }

  private mutating func build(
    _ revision: Int,
    by builder: inout some BisectBuilder,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    let number = course.builds.count + course.failures.count + 1
    observe(.building(course.start.revisions[revision], number: number))
    let ahead = course.engine.ahead(of: revision, count: builder.buildsAhead)
    let built = try await builder.build(revision, ahead: ahead, within: course.secondsLeft)
    let known = course.missingSubmodules
    try take(.built(built))
    observe(.built(built, course.start.revisions[revision]))
    for missing in built.missingSubmodules ?? [] where known[missing.path] == nil {
      observe(.noted(.missing(missing)))
    }
    if course.builds.count == 1, let warning = DetachedTarget.warning(on: built) {
      observe(.noted(warning))
    }
  }

  /// Builds again what was removed since it was built, as after a resumption.
  ///
  /// The time that takes is not counted.
  private mutating func restore(
    _ arms: [Int],
    by builder: inout some BisectBuilder,
    launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    for arm in arms {
      guard let known = course.builds[arm], !builder.isLaunchable(known) else { continue }
      launcher.close()
      let revision = course.start.revisions[arm]
      observe(.building(revision, number: course.builds.count + course.failures.count))
      let built = try await builder.build(arm, ahead: [], within: nil)
      // A build may hold the time at which it was made.
      let isArtifact = course.start.artifacts != nil
      let isSame =
        (built.digest == known.digest || !isArtifact) && built.target == known.target
        && built.missingSubmodules?.map(\.path) == known.missingSubmodules?.map(\.path)
      guard built.failure == nil, isSame else {
        throw WorkflowError.cannotGoOn(
          id: course.start.id,
          reason: "the build of \(revision.id.prefix(12)) is gone, and building it again gives "
            + (built.failure ?? "another executable")
        )
      }
    }
  }

  private mutating func launch(
    _ arms: [Int],
    rows: Int,
    by launcher: inout some BisectLauncher,
    _ observe: (BisectProgressEvent) -> Void
  ) async throws {
    let targets = arms.compactMap { arm in course.builds[arm]?.target.map { (arm, $0) } }
    let launched = course.launched
    let done = course.rows.count
    var taken = 0
    var failure: (revision: Int, reason: String)?
    do {
      failure = try await launcher.launch(
        targets,
        rows: done..<rows,
        isNew: { !launched.contains($0) },
        take: { row in
          try take(.row(row))
          taken += 1
          observe(.launched(done: done + taken, of: rows, course.engine.progress))
          let isDue = course.action == .launch(arms: arms, rows: rows)
          guard isDue || done + taken == rows else { throw Settled() }
        }
      )
    } catch is Settled {
      return
    }
    if let failure {
      try take(.unlaunchable(revision: failure.revision, reason: failure.reason))
    }
  }

  /// Logs an event, and then reckons with it.
  private mutating func take(_ event: BisectEvent) throws {
    try log.append(event)
    if let reason = course.apply(event) {
      preconditionFailure("what was done is not what was due: \(reason)")
    }
  }
}

/// What is launched is not worth the rest of its rows.
private struct Settled: Error {}
