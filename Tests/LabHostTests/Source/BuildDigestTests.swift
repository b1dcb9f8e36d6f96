import Foundation
import LabTestSupport
import Testing

@testable import Builds
@testable import LaunchCore

@Suite(
  .temporaryDirectory,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"), "no C compiler")
)
struct BuildDigestTests {
  private static let source = "int main(void) { return 0; }\n"

  /// Builds a program with debug information in a directory of its own.
  private static func digest(
    _ files: [String: String],
    command: [String] = ["./app"],
    isScript: Bool = false
  ) throws -> String? {
    // Paths are of equal length, as those of kept builds are.
    let tree = "\(TemporaryDirectory.path)/\(UUID())/tree"
    for (path, text) in files {
      let whole = URL(filePath: "\(tree)/\(path)")
      try FileManager.default.createDirectory(
        at: whole.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: whole)
    }
    if isScript {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: "\(tree)/app"
      )
    } else {
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/cc")
      compiler.arguments = ["-g", "-o", "app", "app.c"]
      compiler.currentDirectoryURL = URL(filePath: tree)
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
    }
    let target = Target(name: "app", command: command, directory: tree)
    return BuildDigest.digest(ofTree: tree, launching: target)
  }

  private static func digest(
    source: String = source,
    _ more: [String: String] = [:]
  ) throws -> String {
    let digest: String? = try digest(["app.c": source].merging(more) { $1 })
    return try #require(digest)
  }

  @Test func `is the same for comments, documents and other places`() throws {
    let first = try Self.digest()
    #expect(try Self.digest(source: Self.source + "// more\n") == first)
    #expect(try Self.digest(source: "\n\n" + Self.source) == first)
    #expect(try Self.digest(["README": "text", "doc/a.md": "text"]) == first)
    #expect(first.count == 64)
  }

  @Test func `differs with code, data and rights`() throws {
    let first = try Self.digest(["data/list": "one"])
    #expect(try Self.digest(["data/list": "one"]) == first)
    #expect(try Self.digest(["data/list": "two"]) != first)
    let other = "int main(void) { return 1; }\n"
    #expect(try Self.digest(source: other, ["data/list": "one"]) != first)
    #expect(try Self.digest() != first)
  }

  @Test func `leaves nothing out of scripts, nor what the command names`() throws {
    func script(_ text: String) throws -> String? {
      try Self.digest(["app": "#!/bin/sh\ncat README\n", "README": text], isScript: true)
    }
    #expect(try script("one") != script("two"))
    func reader(_ text: String) throws -> String? {
      try Self.digest(["app.c": Self.source, "README": text], command: ["./app", "README"])
    }
    #expect(try reader("one") != reader("two"))
    #expect(try reader("one") == reader("one"))
  }

  @Test func `gives nothing where there is no program`() {
    let target = Target(name: "app", command: ["./app"], directory: "/nonexistent")
    #expect(BuildDigest.digest(ofTree: "/nonexistent", launching: target) == nil)
  }
}
