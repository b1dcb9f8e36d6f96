import Foundation
package import LaunchCore
package import LaunchStore

/// Where the report of each scenario stands.
///
/// Of the scenarios whose reports go to the same directory, the one that was stored first has the
/// directory itself, and each later one a directory below that is named after it. So a scenario
/// that joins does not change the path of another one's report.
package struct ReportPlaces {
  private struct Key: Hashable {
    var store: String
    var scenario: String
  }

  private var directories: [Key: String] = [:]
  private var taken: Set<String> = []

  package init() {}

  /// Adds every scenario that a store has a night of; a store that was added already is passed over.
  ///
  /// - Parameters:
  ///   - store: It is only read.
  ///   - top: The directory for the report of a scenario that is alone in it, from its name and the
  ///     directory that is stored of it.
  /// - Throws: `StoreError`.
  package mutating func add(
    _ store: Store,
    top: (_ scenario: String, _ stored: String) -> String
  ) throws {
    for (scenario, stored) in try store.scenarioDirectories() {
      let key = Key(store: store.path, scenario: scenario)
      if directories[key] == nil { add(key, in: top(scenario, stored)) }
    }
  }

  /// The directory of the report of a scenario that was added.
  package func directory(of scenario: String, in store: Store) -> String? {
    directories[Key(store: store.path, scenario: scenario)]
  }

  /// The directory of the report of a scenario that is being run, with its file in `directory`.
  static func directory(of scenario: Scenario, in store: Store) throws -> String {
    let usual = "\(scenario.directory)/report"
    var places = ReportPlaces()
    try places.add(store) { $0 == scenario.name ? usual : "\($1)/report" }
    let key = Key(store: store.path, scenario: scenario.name)
    return places.directories[key] ?? places.add(key, in: usual)
  }

  @discardableResult
  private mutating func add(_ key: Key, in top: String) -> String {
    var directory = taken.contains(top) ? "\(top)/\(Self.folder(key.scenario))" : top
    while !taken.insert(directory).inserted { directory += "-" }
    directories[key] = directory
    return directory
  }

  /// The most bytes that a name of a directory has, with room for what is put behind it.
  private static let longest = 200

  /// A name for a directory of its own, without anything that steers a path.
  ///
  /// A name that is too long for a directory ends with a digest of the whole.
  package static func folder(_ scenario: String) -> String {
    let plain = scenario.map { character in
      character.isASCII && (character.isLetter || character.isNumber || character == "-")
        ? character : "-"
    }
    guard plain.count <= longest else {
      let digest = SHA256(Array(scenario.utf8)).hexadecimal.prefix(16)
      return "\(String(plain.prefix(longest - 17)))-\(digest)"
    }
    return plain.isEmpty ? "scenario" : String(plain)
  }
}

/// How the files of reports are called.
package enum ReportNames {
  private static let names = ["latest.md", "run.md", "index.html", "feed.xml"]

  /// The paths of the files that every report writes, besides the one of the day.
  static func fixed(in directory: String) -> [String] { names.map { "\(directory)/\($0)" } }

  /// The paths of the files of former reports.
  static func existing(in directory: String) -> [String] {
    [directory, "\(directory)/img"].flatMap { place in
      ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [])
        .filter(isOne).map { "\(place)/\($0)" }
    }
  }

  /// Whether a report writes files of such a name.
  static func isOne(_ name: String) -> Bool {
    if name.hasSuffix(".svg") || names.contains(name) { return true }
    return name.prefixMatch(of: /\d{4}-\d\d-\d\d\.md|\d{8}T\d{6}Z-\w+(-now)?\.md/) != nil
  }

  /// The template beside a scenario, if there is one.
  package static func ownTemplate(of scenario: Scenario) -> String? {
    let own = "\(scenario.directory)/.launchlab/report.md.mustache"
    return FileManager.default.fileExists(atPath: own) ? own : nil
  }
}
