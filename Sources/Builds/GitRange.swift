package import Foundation
package import LaunchCore
import LaunchHost
import SystemPackage

/// The commits between a good and a bad one.
package struct GitRange: Hashable, Sendable {
  /// From good, at 0, to bad, the last one; at least two.
  package let commits: [GitCommit]

  /// The ids of those that touch none of the paths; empty where no paths were given.
  package var beside: Set<String> = []

  /// What a person should know of the choice, each of severity note or warning.
  package var notes: [Diagnostic]
}

extension GitRepository {
  /// Lists the commits between a good and a bad one.
  ///
  /// These are the states that the branch of `bad` has had: merges stand for all that they bring in,
  /// and each commit holds everything that the one before it holds. Commits of branches side by side
  /// hold nothing of each other's changes; in one row a difference would seem to come and to go.
  ///
  /// When good is not an ancestor of bad, the range begins at their merge base, with a note.
  ///
  /// Cost: git walks the history once, and once more with paths.
  ///
  /// - Parameters:
  ///   - good: Any name git knows.
  ///   - bad: Any name git knows.
  ///   - paths: Path patterns as after `git log --`, relative to the directory of the source. Commits
  ///     that touch none of them stay in the range, since they may be the change all the same.
  /// - Returns: The commits with both ends, and notes.
  /// - Throws: ``HostError/unknownRevision(_:repository:)`` or ``HostError/rangeRefused(_:)``.
  package func range(
    good: String,
    bad: String,
    paths: [String] = []
  ) async throws -> GitRange {
    let (known, last) = (try await commit(good), try await commit(bad))
    guard known.id != last.id else {
      throw HostError.rangeRefused(.sameCommit(good: good, bad: bad, id: last.id))
    }
    let base = try await mergeBase(of: known, last, good: good, bad: bad)
    guard base.id != last.id else {
      throw HostError.rangeRefused(.swapped(good: good, bad: bad))
    }
    let line = ["rev-list", "--reverse", "--topo-order", "--first-parent"]
    let ends = ["^" + base.id, last.id, "--"]
    let commits = GitCommit.list(try await listing(line + [GitCommit.format] + ends))
    try await checkHistory(of: commits)
    // Each revision is held against the one before, so that this must be its parent.
    let parent = commits.first?.parents.first ?? base.id
    let first = parent == base.id ? base : try await commit(parent)
    let notes = Self.notes(first: first, base: base, good: good, known: known, bad: bad)
    guard !paths.isEmpty else { return GitRange(commits: [first] + commits, notes: notes) }
    let touching = try await listing(line + ends + paths)
    let kept = Set(touching.split(separator: "\n").map(String.init))
    return GitRange(
      commits: [first] + commits,
      beside: Set(commits.map(\.id)).subtracting(kept),
      notes: notes + [Self.note(kept: kept.count, of: commits.count)]
    )
  }

  /// The newest commit that two revisions have in common, as `git merge-base` says it.
  ///
  /// - Throws: `HostError`, where they have none, or the repository is too shallow to say.
  package func mergeBase(of base: String, and head: String) async throws -> GitCommit {
    try await mergeBase(of: commit(base), commit(head), good: base, bad: head)
  }

  /// The newest common commit: one of the two, if it is an ancestor of the other.
  private func mergeBase(
    of known: GitCommit,
    _ last: GitCommit,
    good: String,
    bad: String
  ) async throws -> GitCommit {
    let output = try await command.run(["merge-base", known.id, last.id])
    let base = output.stdout.split(separator: "\n").first.map(String.init)
    if base == known.id { return known }
    if base == last.id { return last }
    if try await isShallow { throw HostError.rangeRefused(.shallow(repository: directory.string)) }
    guard output.stderr.isEmpty else {
      throw HostError.rangeRefused(.unreadable(message: output.stderr))
    }
    guard let base else { throw HostError.rangeRefused(.unrelated(good: good, bad: bad)) }
    return try await commit(base)
  }

  /// Refuses a line that ends where the history was cut off.
  private func checkHistory(of commits: [GitCommit]) async throws {
    if commits.contains(where: \.parents.isEmpty), try await isShallow {
      throw HostError.rangeRefused(.shallow(repository: directory.string))
    }
  }

  private func listing(_ arguments: [String]) async throws -> String {
    let output = try await command.run(arguments, limit: 1 << 30)
    guard output.isSuccess else {
      throw HostError.rangeRefused(.unreadable(message: output.stderr))
    }
    return output.stdout
  }

  private static func notes(
    first: GitCommit,
    base: GitCommit,
    good: String,
    known: GitCommit,
    bad: String
  ) -> [Diagnostic] {
    if first.id != base.id {
      return [
        Diagnostic(
          .note,
          id: "range-beside-line",
          problem: "good \"\(good)\" came into \"\(bad)\" by a merge; the range begins at "
            + "\(first.id.prefix(12)), on the line of bad, which is taken to be good"
        )
      ]
    }
    if first.id != known.id {
      return [
        Diagnostic(
          .note,
          id: "range-from-merge-base",
          problem: "good \"\(good)\" is not an ancestor of bad \"\(bad)\"; the range begins at "
            + "their merge base \(first.id.prefix(12)), which is taken to be good"
        )
      ]
    }
    return []
  }

  private static func note(kept: Int, of count: Int) -> Diagnostic {
    Diagnostic(
      kept == 0 ? .warning : .note,
      id: "range-paths",
      problem: kept == 0
        ? "none of \(count) commits touches the paths, so that they say nothing"
        : "\(kept) of \(count) commits touch the paths; the others are less likely to be the change",
      remedy: kept == 0 ? "write paths as after `git log --`" : nil
    )
  }
}

/// A commit, with what a person knows it by.
package struct GitCommit: Hashable, Sendable {
  /// The full id.
  package let id: String

  /// The id of its tree, which names everything that it holds.
  package let tree: String

  /// The ids of its parents, the first one first; empty for a root commit.
  package let parents: [String]

  package let authoredAt: Date
  package let author: String

  /// The first paragraph of the message on one line.
  package let subject: String

  /// Fields that end in NUL, since none of them can hold one; git-rev-list(1).
  static let format = "--format=%H%x00%T%x00%P%x00%at%x00%an%x00%s%x00"

  /// Reads what `git rev-list` prints with ``format``.
  ///
  /// Before each commit stands a line of git's own, which is passed over.
  static func list(_ output: String) -> [Self] {
    let fields = output.utf8.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    return stride(from: 0, to: fields.count - 6 + 1, by: 6).map { first in
      let id = fields[first].split(separator: "\n").last.map(String.init) ?? ""
      return Self(
        id: id,
        tree: fields[first + 1],
        parents: fields[first + 2].split(separator: " ").map(String.init),
        authoredAt: Date(timeIntervalSince1970: Double(fields[first + 3]) ?? 0),
        author: fields[first + 4],
        subject: fields[first + 5]
      )
    }
  }
}
