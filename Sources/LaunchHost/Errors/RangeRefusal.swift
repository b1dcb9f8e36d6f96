import Foundation
import LaunchCore
import SystemPackage

/// Why the commits between a good and a bad one cannot be listed.
package enum RangeRefusal: Hashable, Sendable {
  case sameCommit(good: String, bad: String, id: String)

  /// The bad one is an ancestor of the good one.
  case swapped(good: String, bad: String)

  case unrelated(good: String, bad: String)

  /// Two names stand for commits that hold the same files.
  case sameTree(good: String, bad: String)

  /// The history is cut off inside the range, or before a commit that is named.
  case shallow(repository: String)

  /// Git cannot read a commit of the range.
  case unreadable(message: String)

  var exitCode: LabExitCode {
    switch self {
    case .sameCommit, .swapped, .unrelated, .sameTree: .usage
    case .shallow, .unreadable: .couldNotMeasure
    }
  }

  var diagnostic: Diagnostic {
    switch self {
    case .sameCommit(let good, let bad, let id):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" are the same commit \(id.prefix(12))",
        remedy: "name a commit that was good and a later one that is bad, such as `v1.0..HEAD`"
      )
    case .swapped(let good, let bad):
      Self.diagnostic(
        "bad \"\(bad)\" is an ancestor of good \"\(good)\"; swapped?",
        remedy: "write `\(bad)..\(good)`; the later commit is the second one, also in a search "
          + "for an improvement"
      )
    case .unrelated(let good, let bad):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" have no commit in common",
        remedy: "name a good commit that bad descends from, found with `git log \(bad)`"
      )
    case .sameTree(let good, let bad):
      Self.diagnostic(
        "good \"\(good)\" and bad \"\(bad)\" hold the same files, so that nothing can differ",
        remedy: "look at what lies between them with `git log --stat \(good)..\(bad)`"
      )
    case .shallow(let repository):
      Self.diagnostic(
        "this clone is shallow, and its history ends before the commits that are asked for",
        place: repository,
        remedy: "get the rest of it with `git fetch --unshallow`"
      )
    case .unreadable(let message):
      Self.diagnostic(
        "git cannot list the commits: \(message.trimmedLine)",
        remedy: "look for missing commits with `git fsck`, and get them with `git fetch`"
      )
    }
  }

  private static func diagnostic(
    _ problem: String,
    place: String? = nil,
    remedy: String
  ) -> Diagnostic {
    Diagnostic(.error, id: "range-refused", problem: problem, place: place, remedy: remedy)
  }
}
