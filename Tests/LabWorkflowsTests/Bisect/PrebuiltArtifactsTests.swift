import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite(.temporaryDirectory) struct PrebuiltArtifactsTests {
  private var directory: String { TemporaryDirectory.path + "/nightly" }

  private func write(_ name: String, _ text: String = "#!/bin/sh\n", mode: Int = 0o755) throws {
    let path = "\(directory)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private var scenario: Scenario {
    .sample("tool", [Target(name: "tool", command: ["/somewhere/tool", "-v"], directory: "/")])
  }

  private func shelf(_ good: String? = nil, _ bad: String? = nil) throws -> PrebuiltArtifacts {
    try PrebuiltArtifacts(directory: directory, scenario: scenario, good: good, bad: bad)
  }

  @Test func `lists versions in the order of their numbers, but for hidden files`() throws {
    for name in ["v10", "v9", "v1", ".notes"] { try write(name) }
    #expect(try shelf().revisions.map(\.id) == ["v1", "v9", "v10"])
    #expect(try shelf().revisions.map(\.weight) == [1, 1, 1])
  }

  @Test func `begins and ends at the named versions`() throws {
    for name in ["v1", "v2", "v3", "v4"] { try write(name) }
    #expect(try shelf("v2", "v3").revisions.map(\.id) == ["v2", "v3"])
    #expect(try shelf("v3").revisions.map(\.id) == ["v3", "v4"])
    #expect(try shelf(nil, "v2").revisions.map(\.id) == ["v1", "v2"])
  }

  @Test func `launches a file, or what a directory holds of the same name`() async throws {
    try write("v1")
    try write("v2/tool")
    try write("v3/bin/tool")
    let shelf = try shelf()
    var programs: [String] = []
    for index in 0..<3 {
      let built = try await shelf.build(index, ahead: [])
      #expect(built.failure == nil && built.seconds == nil && shelf.isLaunchable(built))
      programs.append(built.target?.command.joined(separator: " ") ?? "")
    }
    let expected = ["v1", "v2/tool", "v3/bin/tool"].map { "\(directory)/\($0) -v" }
    #expect(programs == expected)
  }

  @Test func `an executable that has gone cannot be launched`() async throws {
    try write("v1")
    try write("v2")
    let shelf = try shelf()
    let built = try await shelf.build(1, ahead: [])
    try FileManager.default.removeItem(atPath: "\(directory)/v2")
    #expect(!shelf.isLaunchable(built))
    #expect(try await shelf.build(1, ahead: []).failure != nil)
  }

  @Test func `goes on with the versions of its log, whatever is there by now`() async throws {
    for name in ["v1", "v2", "v3"] { try write(name) }
    let before = try shelf()
    let built = try await before.build(2, ahead: [])
    try FileManager.default.removeItem(atPath: "\(directory)/\(before.revisions[1].id)")
    let target = try #require(built.target)
    let after = PrebuiltArtifacts(directory: directory, target: target, revisions: before.revisions)
    #expect(try await after.build(2, ahead: []).target?.command == target.command)
    #expect(try await after.build(1, ahead: []).failure != nil)
  }

  @Test func `the digest is that of an executable alone, and scripts have none`() async throws {
    try write("v1", "\u{7f}ELF one")
    try write("v2", "\u{7f}ELF one")
    try write("v3", "\u{7f}ELF two")
    try write("v4")
    try write("v5/tool", "\u{7f}ELF one")
    try write("v5/data", "of the version")
    let shelf = try shelf()
    var digests: [String?] = []
    for index in 0..<5 { digests.append(try await shelf.build(index, ahead: []).digest) }
    #expect(digests[0]?.count == 64)
    #expect(digests[1] == digests[0])
    #expect(digests[2] != digests[0])
    #expect(digests[3] == nil)
    #expect(digests[4] == nil)
  }

  @Test func `refuses a directory with fewer than two versions`() throws {
    #expect(throws: BisectRangeError.noArtifacts(directory: directory)) { try shelf() }
    try write("v1")
    #expect(throws: BisectRangeError.tooFewArtifacts(directory: directory, count: 1)) {
      try shelf()
    }
  }

  @Test func `refuses entries that cannot be executed, inside the range only`() throws {
    for name in ["v1", "v2", "v3"] { try write(name) }
    try write("v4", mode: 0o644)
    try write("v5/other")
    #expect(try shelf("v1", "v3").revisions.count == 3)
    #expect(throws: BisectRangeError.notExecutable(path: "\(directory)/v4")) { try shelf() }
    #expect(throws: BisectRangeError.notExecutable(path: "\(directory)/v5")) {
      try FileManager.default.removeItem(atPath: "\(directory)/v4")
      _ = try shelf()
    }
  }

  @Test func `says which name was probably meant`() throws {
    for name in ["release-1", "release-2"] { try write(name) }
    let error = #expect(throws: BisectRangeError.self) { try shelf("relese-2") }
    #expect(error?.diagnostics.first?.remedy == "write `release-2`")
    #expect(throws: BisectRangeError.swappedArtifacts(good: "release-2", bad: "release-1")) {
      try shelf("release-2", "release-1")
    }
  }
}
