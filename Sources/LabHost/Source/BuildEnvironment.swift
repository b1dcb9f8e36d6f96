import Foundation
import LabModel
import SystemPackage

/// What of the environment a build depends on: a build with other values is another build.
///
/// A build sees every variable of launchlab's environment. Those of a session, such as `TERM`, change
/// from night to night and nothing in what is built, so that not all of them count.
struct BuildEnvironment {
  /// The variables that count, with their values.
  let variables: [String: String]

  /// The compilers that are found, each with its file, size and time of modification.
  let compilers: [String]

  /// - Parameters:
  ///   - source: Its command, and the variables that it declares.
  ///   - environment: That of launchlab.
  init(
    of source: Source,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    let named = Set(source.environment + Self.names(in: source.build))
    variables = environment.filter { name, _ in named.contains(name) || Self.isOfTools(name) }
    let asked = ["CC", "CXX", "LD"].compactMap { environment[$0] }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    compilers = (Self.commonCompilers + asked).compactMap { name in
      guard
        let path = try? ExecutableLookup.resolve(
          command: name,
          path: environment["PATH"],
          directory: source.repository
        ), let status = DiskUse.status(of: FilePath(path))
      else { return nil }
      let real = DeclaredDirectory.realPath(of: FilePath(path))?.string ?? path
      return "\(name) \(real) \(status.st_size) \(status.st_mtim.tv_sec)"
    }
  }

  /// All of it as one text, the same for equal environments; empty where nothing counts.
  var text: String {
    let values = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return (values + compilers).joined(separator: "\0")
  }

  private static let commonCompilers = [
    "cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "swiftc", "rustc", "go", "javac", "ghc",
  ]

  /// Whether a variable is one that compilers, linkers and build tools read.
  private static func isOfTools(_ name: String) -> Bool {
    let whole: Set = [
      "AR", "AS", "ARCH", "CC", "CPATH", "CPP", "CROSS_COMPILE", "CXX", "FC", "GOAMD64", "GOARCH",
      "GOOS", "GOROOT", "JAVA_HOME", "LD", "LIBRARY_PATH", "NM", "OBJCOPY", "RANLIB", "STRIP",
    ]
    let beginnings = [
      "CARGO_", "CGO_", "CMAKE_", "C_INCLUDE", "CPLUS_INCLUDE", "PKG_CONFIG", "RUST", "SWIFT_",
    ]
    return whole.contains(name) || name.hasSuffix("FLAGS")
      || beginnings.contains(where: name.hasPrefix)
  }

  /// The variables that a command names, such as `CF` in `make CFLAGS="$CF"`.
  private static func names(in command: String) -> [String] {
    command.matches(of: /\$\{?([A-Za-z_][A-Za-z0-9_]*)/).map { String($0.output.1) }
  }
}
