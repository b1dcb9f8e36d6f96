import LabModel
import Subprocess
import SystemPackage

/// The shared libraries that the loader of a program would map for it.
struct SharedLibraries: Sendable {
  /// Absolute paths as the loader names them, without the vDSO, each once.
  var paths: [String]

  /// Why the list may be incomplete; nil when it is complete.
  var problem: String?

  /// Asks the loader itself, which alone knows its search path: both glibc and musl list the
  /// dependencies for `--list` without running the program.
  ///
  /// - Parameters:
  ///   - program: The program, absolute.
  ///   - loader: The loader that the program asks for, absolute.
  ///   - environment: The target's, since it may name libraries and places of its own.
  /// - Returns: The libraries, or a part of them and the problem.
  static func list(
    of program: FilePath,
    loader: String,
    environment: [String: String]
  ) async -> Self {
    // Debugging output would bury the list.
    let variables = environment.filter { !$0.key.hasPrefix("LD_DEBUG") }
      .map { (Environment.Key(rawValue: $0.key), $0.value) }
      .reduce(into: [Environment.Key: String]()) { variables, pair in
        if let key = pair.0 { variables[key] = pair.1 }
      }
    do {
      let result = try await run(
        .path(FilePath(loader)),
        arguments: ["--list", program.string],
        environment: .custom(variables),
        output: .string(limit: 1 << 20),
        error: .string(limit: 1 << 16)
      )
      let libraries = Self(listing: result.standardOutput)
      if result.terminationStatus.isSuccess || libraries.problem != nil { return libraries }
      let message = result.standardError.split(separator: "\n").first.map(String.init)
      return Self(
        paths: libraries.paths,
        problem: message ?? "\(loader) ended with an error"
      )
    } catch {
      return Self(paths: [], problem: "\(loader) cannot be run")
    }
  }

  private init(paths: [String], problem: String?) {
    self.paths = paths
    self.problem = problem
  }

  /// Reads the lines `name => path (address)` and `path (address)`.
  init(listing: String) {
    var paths: [String] = []
    for line in listing.split(separator: "\n") {
      let entry = line.trimmed
      let target = entry.firstRange(of: " => ").map { entry[$0.upperBound...] } ?? entry[...]
      if target.hasPrefix("not found") { problem = "\(entry)" }
      let path = String(target.firstRange(of: " (0x").map { target[..<$0.lowerBound] } ?? target)
      if path.hasPrefix("/"), !paths.contains(path) { paths.append(path) }
    }
    self.paths = paths
  }
}
