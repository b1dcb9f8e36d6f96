import Builds
import LaunchCore
import LaunchHost

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
      let prebuilt = try PrebuiltArtifacts(
        directory: artifacts,
        scenario: scenario,
        good: ends?.good,
        bad: ends?.bad
      )
      return try await marked(Result(revisions: prebuilt.revisions)) { $0 }
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
    let before = [nil] + range.commits.map(Optional.some)
    return zip(range.commits, before).map { commit, before in
      let isBack = before?.parents.contains(commit.id) ?? false
      let isBeside = range.beside.contains((isBack ? before : nil)?.id ?? commit.id)
      return BisectRevision(
        id: commit.id,
        tree: commit.tree,
        subject: commit.subject,
        author: commit.author,
        authoredAt: commit.authoredAt,
        parents: commit.parents,
        weight: commit.tree == before?.tree ? 0 : isBeside ? besideWeight : 1
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

/// Both ends of a range as they are written, such as `v1.0..HEAD`.
struct RangeText: Hashable {
  /// The name before the dots; nil where nothing stands there.
  let good: String?

  /// The name behind the dots; nil where nothing stands there.
  let bad: String?

  /// - Throws: ``BisectRangeError/notARange(_:remedy:)``.
  init(_ text: String) throws(BisectRangeError) {
    guard let dots = text.firstRange(of: "..") else {
      throw .notARange(text, remedy: "write `\(text.isEmpty ? "v1.0" : text)..HEAD`")
    }
    let (left, right) = (text[..<dots.lowerBound], text[dots.upperBound...])
    guard !right.hasPrefix(".") else {
      let other = right.drop { $0 == "." }
      throw .notARange(text, remedy: "write `\(left)..\(other)`, with two dots")
    }
    good = left.isEmpty ? nil : String(left)
    bad = right.isEmpty ? nil : String(right)
  }
}

/// Why there is nothing to bisect.
enum BisectRangeError: LabError, Hashable {
  /// A text is no range; the remedy is one that is.
  case notARange(String, remedy: String)

  /// The scenario does not say what is built.
  case noSource

  /// An end of the range may not be left out.
  case endSkipped(String)

  /// The directory of ready-made executables cannot be listed.
  case noArtifacts(directory: String)

  case tooFewArtifacts(directory: String, count: Int)

  /// An entry of the directory is, or holds, nothing that can be launched.
  case notExecutable(path: String)

  case unknownArtifact(String, directory: String, nearest: String?)

  case swappedArtifacts(good: String, bad: String)

  var diagnostics: [Diagnostic] { [diagnostic] }

  var exitCode: LabExitCode { .usage }

  private var diagnostic: Diagnostic {
    switch self {
    case .notARange(let text, let remedy):
      Self.error("\"\(text)\" is not a range of revisions", remedy: remedy)
    case .noSource:
      Self.error(
        "the scenario names no source that could be built",
        remedy: "add the section `source`, or use prebuilt executables with `--artifacts`"
      )
    case .endSkipped(let name):
      Self.error(
        "\"\(name)\" is an end of the range and cannot be skipped",
        remedy: "begin or end the range with another revision"
      )
    case .noArtifacts(let directory):
      Self.error(
        "the directory of executables cannot be read",
        place: directory,
        remedy: "give `--artifacts` a directory with one entry per version"
      )
    case .tooFewArtifacts(let directory, let count):
      Self.error(
        "at least two executables are needed, found \(count)",
        place: directory,
        remedy: "put one entry per version into the directory"
      )
    case .notExecutable(let path):
      Self.error(
        "an entry of the directory of executables cannot be executed",
        place: path,
        remedy: "allow it with `chmod +x \(path)`, or take it away"
      )
    case .unknownArtifact(let name, let directory, let nearest):
      Self.error(
        "there is no executable \"\(name)\"",
        place: directory,
        remedy: nearest.map { "write `\($0)`" } ?? "list the names with `ls -v \(directory)`"
      )
    case .swappedArtifacts(let good, let bad):
      Self.error(
        "good \"\(good)\" does not come before bad \"\(bad)\"; swapped?",
        remedy: good == bad ? "name two versions" : "write `\(bad)..\(good)`"
      )
    }
  }

  private static func error(
    _ problem: String,
    place: String? = nil,
    remedy: String
  ) -> Diagnostic {
    Diagnostic(.error, id: "bisect-range", problem: problem, place: place, remedy: remedy)
  }
}
