package import LabModel

/// What is known of a culprit beside its launches: what it changes, and where its builds are.
package struct CulpritDetails: Hashable, Sendable {
  /// The files that differ from the parent, those with the most changed lines first, at most
  /// ``mostFiles``; nil where that is not known, as of artifacts.
  package var files: [ChangedFile]?

  /// How many files differ.
  package var fileCount: Int

  /// What a merge has brought in; nil for other commits.
  package var merge: MergeContents?

  /// What was launched for the parent and for the culprit; nil where it is not known.
  package var builds: LaunchedPair?

  /// What differs between their stages; empty when it was not looked at, or nothing does.
  package var stageChanges: [StageDifference]

  package static let mostFiles = 8

  package init(
    files: [ChangedFile]? = nil,
    fileCount: Int = 0,
    merge: MergeContents? = nil,
    builds: LaunchedPair? = nil,
    stageChanges: [StageDifference] = []
  ) {
    self.files = files
    self.fileCount = fileCount
    self.merge = merge
    self.builds = builds
    self.stageChanges = stageChanges
  }
}

/// A file that a commit changes.
package struct ChangedFile: Hashable, Sendable {
  /// The path below the top of the repository, after the change.
  package var path: String

  /// How many lines were added and removed; nil for a binary file.
  package var added: Int?
  package var removed: Int?

  package init(path: String, added: Int?, removed: Int?) {
    self.path = path
    self.added = added
    self.removed = removed
  }
}

/// The commits that a merge has brought in.
package struct MergeContents: Hashable, Sendable {
  /// The newest first, at most ``mostCommits``.
  package var commits: [BisectRevision]

  /// How many there are.
  package var count: Int

  package static let mostCommits = 10

  package init(commits: [BisectRevision], count: Int) {
    self.commits = commits
    self.count = count
  }
}

/// Two builds as they were launched.
package struct LaunchedPair: Hashable, Sendable {
  package var parent: Target
  package var culprit: Target

  package init(parent: Target, culprit: Target) {
    self.parent = parent
    self.culprit = culprit
  }
}

/// What builds and launches of a bisection were made with.
package struct BisectConditions: Hashable, Sendable {
  /// The compilers that are found, such as `cc, gcc: gcc (Debian 12.2.0-14) 12.2.0`.
  package var compilers: [String]

  /// The variables that a build depends on, without values that look like secrets.
  package var variables: [String: String]

  /// The load average of a minute before the first and after the last launch of this session.
  package var loadBefore: Double?
  package var loadAfter: Double?

  package var processors: Int?

  package init(
    compilers: [String] = [],
    variables: [String: String] = [:],
    loadBefore: Double? = nil,
    loadAfter: Double? = nil,
    processors: Int? = nil
  ) {
    self.compilers = compilers
    self.variables = variables
    self.loadBefore = loadBefore
    self.loadAfter = loadAfter
    self.processors = processors
  }
}
