import Builds
import Foundation
import LaunchCore
import LaunchHost

/// Ready-made executables, one per version, in the order of the numbers in their names.
struct PrebuiltArtifacts: BisectBuilder {
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
    guard let program = built.target?.command.first, PrebuiltProgram.isExecutable(program) else {
      return false
    }
    // A file that took the place of another one is not what was measured.
    return built.digest == nil || BuildDigest.digest(ofExecutable: program) == built.digest
  }

  /// The absolute path of what is launched.
  private func program(of revision: BisectRevision) -> String? {
    PrebuiltProgram.path(in: "\(directory)/\(revision.id)", of: target)
  }
}

/// The order of names with numbers in them, in which `v9` comes before `v10`.
enum VersionOrder {
  /// Whether a name comes first: numbers go by their value and the rest by its bytes, as in `sort -V`.
  ///
  /// Names that differ in leading zeros only go by their bytes.
  static func isBefore(_ left: String, _ right: String) -> Bool {
    let (lefts, rights) = (parts(of: left), parts(of: right))
    for (a, b) in zip(lefts, rights) where a != b { return a < b }
    return lefts.count == rights.count ? left < right : lefts.count < rights.count
  }

  /// A run of digits, or of other bytes.
  private enum Part: Comparable {
    /// The digits without leading zeros.
    case number([UInt8])

    case text([UInt8])

    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.number(let a), .number(let b)):
        a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
      case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
      case (.number, .text): true
      case (.text, .number): false
      }
    }
  }

  private static func parts(of name: String) -> [Part] {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var rest = Array(name.utf8)[...]
    var parts: [Part] = []
    while let first = rest.first {
      let isNumber = digits.contains(first)
      let run = rest.prefix { digits.contains($0) == isNumber }
      rest = rest.dropFirst(run.count)
      parts.append(
        isNumber ? .number(Array(run.drop { $0 == digits.lowerBound })) : .text(Array(run))
      )
    }
    return parts
  }
}
