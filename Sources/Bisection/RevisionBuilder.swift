import Builds
import Foundation
import LaunchCore
import LaunchHost
import Measuring
import Scenarios

/// Builds the commits of a bisection, several at a time where there are cores for it.
struct RevisionBuilder: BisectBuilder {
  private let workshop: Workshop
  private let jobs: Int

  /// The trees whose builds have succeeded, and those that were tried.
  private var done: Set<String> = []
  private var tried: Set<String> = []

  /// How long the longest build took that was waited for.
  private var longest = Duration.zero

  /// What a bisection that was killed has left being built is ended.
  ///
  /// - Parameters:
  ///   - source: What is built.
  ///   - scenario: With the only target that is measured, before any build.
  ///   - revisions: From good to bad.
  ///   - cache: Where builds are kept; those that are used here stay until this process ends.
  ///   - shared: Where builds of others are looked for before one is made.
  ///   - jobs: How many builds may be made at the same time, at least 1.
  ///   - timeLimit: How long one build may take; nil for no limit.
  ///   - triesAgain: Whether builds that have failed in another bisection are tried again.
  ///   - interrupt: Ends what is being built.
  ///   - observe: Told of each build that begins, from any thread, and whether it is built ahead.
  init(
    source: Source,
    scenario: Scenario,
    revisions: [BisectRevision],
    cache: CacheLocation,
    shared: SharedBuilds? = nil,
    jobs: Int = 1,
    timeLimit: Duration? = nil,
    triesAgain: Bool = false,
    interrupt: InterruptFlag? = nil,
    observe: @escaping @Sendable (_ revision: Int, _ isAhead: Bool) -> Void = { _, _ in }
  ) {
    cache.builds.endLeftovers()
    let builds = SourceBuild(
      source: source,
      cache: cache.buildDirectory,
      timeLimit: timeLimit,
      leases: BuildLeases(),
      shared: shared,
      interrupt: interrupt
    )
    workshop = Workshop(
      source: source,
      scenario: scenario,
      revisions: revisions,
      builds: builds,
      triesAgain: triesAgain,
      observe: observe
    )
    self.jobs = max(1, jobs)
  }

  /// Builds a revision, and others while it is built.
  ///
  /// Those get as long again as the longest build so far, as far as time is left, and are ended
  /// then: nothing is built while a launch is measured. One that was ended counts as not tried.
  mutating func build(
    _ revision: Int,
    ahead: [Int],
    within seconds: Double? = nil
  ) async throws -> BisectBuilt {
    let others = others(beside: revision, ahead)
    var workshop = workshop
    if let seconds { workshop.builds = workshop.builds.limited(to: .seconds(max(0, seconds))) }
    let (known, longest, shop) = (tried, longest, workshop)
    let clock = ContinuousClock()
    let begin = clock.now
    var (built, finished) = try await withThrowingTaskGroup(of: Turn.self) { group in
      for other in others {
        group.addTask { try await shop.aheadTurn(other, known: known) }
      }
      let built = try await shop.build(revision, isAhead: false, known: known)
      let spent = clock.now - begin
      let left = seconds.map { max(.zero, .seconds($0) - spent) }
      let grace = [max(longest, spent), left].compactMap(\.self).min() ?? .zero
      group.addTask {
        try await Task.sleep(for: grace)
        return .timeIsUp
      }
      var finished: [Int: Bool] = [:]
      while finished.count < others.count, let turn = try await group.next() {
        guard case .ended(let other, let isUsable) = turn else { break }
        finished[other] = isUsable
      }
      group.cancelAll()
      return (built, finished)
    }
    if !others.isEmpty {
      built.waited = max(0, (clock.now - begin) / .seconds(1) - (built.seconds ?? 0))
    }
    if built.seconds != nil { self.longest = max(longest, .seconds(built.seconds ?? 0)) }
    for (index, isUsable) in finished.merging(
      [revision: built.failure == nil],
      uniquingKeysWith: { $1 }
    ) {
      tried.insert(workshop.key(of: index))
      if isUsable { done.insert(workshop.key(of: index)) }
    }
    return built
  }

  var buildsAhead: Int { jobs - 1 }

  func isLaunchable(_ built: BisectBuilt) -> Bool { workshop.isLaunchable(built) }

  /// What is built ahead: nothing when the asked revision is there already, and no tree twice.
  private func others(beside revision: Int, _ ahead: [Int]) -> [Int] {
    var keys = done.union([workshop.key(of: revision)])
    guard !done.contains(workshop.key(of: revision)) else { return [] }
    let others = ahead.filter { keys.insert(workshop.key(of: $0)).inserted }
    return Array(others.prefix(jobs - 1))
  }
}

/// What a task of a build has come to.
private enum Turn: Sendable {
  case ended(Int, isUsable: Bool)
  case timeIsUp
}

/// Builds single revisions.
private struct Workshop: Sendable {
  let source: Source
  let scenario: Scenario
  let revisions: [BisectRevision]
  var builds: SourceBuild
  let triesAgain: Bool
  let observe: @Sendable (Int, Bool) -> Void

