package import LabModel
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
