import CLabHost
import Foundation
import Glibc
package import LaunchCore
package import LaunchHost
import SystemPackage

/// Which copy of a program stands for a command from its first night on.
package struct PinnedPrograms: Sendable {
  private let directory: String

  /// - Parameter directory: An absolute path; it is made when something is pinned.
  package init(directory: String) { self.directory = directory }

  /// Finds the program that was pinned.
  ///
  /// - Parameters:
  ///   - command: The program, absolute, and its arguments.
  ///   - scenario: The name of the scenario.
  /// - Returns: The program; nil when there is none, or it cannot be read.
  package func program(of command: [String], in scenario: String) -> Artifact? {
    guard OwnPlace.isOwn(FilePath(directory)),
      let data = try? Data(contentsOf: URL(filePath: path(command, scenario)))
    else { return nil }
    return try? JSONDecoder().decode(Artifact.self, from: data)
  }

  /// Pins a program.
  ///
  /// - Parameters:
  ///   - artifact: The program.
  ///   - command: The program, absolute, and its arguments.
  ///   - scenario: The name of the scenario.
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of the directory, and a
  ///   Foundation error when it cannot be written.
  package func pin(_ artifact: Artifact, of command: [String], in scenario: String) throws {
    try OwnPlace.make(directory, permissions: 0o700)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(artifact).write(to: URL(filePath: path(command, scenario)), options: .atomic)
  }

  /// The digests of all programs that are pinned.
  package var digests: Set<String> {
    guard OwnPlace.isOwn(FilePath(directory)) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.reduce(into: []) { digests, name in
      guard let data = try? Data(contentsOf: URL(filePath: "\(directory)/\(name)")),
        let artifact = try? JSONDecoder().decode(Artifact.self, from: data)
      else { return }
      digests.insert(artifact.digest)
    }
  }

  private func path(_ command: [String], _ scenario: String) -> String {
    let text = ([scenario] + command).joined(separator: "\0")
    return "\(directory)/\(SHA256(Array(text.utf8)).hexadecimal.prefix(32)).json"
  }
}

/// The files that the command of a target names: the program, and arguments that are files.
package struct LaunchedFiles: Hashable, Sendable {
  /// The absolute path of the program, as it is called: links are not followed.
  package let program: String

  /// The absolute paths of arguments that are regular files, by the index in the command, from 1.
  package let arguments: [Int: String]

  /// Larger files are data rather than something that a launch consists of.
  private static let argumentLimit = 64 << 20

  /// Looks for the files as a launch of the target would.
  ///
  /// - Parameters:
  ///   - target: A target of the scenario.
  ///   - scenario: It says in which environment the target is launched.
  /// - Throws: ``HostError/launchRefused(_:)`` when there is no such program.
  package init(of target: Target, in scenario: Scenario) throws(HostError) {
    let policy = scenario.controls?.environment ?? .inherited
    let variables = TargetVariables(policy: policy, mark: nil).variables(of: target, home: nil)
    program = try ExecutableLookup.resolve(
      command: target.command[0],
      path: variables["PATH"],
      directory: target.directory
    )
    let directory = FilePath(target.directory)
    arguments = target.command.enumerated().dropFirst().reduce(into: [:]) { found, argument in
      guard !argument.element.isEmpty, !argument.element.contains("\0") else { return }
      let path = directory.pushing(FilePath(argument.element)).lexicallyNormalized()
      guard let real = DeclaredDirectory.realPath(of: path), let status = DiskUse.status(of: real),
        status.isRegular, status.st_size <= Self.argumentLimit
      else { return }
      found[argument.offset] = path.string
    }
  }
}

