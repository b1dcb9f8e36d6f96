import Foundation
import LabHost
import LabModel
import LabScenarios

/// Ready-made executables, one per version, in the order of the numbers in their names.
struct ArtifactShelf: BisectBuilder {
  /// From good to bad, at least two; ids and subjects are the names of the entries.
  let revisions: [BisectRevision]

  private let directory: String
  private let target: Target

  /// Looks at the entries of a directory, but for hidden ones.
  ///
  /// An entry is an executable, or a directory that holds one of the name that the target's has, at
  /// its top or in `bin`.
  ///
  /// - Parameters:
  ///   - directory: Its absolute path.
  ///   - scenario: With the only target that is measured.
  ///   - good: The name of the first entry of the range; nil for the first of all.
  ///   - bad: The name of the last entry of the range; nil for the last of all.
  /// - Throws: ``BisectRangeError``.
  init(
    directory: String,
    scenario: Scenario,
    good: String? = nil,
    bad: String? = nil
  ) throws {
    guard let target = scenario.targets.first,
      let entries = try? FileManager.default.contentsOfDirectory(atPath: directory)
    else { throw BisectRangeError.noArtifacts(directory: directory) }
    let names = entries.filter { !$0.hasPrefix(".") }.sorted(by: VersionOrder.isBefore)
    guard names.count >= 2 else {
      throw BisectRangeError.tooFewArtifacts(directory: directory, count: names.count)
    }
    func index(of name: String?, or place: Int) throws -> Int {
      guard let name else { return place }
      if let index = names.firstIndex(of: name) { return index }
      throw BisectRangeError.unknownArtifact(
        name,
        directory: directory,
        nearest: nearestWord(to: name, in: names)
      )
    }
    let first = try index(of: good, or: 0)
    let last = try index(of: bad, or: names.count - 1)
    guard first < last else {
      throw BisectRangeError.swappedArtifacts(good: names[first], bad: names[last])
    }
    self.directory = directory
    self.target = target
    revisions = names[first...last].map { BisectRevision(id: $0, subject: $0) }
    for revision in revisions where program(of: revision) == nil {
      throw BisectRangeError.notExecutable(path: "\(directory)/\(revision.id)")
    }
  }

  /// Goes on with the versions of a log, whatever the directory holds by now.
  init(directory: String, target: Target, revisions: [BisectRevision]) {
    self.directory = directory
    self.target = target
    self.revisions = revisions
  }

  func build(
    _ revision: Int,
    ahead: [Int] = [],
    within seconds: Double? = nil
  ) async throws -> BisectBuilt {
    guard let program = program(of: revisions[revision]) else {
      return BisectBuilt(revision: revision, failure: "the executable is gone")
    }
    var target = target
    target.command[0] = program
    // What else a directory holds may differ, and be read by the launch.
    let isAlone = program == "\(directory)/\(revisions[revision].id)"
    return BisectBuilt(
      revision: revision,
      digest: isAlone ? BuildDigest.digest(ofExecutable: program) : nil,
      target: target
    )
  }

  var buildsAhead: Int { 0 }

  func isLaunchable(_ built: BisectBuilt) -> Bool {
    guard let program = built.target?.command.first, Self.isExecutable(program) else {
      return false
    }
    // A file that took the place of another one is not what was measured.
    return built.digest == nil || BuildDigest.digest(ofExecutable: program) == built.digest
  }

  /// The absolute path of what is launched.
  private func program(of revision: BisectRevision) -> String? {
    let entry = "\(directory)/\(revision.id)"
    let name = (target.command[0] as NSString).lastPathComponent
    return [entry, "\(entry)/\(name)", "\(entry)/bin/\(name)"].first(where: Self.isExecutable)
  }

  private static func isExecutable(_ path: String) -> Bool {
    (try? ExecutableLookup.resolve(command: path, path: nil, directory: "/")) != nil
  }
}
