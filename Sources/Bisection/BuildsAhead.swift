import Builds
package import LaunchCore
package import Measuring

/// The commits that a bisection needs next, for hosts that build them before it asks.
package struct BuildsAhead: Sendable {
  private let start: BisectStart

  /// Finds the range and the target as the bisection will.
  ///
  /// - Throws: As ``BisectRequest/init(_:in:)``.
  package init(_ options: BisectOptions, in context: WorkflowContext) async throws {
    start = try await BisectQuestion(options, in: context).start().0
  }

  /// The commits that are likely to be built next.
  ///
  /// At first they are both ends and the middle, then the middles of the parts that are left. Once launches
  /// have been made they are those where the change is likely to be.
  ///
  /// - Parameters:
  ///   - count: The most that are given.
  ///   - store: That of the host that bisects. Its newest log says how far the bisection is, where it is
  ///     one of the same commits; else it counts as not begun.
  /// - Returns: Full ids, the most urgent first, of commits that the bisection has not built.
  /// - Throws: ``WorkflowError`` for a log that is none.
  package func commits(_ count: Int, store: String) throws -> [String] {
    let course = try course(store: store)
    let next: [Int] =
      switch course.action {
      case .build(let revision):
        [revision] + course.engine.ahead(of: revision, count: count - 1)
      case .launch(let arms, _):
        course.engine.ahead(of: arms[0], count: count)
      case .done: []
      }
    return next.prefix(count).map { start.revisions[$0].id }
  }

  private func course(store: String) throws -> BisectCourse {
    let location = try LogLocation(.bisection, besideStore: store)
    guard let last = location.ids.last else { return BisectCourse(start) }
    let record = try BisectRecord(path: location.log(of: last))
    guard record.start.revisions == start.revisions else { return BisectCourse(start) }
    return try BisectReplay.course(of: record)
  }

  /// Builds a commit, and publishes it.
  ///
  /// - Parameters:
  ///   - commit: Its full id.
  ///   - source: What is built.
  ///   - cache: Where the builds of this host are kept.
  ///   - shared: The absolute path of the directory where they are published.
  ///   - context: Where it is built.
  /// - Returns: A note where others cannot have the build.
  /// - Throws: `HostError`, also where the build fails.
  package static func publish(
    _ commit: String,
    of source: Source,
    cache: CacheLocation,
    to shared: String,
    in context: WorkflowContext
  ) async throws -> Diagnostic? {
    let others = SharedBuilds(directory: shared)
    let leases = BuildLeases()
    let builder = SourceBuild(
      source: source,
      cache: cache.buildDirectory,
      timeLimit: .nanoseconds(BisectRequest.usualBuildTimeLimit.count),
      leases: leases,
      shared: others,
      interrupt: try context.interrupt()
    )
    let record = try await builder.build(commit, triesAgain: false) {
      context.observe(.building($0))
    }
    guard case .boundToPath(let file) = try await others.publish(builder.log(of: record)) else {
      return nil
    }
    return Diagnostic(
      .warning,
      id: "not-shared",
      problem:
        "the build of \(commit.prefix(12)) stays here: \(file) holds the path that it was built at",
      remedy: "build without absolute paths, or without builders"
    )
  }
}
