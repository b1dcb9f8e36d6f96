/// Which of the files that a launch opens are the target's own.
package enum OwnRule: String, Codable, CaseIterable, Sendable {
  /// Those of the packages that its programs are from, and those of no package outside the system.
  case package

  /// Those below the directories that its programs are installed in.
  case prefix

  /// Every one.
  case all

  /// The executable, its libraries outside the system's directories, and what `files:` lists.
  case listed
}

/// One file that a launch opens, maps or executes.
package struct LaunchFile: Hashable, Sendable {
  /// Absolute, with symbolic links resolved.
  package var path: String

  package var bytes: Int64

  /// Whether it is the target's own, and so is evicted before a cold launch.
  package var isOwn: Bool

  /// Whether a process of the launch executed it.
  package var isProgram: Bool

  /// The package that it was installed with; nil for none.
  package var package: String?

  /// Why it is its own or not, as a short phrase.
  package var reason: String

  package init(
    path: String,
    bytes: Int64,
    isOwn: Bool,
    isProgram: Bool = false,
    package: String? = nil,
    reason: String
  ) {
    self.path = path
    self.bytes = bytes
    self.isOwn = isOwn
    self.isProgram = isProgram
    self.package = package
    self.reason = reason
  }
}

/// The files that the launches of a target open.
package struct FileSet: Sendable {
  package var target: Target

  package var files: [LaunchFile]

  /// What a reader must know of them.
  package var notes: [Diagnostic]

  package init(target: Target, files: [LaunchFile], notes: [Diagnostic] = []) {
    self.target = target
    self.files = files
    self.notes = notes
  }

  /// The rule that sorted the files.
  package var rule: OwnRule { target.own ?? .package }

  /// How many own or shared files there are, and their size.
  package func total(own isOwn: Bool) -> (files: Int, bytes: Int64) {
    let some = files.filter { $0.isOwn == isOwn }
    return (some.count, some.reduce(0) { $0 + $1.bytes })
  }
}
