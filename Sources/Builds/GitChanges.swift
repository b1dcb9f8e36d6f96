import SystemPackage

/// A file that differs between two commits.
package struct GitFileChange: Hashable, Sendable {
  /// The path below the top of the repository, after the change.
  package let path: String

  /// How many lines were added and removed; nil for a binary file.
  package let added: Int?
  package let removed: Int?
}

extension GitRepository {
  /// Lists the files that differ between two commits, in the order of git; a renamed file is one.
  ///
  /// - Throws: ``HostError/git(operation:message:)``.
  package func changes(from parent: String, to commit: String) async throws -> [GitFileChange] {
    let output = try await command.output(
      ["diff-tree", "-r", "-M", "--numstat", "-z", parent, commit, "--"],
      to: "list the files of \(commit)",
      limit: 1 << 28
    )
    var fields = output.split(separator: "\0", omittingEmptySubsequences: false)[...]
    var changes: [GitFileChange] = []
    while let field = fields.popFirst(), !field.isEmpty {
      let parts = field.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { break }
      var path = parts[2]
      // Of a renamed file both names follow.
      if path.isEmpty {
        _ = fields.popFirst()
        path = fields.popFirst() ?? ""
      }
      changes.append(
        GitFileChange(path: String(path), added: Int(parts[0]), removed: Int(parts[1]))
      )
    }
    return changes
  }

  /// Lists the commits that a merge has brought in, beside the history of one of its parents.
  ///
  /// - Parameters:
  ///   - merge: The full id of the merge.
  ///   - parent: The full id of that parent.
  ///   - most: How many commits are listed at most.
  /// - Returns: The newest first, and how many there are.
  /// - Throws: ``HostError/git(operation:message:)``.
  package func commits(
    broughtInBy merge: String,
    to parent: String,
    most: Int
  ) async throws -> (newest: [GitCommit], count: Int) {
    let range = ["^" + parent, merge, "--"]
    let operation = "list what \(merge) has merged"
    let count = try await command.output(["rev-list", "--count"] + range, to: operation)
    let list = try await command.output(
      ["rev-list", "--topo-order", "--max-count=\(most + 1)", GitCommit.format] + range,
      to: operation
    )
    let commits = GitCommit.list(list).filter { $0.id != merge }
    let whole = Int(count.split(separator: "\n").first ?? "") ?? 1
    return (Array(commits.prefix(most)), max(0, whole - 1))
  }
}
