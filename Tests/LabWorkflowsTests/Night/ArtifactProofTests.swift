import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import Measuring

@Suite(.temporaryDirectory) struct ArtifactProofTests {
  private var root: String { TemporaryDirectory.path }
  private var cache: CacheLocation { CacheLocation(directory: "\(root)/lab") }

  private func write(_ text: String, to name: String) throws {
    let path = "\(root)/\(name)"
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// A night of a script that is called with a file.
  private func night(_ run: String, program: String, data: String) throws -> Night {
    try write("#!/bin/sh\n\(program)\n", to: "program")
    try write(data, to: "data")
    let kept = ArtifactWorkflow(scenario: scenario(), isBuilt: false, cache: cache).kept()
    #expect(kept.notes == [])
    return Night(
      run: run,
      startedAt: Date(timeIntervalSince1970: 0),
      fingerprint: "f",
      artifacts: kept.artifacts
    )
  }

  private func scenario(files: [String] = []) -> Scenario {
    let command = ["./program", "-v", "data"]
    let target = Target(name: "tool", command: command, directory: root, files: files)
    return .sample("tool", [target], launches: 3, in: root)
  }

  private func found(_ good: Night, _ night: Night, files: [String] = []) -> ProofBuilds.Found {
    ArtifactProof(scenario: scenario(files: files), cache: cache.artifacts)
      .found(["tool"], good: good, night: night)
  }

  @Test func `records the program and the files that a command names`() throws {
    let night = try night("one", program: "exit 1", data: "a")
    #expect(night.artifacts.keys.sorted() == ["tool", "tool[2]"])
    #expect(ArtifactName.artifacts(of: "tool", in: night).keys.sorted() == [0, 2])
  }

  @Test func `launches the programs of both nights from their copies`() throws {
    let good = try night("one", program: "exit 1", data: "a")
    let bad = try night("two", program: "exit 2", data: "a")

    guard case .builds(let builds) = found(good, bad) else {
      Issue.record("\(found(good, bad))")
      return
    }

    let old = try #require(good.artifacts["tool"]?.digest)
    let new = try #require(bad.artifacts["tool"]?.digest)
    #expect(builds.baseline[0].command[0] == "\(root)/lab/artifacts/\(old)/program")
    #expect(builds.candidate[0].command[0] == "\(root)/lab/artifacts/\(new)/program")
    #expect(builds.baseline[0].command.dropFirst() == ["-v", "data"])
    #expect(builds.scope == .executable)
    #expect(old.hasPrefix(builds.good) && new.hasPrefix(builds.bad))
  }

  @Test func `launches a file that a command names as it was`() throws {
    let good = try night("one", program: "exit 1", data: "a")
    let bad = try night("two", program: "exit 1", data: "b")

    guard case .builds(let builds) = found(good, bad) else {
      Issue.record("\(found(good, bad))")
      return
    }

    #expect(builds.baseline[0].command[0] == "./program")
    let copy = builds.baseline[0].command[2]
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "a")
  }

  @Test func `launches nothing when everything is the same`() throws {
    let good = try night("one", program: "exit 1", data: "a")
    let bad = try night("two", program: "exit 1", data: "a")
    #expect(found(good, bad) == .same)
  }

  @Test func `does not call the same what has files that are not kept`() throws {
    let good = try night("one", program: "exit 1", data: "a")
    let bad = try night("two", program: "exit 1", data: "a")
    guard case .impossible(let reason) = found(good, bad, files: ["/etc"]) else {
      Issue.record("\(found(good, bad))")
      return
    }
    #expect(reason.contains("`files`"))
  }

  @Test func `says that a copy is gone`() throws {
    let good = try night("one", program: "exit 1", data: "a")
    let bad = try night("two", program: "exit 2", data: "a")
    try FileManager.default.removeItem(atPath: "\(root)/lab/artifacts")
    guard case .impossible(let reason) = found(good, bad) else {
      Issue.record("\(found(good, bad))")
      return
    }
    #expect(reason.hasSuffix("is not kept"))
  }

  @Test func `says that a night has no programs`() throws {
    let bad = try night("two", program: "exit 2", data: "a")
    var good = bad
    good.run = "one"
    good.artifacts = [:]
    #expect(
      found(good, bad) == .impossible(reason: "run one has no recorded program for tool")
    )
  }
}
