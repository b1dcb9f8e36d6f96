import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct GitBisectLogTests {
  static let logs = SampleBisect.endings(
    named: ["set", "hostile", "own-side", "both-sides", "equal-artifacts", "same"]
  )

  @Test(arguments: logs)
  func `writes the log of git`(_ ending: SampleBisect.Ending) throws {
    let log = GitBisectLog(ending.summary)
    try expectSnapshot(log.rendered(), named: ending.name, suite: "GitBisectLog")
  }

  @Test func `has only comments for artifacts`() {
    let lines = GitBisectLog(SampleBisect.artifacts).rendered().split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("#") })
  }

  @Test func `is replayed by git to the same commit`() throws {
    let git = try GitRepository(commits: 17)
    defer { git.remove() }
    var summary = SampleBisect.found
    for index in summary.start.revisions.indices {
      summary.start.revisions[index].id = git.ids[index]
    }
    let log = GitBisectLog(summary).rendered()
    try Data(log.utf8).write(to: git.directory.appending(component: "replay.log"))
    let output = try git.run("bisect", "replay", "replay.log")
    #expect(output.contains("\(git.ids[11]) is the first bad commit"))
    #expect(log.contains("# first bad commit: [\(git.ids[11])] Change number 11"))
  }

  @Test func `is replayed by git to the same set`() throws {
    let git = try GitRepository(commits: 17)
    defer { git.remove() }
    var summary = SampleBisect.set
    for index in summary.start.revisions.indices {
      summary.start.revisions[index].id = git.ids[index]
    }
    let log = GitBisectLog(summary).rendered()
    try Data(log.utf8).write(to: git.directory.appending(component: "replay.log"))
    let output = try git.run("bisect", "replay", "replay.log")
    let lines = output.split(separator: "\n").map(String.init)
    #expect(output.contains("The first bad commit could be any of:"))
    #expect(Set(lines).isSuperset(of: git.ids[11...13]))
    #expect(Set(lines).isDisjoint(with: git.ids[0...10]))
  }
}

/// A repository of empty commits that lasts for one test.
private struct GitRepository {
  let directory: URL

  /// The oldest first.
  private(set) var ids: [String] = []

  init(commits: Int) throws {
    directory = FileManager.default.temporaryDirectory
      .appending(component: "bisect-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try run("init", "--quiet")
    for index in 0..<commits {
      try run("commit", "--quiet", "--allow-empty", "-m", "Change number \(index)")
    }
    ids = try run("rev-list", "--reverse", "HEAD").split(separator: "\n").map(String.init)
  }

  @discardableResult
  func run(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["git", "-C", directory.path, "-c", "user.name=Jane", "-c", "user.email=jane@example.org"]
      + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }
}
