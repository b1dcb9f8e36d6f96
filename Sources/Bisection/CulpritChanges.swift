import Builds
import Comparison
import LaunchCore
import LaunchHost
import Measuring
import Stages

/// Looks in the repository what the culprits of a bisection change.
package enum CulpritChanges {
  /// Adds the files of each culprit, and what a merge has brought in.
  ///
  /// An answer is not lost when git cannot tell, such as where the repository is gone: then both
  /// stay unknown.
  package static func add(to summary: inout BisectSummary) async {
    guard summary.start.artifacts == nil, let source = summary.start.scenario.source,
      let repository = try? await GitRepository(containing: source.repository)
    else { return }
    for (index, culprit) in summary.answer.culprits.enumerated()
    where summary.details.indices.contains(index) {
      let parent = summary.start.revisions[culprit.parent]
      let last = summary.start.revisions[culprit.newest]
      if let changes = try? await repository.changes(from: parent.id, to: last.id) {
        summary.details[index].fileCount = changes.count
        summary.details[index].files = largest(changes)
      }
      guard culprit.revisions.count == 1, last.parents.count > 1 else { continue }
      summary.details[index].merge = try? await contents(of: last, beside: parent, in: repository)
    }
  }

  /// The files with the most changed lines; binary files come first, of which no lines are known.
  private static func largest(_ changes: [GitFileChange]) -> [ChangedFile] {
    func size(_ change: GitFileChange) -> Int {
      guard let added = change.added, let removed = change.removed else { return .max }
      return added + removed
    }
    let order = changes.sorted { (size($1), $0.path) < (size($0), $1.path) }
    return order.prefix(CulpritDetails.mostFiles).map {
      ChangedFile(path: $0.path, added: $0.added, removed: $0.removed)
    }
  }

  private static func contents(
    of merge: BisectRevision,
    beside parent: BisectRevision,
    in repository: GitRepository
  ) async throws -> MergeContents {
    let found = try await repository.commits(
      broughtInBy: merge.id,
      to: parent.id,
      most: MergeContents.mostCommits
    )
    return MergeContents(
      commits: found.newest.map { commit in
        BisectRevision(
          id: commit.id,
          subject: commit.subject,
          author: commit.author,
          authoredAt: commit.authoredAt,
          parents: commit.parents
        )
      },
      count: found.count
    )
  }
}

/// Tells what changed in the stages of a launch between culprits and their parents.
struct CulpritStages {
  let start: BisectStart

  /// The builds of each culprit and its parent, at least one pair.
  let pairs: [LaunchedPair]

  /// How long a launch takes, in seconds.
  let launchSeconds: Double

  let context: WorkflowContext

  /// How often each build is launched: more often where that takes seconds only.
  var launches: Int {
    min(40, max(7, Int(5 / max(launchSeconds, 1e-3)) / max(1, pairs.count)))
  }

  /// Launches all of them under the probe, in the same blocks.
  ///
  /// - Parameters:
  ///   - session: The lab; it ends with these launches.
  ///   - interrupt: Ends them when it is set.
  /// - Returns: For each pair what differs beyond the noise, the largest first; nil when too few
  ///   launches were seen to tell.
  /// - Throws: a ``LabError`` when the launches cannot be made.
  func differences(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> [[StageDifference]?] {
    var scenario = start.scenario.comparing(pairs.flatMap { [$0.parent, $0.culprit] })
    for index in scenario.targets.indices { scenario.targets[index].name = "build-\(index)" }
    scenario.stages = StagePlan(launches: launches)
    scenario.launches = launches
    let result = try await StagesWorkflow(scenario: scenario, in: context.telling { _ in })
      .run(in: session, interrupt: interrupt)
    func stages(of index: Int) -> [LaunchStages] {
      result.launches.filter { $0.arm.target == "build-\(index)" }.map(\.stages)
    }
    return pairs.indices.map { pair in
      let (before, after) = (stages(of: 2 * pair), stages(of: 2 * pair + 1))
      guard min(before.count, after.count) >= StageDifference.fewestLaunches else { return nil }
      return StageDifference.differences(from: before, to: after)
    }
  }
}
