import LaunchCore
import Rendering

/// A bisection in the words of `git bisect log`, for `git bisect replay` and other tools.
package struct GitBisectLog {
  private let summary: BisectSummary
  private let words: BisectWords
  private var revisions: [BisectRevision] { summary.start.revisions }

  /// How sure it must be on which side of the change a commit is, so that git is told.
  private static let certainty = 0.95

  package init(_ summary: BisectSummary) {
    self.summary = summary
    words = BisectWords(summary.start)
  }

  /// The log, with a line feed after every line.
  ///
  /// Commits that are on either side with less than 95 % are in it as comments only. Of artifacts
  /// there is nothing that git knows, and of a change that only good has nothing that git bisect looks
  /// for: then everything is a comment.
  package func rendered() -> String {
    let lines = beginning + decisions + ending
    let isCommented =
      summary.start.artifacts != nil || (summary.answer.culprits.first?.side ?? .bad) != .bad
    return lines.map { isCommented && !$0.hasPrefix("#") ? "# \($0)" : $0 }.joinedLines()
  }

  private var beginning: [String] {
    let last = revisions.count - 1
    let option = isFirstParent ? "'--first-parent' " : ""
    return [
      "# launchlab bisect: \(words.measure) of \(words.arm)".printable,
      comment("bad", last), comment("good", 0),
      "git bisect start \(option)'\(revisions[last].id)' '\(revisions[0].id)'",
    ]
  }

  /// Whether every commit on the way to bad is the first parent of the next one, and some have others.
  private var isFirstParent: Bool {
    let line = revisions.indices.dropFirst().filter { !summary.start.isBack($0) }
    return line.allSatisfy { revisions[$0 - 1].id == revisions[$0].parents.first }
      && line.contains { revisions[$0].parents.count > 1 }
  }

  /// What git is told of the commits between the ends: the bad ones last and downwards, since each
  /// bad one takes the place of the one before it.
  private var decisions: [String] {
    let inner = 1..<(revisions.count - 1)
    let skips = summary.skipped.filter(inner.contains)
      .map { (revision: $0, term: Optional("skip")) }
    let told = summary.answer.levels.filter { inner.contains($0.revision) }
      .map { (revision: $0.revision, term: term(of: $0)) }
    let all = (skips + told).sorted { $0.revision < $1.revision }
    return (all.filter { $0.term != "bad" } + all.filter { $0.term == "bad" }.reversed())
      .flatMap { decision($0.term, $0.revision) }
  }

  /// On which side a build is; nil where that is not sure enough.
  private func term(of level: BisectLevel) -> String? {
    // Git knows of one change, so that the first culprit decides where there are several.
    if let culprit = summary.answer.culprits.first {
      if level.revision < culprit.revisions.lowerBound { return "good" }
      if level.revision == culprit.newest, culprit.isOnlyInGood { return "good" }
      if level.revision >= culprit.revisions.upperBound { return "bad" }
    }
    guard let probability = level.probabilityBad else { return nil }
    if probability >= Self.certainty { return "bad" }
    return probability <= 1 - Self.certainty ? "good" : nil
  }

  private func decision(_ term: String?, _ revision: Int) -> [String] {
    guard let term else { return [comment("not sure", revision)] }
    return [comment(term, revision), "git bisect \(term) \(revisions[revision].id)"]
  }

  private var ending: [String] {
    guard let first = summary.answer.culprits.first else { return [] }
    let culprit = first.revisions
    guard culprit.count > 1 else {
      let word = first.isOnlyInGood ? "last good commit" : "first bad commit"
      return [comment(word, culprit.lowerBound)]
    }
    return ["# only skipped commits left to test"]
      + culprit.reversed().map { comment("possible first bad commit", $0) }
  }

  private func comment(_ word: String, _ revision: Int) -> String {
    let subject = revisions[revision].subject.truncated(to: 200)
    return "# \(word): [\(revisions[revision].id)] \(subject)".printable
  }
}