/// Whether a copy of a program at another place does the same as the program.
package enum Movability: Hashable, Sendable {
  /// It does, as far as can be known: an ELF program that looks for nothing beside itself.
  case movable

  /// A text that another program interprets; it may look for files beside itself.
  case script

  /// It does not; the reason is a phrase that follows the name of the program.
  case fixed(reason: String)

  /// Looks at a program, without running it.
  ///
  /// - Parameter path: Absolute.
  package init(ofProgram path: String) {
    guard let file = ProgramFile.open(FilePath(path)) else {
      self = .fixed(reason: "cannot be read")
      return
    }
    defer { try? file.close() }
    let read = ProgramFile.reader(of: file)
    switch ProgramFile(read: read) {
    case .script: self = .script
    case .pointer, .unknown: self = .fixed(reason: "is neither an ELF program nor a script")
    case .dynamic, .fixed: self = Self.rights(of: path) ?? Self.searchPath(read)
    }
  }

  /// A copy would not have the rights that come with the file.
  private static func rights(of path: String) -> Self? {
    guard let file = try? OpenFile(reading: FilePath(path)), let status = try? file.status() else {
      return .fixed(reason: "cannot be read")
    }
    let name = "security.capability".utf8.map { CChar(bitPattern: $0) } + [0]
    let hasCapabilities = (try? file.attributes())?[name] != nil
    let isPrivileged = status.permissions & 0o6000 != 0 || hasCapabilities
    return isPrivileged ? .fixed(reason: "has rights of its own that a copy would lose") : nil
  }

  /// The names that the loader reads hold the search path; ld.so(8) tells how it is expanded.
  private static func searchPath(_ read: @escaping ELFHeader.Read) -> Self {
    guard let symbols = ELFSymbols(read: read) else {
      return .fixed(reason: "has a layout that is not known here")
    }
    let names = symbols.section(named: ".dynstr")?.bytes ?? []
    let places = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let looksBeside = places.contains { $0.contains("$ORIGIN") || $0.contains("${ORIGIN}") }
    return looksBeside
      ? .fixed(reason: "looks for its libraries beside itself ($ORIGIN)") : .movable
  }
}

/// A build or an executable of a former night that is kept for comparisons to come.
package struct KeptRoom: Hashable, Sendable {
  /// The absolute path of the directory that holds it.
  package var path: String

  /// How much space it takes.
  package var bytes: Int64

  /// When it was last used, in nanoseconds of the clock of the file system.
  package var usedAt: Int64

  /// Whether it must stay whatever space it takes.
  package var isNeeded: Bool

  /// Which rooms go so that the rest takes no more space than a limit.
  ///
  /// Those that were not used for the longest time go first; of several that were last used at the
  /// same time, the first by path. Cost: O(n log n).
  ///
  /// - Parameters:
  ///   - rooms: Every room.
  ///   - limit: In bytes.
  /// - Returns: The rooms that go, in this order; when those that are needed take more than the
  ///   limit, all the others.
  package static func surplus(of rooms: [Self], limit: Int64) -> [Self] {
    var total = rooms.reduce(0) { $0 + $1.bytes }
    let candidates = rooms.filter { !$0.isNeeded }
      .sorted { ($0.usedAt, $0.path) < ($1.usedAt, $1.path) }
    var surplus: [Self] = []
    for room in candidates where total > limit {
      surplus.append(room)
      total -= room.bytes
    }
    return surplus
  }
}

/// Finds the program in a build that launchlab did not make.
package enum PrebuiltProgram {
  /// The absolute path of what is launched: the entry itself, or a file in it, at its top or in
  /// `bin`, that is called as the target's program is.
  ///
  /// - Parameters:
  ///   - entry: The absolute path of an executable, or of a directory with one.
  ///   - target: Whose program is looked for.
  /// - Returns: The path; nil where nothing there can be executed.
  package static func path(in entry: String, of target: Target) -> String? {
    let name = (target.command[0] as NSString).lastPathComponent
    return [entry, "\(entry)/\(name)", "\(entry)/bin/\(name)"].first(where: isExecutable)
  }

  package static func isExecutable(_ path: String) -> Bool {
    (try? ExecutableLookup.resolve(command: path, path: nil, directory: "/")) != nil
  }
}