  /// What equal builds have in common.
  func key(of index: Int) -> String { revisions[index].tree ?? revisions[index].id }

  func aheadTurn(_ index: Int, known: Set<String>) async throws -> Turn {
    // Whatever goes wrong is found again when the revision is asked for.
    let built = try? await build(index, isAhead: true, known: known)
    return .ended(index, isUsable: built.map { $0.failure == nil } ?? false)
  }

  func build(_ index: Int, isAhead: Bool, known: Set<String>) async throws -> BisectBuilt {
    let clock = ContinuousClock()
    let begin = clock.now
    do {
      let record = try await builds.build(
        revisions[index].id,
        triesAgain: triesAgain && !known.contains(key(of: index))
      ) { _ in observe(index, isAhead) }
      let seconds = (clock.now - begin) / .seconds(1)
      return built(index, record, seconds: record.wasCached ? nil : seconds)
    } catch HostError.buildFailed(let failure, _) {
      return BisectBuilt(
        revision: index,
        failure: failure.isRemembered
          ? "\(failure.reason), as before: `--retry-failed` builds it again" : failure.reason,
        seconds: failure.isRemembered ? nil : (clock.now - begin) / .seconds(1),
        log: failure.log
      )
    }
  }

  private func built(_ index: Int, _ record: BuildRecord, seconds: Double?) -> BisectBuilt {
    var built = BisectBuilt(revision: index, seconds: seconds, log: builds.log(of: record))
    built.missingSubmodules = record.missingSubmodules
    guard
      let target = scenario.rebased(from: source.repository, to: record.directory).targets.first
    else { return built }
    do {
      _ = try ExecutableLookup.program(of: target)
      let needed = target.files.filter(FilePattern.isPlain) + target.install
      if let gone = needed.first(where: { !FileManager.default.fileExists(atPath: $0) }) {
        built.failure = "the build command has succeeded, but there is no \(gone)"
        return built
      }
      built.target = target
      built.digest = BuildDigest.digest(ofTree: record.directory, launching: target)
    } catch {
      let problem = error.diagnostics.first?.problem ?? target.command[0]
      built.failure = "the build command has succeeded, but \(problem)"
    }
    return built
  }

  func isLaunchable(_ built: BisectBuilt) -> Bool {
    guard built.failure == nil, let target = built.target, let log = built.log else { return false }
    return builds.isKept(log: log) && (try? ExecutableLookup.program(of: target)) != nil
  }
}

/// Whoever makes revisions launchable: builds of a source, or ready-made executables.
protocol BisectBuilder {
  /// How many revisions it would build ahead of need; 0 for none.
  var buildsAhead: Int { get }

  /// Builds a revision, or finds it.
  ///
  /// - Parameters:
  ///   - revision: The index of the revision.
  ///   - ahead: Revisions that may be needed next, the likeliest first; they may be built in the
  ///     meantime where there are cores for it.
  ///   - seconds: How long it may take; nil where only the limit of a single build counts.
  /// - Returns: The build, also one that failed, which is a result.
  /// - Throws: a ``LabError`` when nothing can be built at all, or it was interrupted.
  mutating func build(
    _ revision: Int,
    ahead: [Int],
    within seconds: Double?
  ) async throws -> BisectBuilt

  /// Whether what was built before is still there to be launched.
  func isLaunchable(_ built: BisectBuilt) -> Bool
}

/// Whoever launches builds side by side.
protocol BisectLauncher {
  /// Takes the machine for launches, where it was given back; waits while somebody else has it.
  ///
  /// - Parameters:
  ///   - seconds: How long it may wait; nil for a day.
  ///   - tell: Told what goes on meanwhile.
  /// - Throws: a ``LabError`` when it was not to be had, or it was interrupted.
  mutating func open(within seconds: Double?, _ tell: (LabPatience.Event) -> Void) async throws

  /// Launches every arm once in each row, after discarded launches that warm it up.
  ///
  /// Odd rows run in reverse order. Between `take` and the next launch nothing else is done.
  ///
  /// - Parameters:
  ///   - arms: The builds by the index of their revision, in the order of the action.
  ///   - rows: The numbers of the rows still to be launched.
  ///   - isNew: Whether an arm was never launched before, so that it is warmed up twice.
  ///   - take: Told of each row that is complete.
  /// - Returns: The arm that cannot be launched, with the reason, if one cannot.
  /// - Throws: a ``LabError`` when the machine fails, or it was interrupted.
  mutating func launch(
    _ arms: [(revision: Int, target: Target)],
    rows: Range<Int>,
    isNew: (Int) -> Bool,
    take: (BisectRow) throws -> Void
  ) async throws -> (revision: Int, reason: String)?

  /// Gives the machine back, with what is kept for launches, such as processors that nothing else may
  /// use.
  ///
  /// It is called before anything is built, and at the end; it can be opened again afterwards.
  mutating func close()
}

extension BisectLauncher {
  mutating func open(within seconds: Double?, _ tell: (LabPatience.Event) -> Void) async throws {}

  mutating func close() {}
}
