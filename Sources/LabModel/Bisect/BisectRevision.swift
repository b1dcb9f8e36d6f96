package import Foundation

/// One version in the range of a bisection: a commit, or a ready-made executable.
package struct BisectRevision: Hashable, Codable, Sendable {
  /// The full commit id, or the name of the artifact.
  package var id: String

  /// The id of what is built, so that equal ones are built once; nil where that is not known.
  package var tree: String?

  /// The first line of the commit message; the name of the artifact where there is no commit.
  package var subject: String

  package var author: String?
  package var authoredAt: Date?

  /// The ids of the parents, the first one first; empty for artifacts and a root commit.
  package var parents: [String]

  /// How likely a change is here beside others; 1 where nothing is known, and 0 where the revision
  /// holds the same files as the one before it.
  package var weight: Double

  package init(
    id: String,
    tree: String? = nil,
    subject: String,
    author: String? = nil,
    authoredAt: Date? = nil,
    parents: [String] = [],
    weight: Double = 1
  ) {
    self.id = id
    self.tree = tree
    self.subject = subject
    self.author = author
    self.authoredAt = authoredAt
    self.parents = parents
    self.weight = weight
  }
}
