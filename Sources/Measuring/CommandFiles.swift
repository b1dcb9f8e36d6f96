import Foundation
package import LaunchCore
import LaunchHost
package import LaunchStore
package import Rendering

/// The files that a command reads and writes, compared before anything is done.
///
/// Nothing that is written may be another of them, by whatever path, link or hard link it is named,
/// since writing one would destroy the other. Devices such as `/dev/null` may be named twice.
package struct CommandFiles: Sendable {
  private var files: [Entry] = []
  private var reserved: [Reserved] = []

  package init() {}

  /// One file.
  private struct Entry {
    /// Such as `--json` or `the store`.
    var name: String

    var path: String
    var use: Use

    /// Whether the user names it as an output, which replaces the file, so it is never a store.
    var isOutput: Bool { use == .output }

    /// Whether one of two must not be written, because it is the other.
    func conflicts(with other: Entry) -> Bool {
      let uses: Set = [use, other.use]
      return uses.contains(.output) || uses.contains(.kept) && !uses.contains(.argument)
    }

    var words: String { "\(name) \"\(path)\"" }
  }

  /// What becomes of a file.
  private enum Use {
    /// It is replaced.
    case output

    /// It is written to, but for what it holds already.
    case kept

    case read

    /// A target may read it, and the store may be that file.
    case argument
  }

  /// A directory in which files are not the command's to write.
  private struct Reserved {
    var name: String
    var path: String

    /// What files are meant.
    var extent: Extent
  }

  private enum Extent {
    /// Every one, also those to come.
    case all

    /// Those that are there.
    case existing

    /// Those that a report writes.
    case report
  }

  // MARK: - What there is

  /// Adds a file that is replaced.
  ///
  /// - Parameters:
  ///   - path: `-` means stdout; nil means none.
  ///   - name: Such as `--json`.
  /// - Returns: The files with that one.
  package func writing(_ path: String?, as name: String) -> CommandFiles {
    adding(path, name, .output)
  }

  /// Adds a file that is only read; nil means none, and `-` stdin.
  package func reading(_ path: String?, as name: String) -> CommandFiles {
    path == "-" ? self : adding(path, name, .read)
  }

  /// Adds an SQLite file, with those that SQLite keeps beside it.
  package func keeping(store path: String, as name: String = "the store") -> CommandFiles {
    ["-wal", "-shm", "-journal"].reduce(
      adding(path, name, .kept)
    ) { files, suffix in
      files.adding(path + suffix, "\(name)'s \(suffix) file", .read)
    }
  }

  /// Adds a file that the command writes by itself.
  package func keeping(_ path: String?, as name: String) -> CommandFiles {
    adding(path, name, .kept)
  }

  /// Adds the directory that a report is written to.
  package func writing(report directory: String?, as name: String = "the report") -> CommandFiles {
    guard let directory else { return self }
    var files = reserving(directory, as: name, .report)
    for path in ReportNames.existing(in: directory) + ReportNames.fixed(in: directory) {
      files = files.adding(path, name, .kept)
    }
    return files
  }

  /// Adds what a scenario launches, and what it launches that with.
  package func reading(_ scenario: Scenario, at path: String? = nil) -> CommandFiles {
    scenario.targets.reduce(reading(path, as: "the scenario")) { $0.reading($1) }
  }

  /// Adds a directory whose files must stay as they are.
  package func reading(directory: String?, as name: String) -> CommandFiles {
    directory.map { reserving($0, as: name, .existing) } ?? self
  }

  private func reading(_ target: Target) -> CommandFiles {
    let of = "of target \"\(target.name)\""
    var files = reading(try? ExecutableLookup.program(of: target), as: "the program \(of)")
      .reading(target.standardInput, as: "the stdin \(of)")
    for argument in target.command.dropFirst() where !argument.hasPrefix("-") {
      let path = argument.hasPrefix("/") ? argument : "\(target.directory)/\(argument)"
      files = files.adding(Self.isRegular(path) ? path : nil, "an argument \(of)", .argument)
    }
    for path in target.files where FilePattern.isPlain(path) {
      // One that is a directory may get files that the command writes.
      guard Self.isRegular(path) else { continue }
      files = files.reading(path, as: "the file \(of)")
    }
    let templates = target.state.compactMap(\.template) + [target.home].compactMap(\.self)
    for path in templates { files = files.reading(directory: path, as: "a template \(of)") }
    for path in target.install {
      files = files.reading(directory: path, as: "the install directory \(of)")
    }
    for path in target.state.map(\.path) {
      files = files.reserving(path, as: "the state directory \(of)", .all)
    }
    return files
  }

  private func adding(_ path: String?, _ name: String, _ use: Use) -> CommandFiles {
    guard let path else { return self }
    var copy = self
    copy.files.append(Entry(name: name, path: path, use: use))
    return copy
  }

  private func reserving(_ path: String, as name: String, _ extent: Extent) -> CommandFiles {
    var copy = self
    copy.reserved.append(Reserved(name: name, path: path, extent: extent))
    return copy
  }

  private static func isRegular(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path) && !isDirectory(path)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    return exists && isDirectory.boolValue
  }

  // MARK: - The comparison

  /// Compares every file that is written with all others.
  ///
  /// - Throws: ``WorkflowError/sameFile(_:_:path:)`` and its kin, with both names.
  package func check() throws(WorkflowError) {
    let onStdout = files.filter { $0.isOutput && $0.path == "-" }
    if onStdout.count > 1 {
      throw .bothOnStdout(onStdout[0].name, onStdout[1].name)
    }
    let compared =
      files
      .filter { !ResultFile.isStdout($0.path) && !PathIdentity.isSpecial($0.path) }
      .map { (entry: $0, identities: PathIdentity.all(of: $0.path)) }
    for (index, one) in compared.enumerated() {
      for other in compared[..<index] where one.entry.conflicts(with: other.entry) {
        guard one.entry.name != other.entry.name,
          !one.identities.isDisjoint(with: other.identities)
        else { continue }
        let isFirst = one.entry.isOutput && !other.entry.isOutput
        let (first, second) = isFirst ? (one, other) : (other, one)
        throw .sameFile(first.entry.words, second.entry.words, path: first.entry.path)
      }
    }
    for output in files where output.isOutput && !ResultFile.isStdout(output.path) {
      guard let reason = WholeFile(output.path).refusal else { continue }
      throw .cannotWrite(path: output.path, reason: reason)
    }
    for output in compared where output.entry.isOutput { try check(output.entry) }
    for directory in reserved where directory.extent == .report && Self.isRegular(directory.path) {
      throw .cannotWrite(path: directory.path, reason: "it is not a directory")
    }
  }

  private func check(_ output: Entry) throws(WorkflowError) {
    if Self.isDirectory(output.path) {
      throw .cannotWrite(path: output.path, reason: "it is a directory")
    }
    let parent = (output.path as NSString).deletingLastPathComponent
    if Self.isRegular(parent) {
      throw .cannotWrite(path: output.path, reason: "\"\(parent)\" is not a directory")
    }
    let chain = PathIdentity.chain(of: output.path)
    let identities = PathIdentity.all(of: output.path)
    for directory in reserved {
      let places = PathIdentity.all(of: directory.path)
      // One that does not exist yet has no identity of its own.
      let isInside =
        chain.contains(where: places.contains)
        || identities.contains { identity in places.contains { $0.isAbove(identity) } }
      guard isInside else { continue }
      let isMeant =
        switch directory.extent {
        case .all: true
        case .existing: Self.isRegular(output.path)
        case .report: ReportNames.isOne((output.path as NSString).lastPathComponent)
        }
      guard isMeant else { continue }
      throw .outputInside(
        output.words,
        "\(directory.name) \"\(directory.path)\"",
        path: output.path
      )
    }
    guard Self.isDatabase(output.path) else { return }
    throw .outputIsDatabase(output.words, path: output.path)
  }

  /// Whether a file is an SQLite database, which no output ever is: one of another scenario, say.
  private static func isDatabase(_ path: String) -> Bool {
    isRegular(path) && WholeFile(path).head(16).elementsEqual("SQLite format 3\0".utf8)
  }
}

