import Foundation
package import LaunchCore
import LaunchHost
import Subprocess
import SystemPackage

/// What a build depends on beside its source, in words for people.
package struct BuildTools: Hashable, Sendable {
  /// The compilers that are found, with the first line of their version, those that are the same file
  /// together; such as `cc, gcc: gcc (Debian 12.2.0-14) 12.2.0`.
  package let compilers: [String]

  /// The variables that count, with their values; `(set)` stands for one that looks like a secret.
  package let variables: [String: String]

  /// Looks what builds of a source depend on; every compiler is run once for its version.
  package init(of source: Source) async {
    let environment = BuildEnvironment(of: source)
    variables = environment.variables.reduce(into: [:]) { variables, variable in
      variables[variable.key] = Self.isSecret(variable.key) ? "(set)" : variable.value
    }
    var names: [String: [String]] = [:]
    var paths: [String] = []
    for compiler in environment.compilers {
      // Its name and path, and then its size and time of modification.
      let words = compiler.split(separator: " ").map(String.init)
      guard words.count >= 4 else { continue }
      let path = words[1..<(words.count - 2)].joined(separator: " ")
      if names[path] == nil { paths.append(path) }
      if names[path]?.contains(words[0]) != true { names[path, default: []].append(words[0]) }
    }
    var compilers: [String] = []
    for path in paths {
      let version = await Self.version(of: names[path]?.first ?? path) ?? path
      compilers.append("\(names[path, default: []].joined(separator: ", ")): \(version)")
    }
    self.compilers = compilers
  }

  private static func isSecret(_ name: String) -> Bool {
    ["TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH"].contains {
      name.uppercased().contains($0)
    }
  }

  /// The first line of what a compiler says of itself within 2 seconds.
  ///
  /// Some are many programs in one file, which tells them apart by the name; and some would get
  /// another version of themselves from the network.
  private static func version(of name: String) async -> String? {
    let isGo = name == "go"
    let environment = Environment.inherit.updating([
      "RUSTUP_AUTO_INSTALL": "0", "GOTOOLCHAIN": "local",
    ])
    let tool = ExternalTool(
      executable: name.contains("/") ? .path(FilePath(name)) : .name(name),
      environment: environment
    )
    return await withTaskGroup(of: String?.self) { group in
      group.addTask {
        let output = try? await tool.run([isGo ? "version" : "--version"])
        return output?.stdout.split(separator: "\n").first.map(String.init)
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(2))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

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
