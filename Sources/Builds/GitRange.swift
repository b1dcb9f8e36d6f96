package import Foundation
package import LaunchCore
import LaunchHost
import SystemPackage

/// The commits between a good and a bad one.
package struct GitRange: Hashable, Sendable {
  /// From good, at 0, to bad, the last one; at least two.
  ///
  /// Neighbours are a commit and one of its parents, in either order, or hold the same files.
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
  /// When good is not an ancestor of bad, the range leads from good back to their merge base, and from
  /// there to bad, so that neighbours differ by one commit everywhere, and nothing is taken to be good
  /// that was not named. Where both sides have had the same files, it crosses over there.
  ///
  /// Cost: git walks the history once, and twice more with paths.
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
    let own = try await line(from: base, to: known)
    let line = try await line(from: base, to: last)
    let commits = Self.joined(own.reversed() + [base], line)
    let notes = Self.notes(base: base, own: own.count, line, good: good, bad: bad)
    guard !paths.isEmpty else { return GitRange(commits: commits, notes: notes) }
    let changes = (own + line).filter { commit in commits.contains { $0.id == commit.id } }
    let ends = ["^" + base.id, known.id, last.id, "--"] + paths
    // A merge is held against its first parent, and others for themselves.
    let kept = Set(
      try await
        (listing(["rev-list", "--first-parent"] + ends)
        + listing(["rev-list", "--full-history"] + ends)).split(separator: "\n").map(String.init)
    )
    let beside = changes.map(\.id).filter { !kept.contains($0) }
    return GitRange(
      commits: commits,
      beside: Set(beside),
      notes: notes + [Self.note(kept: changes.count - beside.count, of: changes.count)]
    )
  }

  /// The commits from one, excluded, to a descendant of it: the first parents, and where one came in
  /// by a merge, the parent that has it.
  private func line(from base: GitCommit, to tip: GitCommit) async throws -> [GitCommit] {
    guard base.id != tip.id else { return [] }
    let ends = [GitCommit.format, "^" + base.id, tip.id, "--"]
    let firsts = try await listing(
      ["rev-list", "--reverse", "--topo-order", "--first-parent"] + ends
    )
    let commits = GitCommit.list(firsts)
    try await checkHistory(of: commits)
    if commits.first?.parents.first == base.id { return commits }
    let between = GitCommit.list(try await listing(["rev-list", "--ancestry-path"] + ends))
    let known = Dictionary(between.map { ($0.id, $0) }) { first, _ in first }
    var line = [tip]
    while let parent = line[line.count - 1].parents.first(where: {
      $0 == base.id || known[$0] != nil
    }), let next = known[parent] { line.append(next) }
    return line.reversed()
  }

  /// The way back from good to the merge base and the line from there to bad, without what lies between
  /// two commits that hold the same files.
  private static func joined(_ back: [GitCommit], _ line: [GitCommit]) -> [GitCommit] {
    guard back.count > 1 else { return back + line }
    for (index, commit) in back.enumerated() {
      if let same = line.lastIndex(where: { $0.tree == commit.tree }) {
        return Array(back[...index] + line[same...])
      }
    }
    return back + line
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
    base: GitCommit,
    own: Int,
    _ line: [GitCommit],
    good: String,
    bad: String
  ) -> [Diagnostic] {
    if own > 0 {
      return [
        Diagnostic(
          .note,
          id: "range-through-merge-base",
          problem:
            "good \"\(good)\" is not an ancestor of bad \"\(bad)\"; the range leads from good "
            + "back to their merge base \(base.id.prefix(12)) and from there to bad, so that a "
            + "commit that only good has may be the change"
        )
      ]
    }
    let merge = zip([base] + line, line).first { $0.id != $1.parents.first }?.1
    guard let merge else { return [] }
    return [
      Diagnostic(
        .note,
        id: "range-beside-line",
        problem: "good \"\(good)\" came into \"\(bad)\" by the merge \(merge.id.prefix(12)), which "
          + "stands for all that it adds to good"
      )
    ]
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