/// A file, or stdout, that a result is written to in pieces.
package struct ResultFile {
  private let path: String

  /// - Parameter path: A path; `-` means stdout.
  package init(_ path: String) { self.path = path }

  /// Writes what `body` passes on; a file is replaced only when the new one is whole.
  package func write(_ body: (_ sink: (String) throws -> Void) throws -> Void) throws {
    guard Self.isStdout(path) else { return try WholeFile(path).write(body) }
    try body { try Terminal.standardOutput.write(document: $0) }
  }

  /// Writes a JSON text; a file is replaced only when the new one is whole.
  package func write(_ document: some JSONDocument) throws {
    try write { try document.write(to: $0) }
  }

  /// Whether a path means stdout, whatever that is.
  static func isStdout(_ path: String) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
  }
}

/// Where launches are kept, and where stored ones are looked for.
package enum StoreLocation {
  private static let name = ".launchlab/launchlab.sqlite"

  /// The absolute path that was asked for, or the default one beside a scenario.
  package static func path(_ asked: String?, beside directory: String) -> String {
    guard let asked else { return "\(directory)/\(name)" }
    guard !asked.hasPrefix("/") else { return asked }
    return "\(FileManager.default.currentDirectoryPath)/\(asked)"
  }

  /// Whether a store was copied together with its laboratory: then the directory that is stored has the
  /// store that it was copied from.
  package static func isCopy(_ store: String, of directory: String) -> Bool {
    let original = "\(directory)/\(name)"
    func file(_ path: String) -> NSNumber? {
      (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? NSNumber
    }
    guard store.hasSuffix("/\(name)"), let first = file(store), let second = file(original) else {
      return false
    }
    return first != second
  }

  /// The stores to read: the one asked for, or those of a directory and the ones right below it.
  ///
  /// A scenario keeps its store beside itself, so a checkout with `Scenarios/` is read from its top.
  ///
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is none.
  package static func stores(_ asked: String?, from directory: String) throws -> [Store] {
    try paths(asked, from: directory).map { try Store(path: $0, mode: .readOnly) }
  }

  /// Refuses a scenario of which no run is stored.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)``.
  package static func check(_ scenario: String?, in stores: [Store]) throws {
    guard let scenario else { return }
    let runs = try stores.flatMap { try $0.runs(includesRemoved: true) }
    let names = Set(runs.map(\.scenario)).sorted()
    guard !names.contains(scenario) else { return }
    throw WorkflowError.badOption(
      name: "--scenario",
      value: scenario,
      expected: names.isEmpty
        ? "none, since no run is stored"
        : "a scenario that was run: \(names.prefix(8).joined(separator: ", "))"
    )
  }

  /// The files of the stores: the one asked for, or those of a directory and the ones right below, which
  /// may be asked for too.
  ///
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is none.
  package static func paths(_ asked: String?, from directory: String) throws -> [String] {
    let files = FileManager.default
    let paths: [String]
    let named = asked.map { path($0, beside: directory) }
    if let named, !files.fileExists(atPath: "\(named)/.") {
      paths = [named]
    } else {
      let directory = named ?? directory
      let below = (try? files.contentsOfDirectory(atPath: directory).sorted()) ?? []
      paths = ["\(directory)/\(name)"] + below.map { "\(directory)/\($0)/\(name)" }
    }
    let found = paths.filter(files.fileExists(atPath:))
    guard !found.isEmpty else { throw WorkflowError.nothingStored(store: paths[0]) }
    return found
  }
}
