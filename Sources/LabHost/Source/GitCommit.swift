package import Foundation

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
