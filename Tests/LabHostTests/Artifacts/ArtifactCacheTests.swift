import Foundation
import LabTestSupport
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ArtifactCacheTests {
  private var root: String { TemporaryDirectory.path }
  private var cache: ArtifactCache { ArtifactCache(directory: "\(root)/lab/artifacts") }

  /// A program of two lines that may be executed, and a link to it.
  private func makeProgram(_ text: String = "#!/bin/sh\nexit 7\n") throws -> Artifact {
    try Data(text.utf8).write(to: URL(filePath: "\(root)/program-1.2"))
    try TestMachine.shell("chmod 751 program-1.2; ln -sfn program-1.2 program", in: root)
    return try ArtifactCache.artifact(at: "\(root)/program")
  }

  @Test func `tells what links lead to`() throws {
    let artifact = try makeProgram()
    #expect(artifact.path == "\(root)/program-1.2")
    #expect(artifact.bytes == 17)
    #expect(
      artifact.digest == (try TestMachine.shell("sha256sum < program | cut -d' ' -f1", in: root))
    )
  }

  @Test func `keeps a copy that can be launched, by the name it is called`() throws {
    let artifact = try makeProgram()

    let path = try cache.keep(artifact, as: "program")

    #expect(path == "\(root)/lab/artifacts/\(artifact.digest)/program")
    #expect(cache.copy(of: artifact, named: "program") == path)
    #expect(cache.copy(of: artifact, named: "other") == nil)
    let status = "\(path) || echo $?; stat -c %a \(path); ls -A lab/artifacts | wc -l"
    #expect(try TestMachine.shell(status, in: root) == "7\n751\n1")
  }

  @Test func `keeps the same content under several names`() throws {
    let artifact = try makeProgram()
    let first = try cache.keep(artifact, as: "program")
    let second = try cache.keep(artifact, as: "other")
    #expect(cache.copy(of: artifact, named: "program") == first)
    #expect(cache.copy(of: artifact, named: "other") == second)
    #expect(try TestMachine.shell("ls -A lab/artifacts", in: root) == artifact.digest)
  }

  @Test(
    arguments: [
      "printf x >> COPY", "printf '#!/bin/sh\\nexit 8\\n' > COPY", "ln -sf /bin/true COPY",
      "rm COPY",
    ]
  )
  func `does not launch what somebody put in place of a copy`(_ change: String) throws {
    let artifact = try makeProgram()
    let path = try cache.keep(artifact, as: "program")
    try TestMachine.shell(change.replacing("COPY", with: path), in: root)
    #expect(cache.copy(of: artifact, named: "program") == nil)
  }

  @Test func `refuses a directory that is a link to another one`() throws {
    let artifact = try makeProgram()
    try TestMachine.shell("mkdir lab elsewhere; ln -s ../elsewhere lab/artifacts", in: root)
    #expect(throws: HostError.self) { try cache.keep(artifact, as: "program") }
    #expect(try TestMachine.shell("ls -A elsewhere", in: root).isEmpty)
  }

  @Test(arguments: ["..", ".", "a/b", ""]) func `refuses a name that leads out`(
    _ name: String
  ) throws {
    let artifact = try makeProgram()
    #expect(throws: HostError.self) { try cache.keep(artifact, as: name) }
    #expect(cache.copy(of: artifact, named: name) == nil)
  }

  @Test func `takes no text for a digest that is none`() throws {
    var artifact = try makeProgram()
    artifact.digest = "../../etc"
    #expect(cache.copy(of: artifact, named: "passwd") == nil)
    #expect(throws: HostError.self) { try cache.keep(artifact, as: "program") }
  }

  @Test func `leaves nothing of a program that has changed meanwhile`() throws {
    let artifact = try makeProgram()
    _ = try makeProgram("#!/bin/sh\nexit 9\n")
    #expect(throws: HostError.self) { try cache.keep(artifact, as: "program") }
    #expect(try TestMachine.shell("ls -A lab/artifacts", in: root).isEmpty)
  }

  @Test func `removes what a process that was killed has left`() throws {
    let artifact = try makeProgram()
    try TestMachine.mark("\(root)/lab/artifacts/new-999999999-1-ab", lab: "999999999-1")
    try TestMachine.shell("chmod 700 lab/artifacts", in: root)
    try cache.keep(artifact, as: "program")
    #expect(try TestMachine.shell("ls -A lab/artifacts", in: root) == artifact.digest)
  }

  @Test func `lists what is kept, and removes it`() throws {
    let artifact = try makeProgram()
    try cache.keep(artifact, as: "program")
    let room = try #require(cache.rooms(needed: [artifact.digest]).first)
    #expect(room.isNeeded)
    #expect(room.bytes >= 4_096)
    cache.remove(room)
    #expect(cache.rooms(needed: []) == [])
  }

  @Test func `cannot read what is no file`() {
    #expect(throws: HostError.self) { try ArtifactCache.artifact(at: root) }
    #expect(throws: HostError.self) { try ArtifactCache.artifact(at: "/dev/null") }
    #expect(throws: HostError.self) { try ArtifactCache.artifact(at: "\(root)/missing") }
  }
}
