import LabHost
import LabModel

/// Finds the revisions of a bisection, and what is known of them beforehand.
struct RangeResolver {
  /// With the only target that is measured.
  var scenario: Scenario

  /// The range as the user wrote it, such as `v1.0..HEAD`.
  ///
  /// A side that is missing is `HEAD`, or with ready-made executables the first or last one. Nil only
  /// with these, for all of them.
  var text: String?

  /// Commits that touch none of these are unlikely to be the change; relative to the directory of the
  /// source.
  var paths: [String] = []

  /// Revisions that are known not to build.
  var skips: [String] = []

  /// The directory of ready-made executables, where nothing is built.
  var artifacts: String?

  /// What is searched.
  struct Result {
    /// From good to bad, at least two.
    var revisions: [BisectRevision]

    /// The indices of revisions that are not built, ends excluded.
    var skipped: Set<Int> = []

    /// Each of severity note or warning.
    var notes: [Diagnostic] = []
  }

  /// Lists the revisions.
  ///
  /// - Throws: ``BisectRangeError``, or ``HostError``.
  func result() async throws -> Result {
    if let artifacts {
      let ends = try text.map { text throws(BisectRangeError) in try RangeText(text) }
      let shelf = try ArtifactShelf(
        directory: artifacts,
        scenario: scenario,
        good: ends?.good,
        bad: ends?.bad
      )
      return try await marked(Result(revisions: shelf.revisions)) { $0 }
    }
    guard let source = scenario.source else { throw BisectRangeError.noSource }
    let ends = try RangeText(text ?? "")
    let (good, bad) = (ends.good ?? "HEAD", ends.bad ?? "HEAD")
    let repository = try await GitRepository(containing: source.repository)
    let range = try await repository.range(
      good: good,
      bad: bad,
      paths: paths
    )
    guard range.commits.first?.tree != range.commits.last?.tree else {
      throw HostError.rangeRefused(.sameTree(good: good, bad: bad))
    }
    let result = Result(revisions: Self.revisions(of: range), notes: range.notes)
    return try await marked(result) { try await repository.commit($0).id }
  }

  /// How likely a commit that touches none of the given paths is the change, beside one that does.
  private static let besideWeight = 0.02

  /// A commit that leaves all files as they were cannot be the change.
  private static func revisions(of range: GitRange) -> [BisectRevision] {
    let before = [nil] + range.commits.map(\.tree)
    return zip(range.commits, before).map { commit, tree in
      BisectRevision(
        id: commit.id,
        tree: commit.tree,
        subject: commit.subject,
        author: commit.author,
        authoredAt: commit.authoredAt,
        parents: commit.parents,
        weight: commit.tree == tree ? 0 : range.beside.contains(commit.id) ? besideWeight : 1
      )
    }
  }

  private func marked(
    _ result: Result,
    id: (String) async throws -> String
  ) async throws -> Result {
    var result = result
    for skip in skips {
      let name = try await id(skip)
      guard let index = result.revisions.firstIndex(where: { $0.id == name }) else {
        result.notes.append(
          Diagnostic(
            .warning,
            id: "skip-outside-range",
            problem: "\"\(skip)\" is not in the range, so that there is nothing to skip"
          )
        )
        continue
      }
      guard index > 0, index < result.revisions.count - 1 else {
        throw BisectRangeError.endSkipped(skip)
      }
      result.skipped.insert(index)
    }
    return result
  }
}
