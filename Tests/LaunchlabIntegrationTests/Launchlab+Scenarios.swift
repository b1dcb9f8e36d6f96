import Foundation
import Testing

extension Launchlab {
  /// Writes a scenario of two arms, whose launches add a line to the file `tally`.
  func writeTally(launches: Int) throws {
    try writeProgram("open F, '>>', 'tally'; syswrite F, \"$$\\n\"; close F; exit 0")
    try write(
      """
      scenario: tally
      targets:
        one: {command: [./program]}
        two: {command: [./program]}
      states: [warm]
      launches: \(launches)
      """,
      to: "scenario.yml"
    )
  }

  /// Expects that whole blocks only are stored of the newest run, and that resuming completes it.
  func expectResumption(
    of blocks: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let arms = ["one warm", "two warm"]
    let run = try #require(try await runs().first, sourceLocation: sourceLocation)
    let before = try await launches()
    #expect(before.count == run.launches, sourceLocation: sourceLocation)
    #expect(before.blocks.values.allSatisfy { $0 == arms }, sourceLocation: sourceLocation)
    #expect(before.blocks.keys.sorted() == Array(0..<run.blocks), sourceLocation: sourceLocation)

    let output = try await self.run(
      "run",
      "scenario.yml",
      "--resume",
      "last",
      sourceLocation: sourceLocation
    )

    #expect(output.status == 0, "\(output.stderr)", sourceLocation: sourceLocation)
    let history = try await runs()
    #expect(history.map(\.id) == [run.id], sourceLocation: sourceLocation)
    #expect(history.map(\.status) == ["complete"], sourceLocation: sourceLocation)
    let after = try await launches()
    #expect(after.blocks.keys.sorted() == Array(0..<blocks), sourceLocation: sourceLocation)
    #expect(after.blocks.values.allSatisfy { $0 == arms }, sourceLocation: sourceLocation)
    #expect(
      after.prefix(before.count).map(\.launchNs) == before.map(\.launchNs),
      sourceLocation: sourceLocation
    )
  }

  /// Makes a git repository of the directory `repository`, and commits all files in it.
  func makeRepository() throws {
    _ = try git("init", "--quiet")
    try commit()
  }

  func commit() throws {
    _ = try git("add", ".")
    _ = try git("commit", "--quiet", "-m", "Change")
  }

  /// What git prints when it is run in the directory `repository`.
  func git(_ arguments: String...) throws -> String {
    let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    let output = try Tool.run("git", identity + arguments, in: path("repository"))
    guard output.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    return output.stdout
  }

  /// The same in a process group of its own, as a shell starts it.
  var inGroupOfItsOwn: Self {
    var lab = self
    lab.wrapper = ["perl", "-e", "setpgrp; exec @ARGV or die"] + lab.wrapper
    return lab
  }
}
