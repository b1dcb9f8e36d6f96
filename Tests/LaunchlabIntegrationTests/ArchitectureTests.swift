import Foundation
import Testing

@Suite struct ArchitectureTests {
  @Test func `has the modules and directions that docs/architecture.md tells`() throws {
    let manifest = try Manifest.dump()
    let table = try Self.table()

    let ours = Set(manifest.modules.keys)
    #expect(Set(table.keys) == ours)
    for (module, imports) in table {
      #expect(imports == manifest.modules[module]?.intersection(ours), "module \(module)")
    }
  }

  /// The rows of the table, by module.
  private static func table() throws -> [String: Set<String>] {
    let page = try String(
      contentsOf: Repository.root.appending(path: "docs/architecture.md"),
      encoding: .utf8
    )
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
      .filter { $0.count == 5 }
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in (names(row[1])[0], Set(names(row[3]))) }
    )
  }

  private static func names(_ cell: Substring) -> [String] {
    cell.split(separator: "`").map(String.init).filter { $0.contains(where: \.isLetter) }
  }
}

/// The package as its manifest says, for which SwiftPM needs to fetch nothing.
private struct Manifest: Decodable {
  let targets: [Target]

  struct Target: Decodable {
    let name: String
    let type: String
    let dependencies: [Dependency]
  }

  /// A target of ours by its name; nil for a product of another package.
  struct Dependency: Decodable {
    let byName: [String?]?
  }

  /// The dependencies of every module that is no test and no plugin.
  var modules: [String: Set<String>] {
    let modules = targets.filter { $0.type != "test" && $0.type != "plugin" }
    return Dictionary(
      uniqueKeysWithValues: modules.map { module in
        (module.name, Set(module.dependencies.compactMap { $0.byName?[0] }))
      }
    )
  }

  /// Runs `swift package dump-package` with a scratch directory of its own, because the test run
  /// holds the lock of the usual one.
  static func dump() throws -> Manifest {
    let scratch = FileManager.default.temporaryDirectory.appending(
      path: "launchlab-manifest-\(UUID().uuidString)"
    )
    defer { try? FileManager.default.removeItem(at: scratch) }
    let place = ["--package-path", Repository.root.path, "--scratch-path", scratch.path]
    let output = try Tool.run("swift", ["package"] + place + ["dump-package"])
    return try JSONDecoder().decode(Manifest.self, from: Data(output.stdout.utf8))
  }
}
