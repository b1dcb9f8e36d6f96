import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ExecutableLookupTests {
  private func make(_ name: String, mode: Int) {
    _ = FileManager.default.createFile(
      atPath: "\(TemporaryDirectory.path)/\(name)",
      contents: Data("#!/bin/sh\n".utf8),
      attributes: [.posixPermissions: mode]
    )
  }

  @Test func `finds a bare name in the path of the target`() throws {
    let directory = TemporaryDirectory.path
    make("tool", mode: 0o755)
    let found = try ExecutableLookup.resolve(
      command: "tool",
      path: "/nowhere:\(directory)",
      directory: "/"
    )
    #expect(found == "\(directory)/tool")
  }

  @Test func `takes a relative path from the directory of the target`() throws {
    let directory = TemporaryDirectory.path
    make("tool", mode: 0o755)
    let found = try ExecutableLookup.resolve(command: "./tool", path: "", directory: directory)
    #expect(found == "\(directory)/tool")
  }

  @Test func `refuses a name that is not in the path`() {
    #expect(
      throws: HostError.launchRefused(.programNotFound(command: "no-such", path: "/usr/bin"))
    ) {
      try ExecutableLookup.resolve(command: "no-such", path: "/usr/bin", directory: "/")
    }
  }

  @Test(arguments: [
    ("tol", "did you mean `tool`? else give its path, or install it"),
    ("tool -v", "give the program and each argument as a word of its own"),
    ("nothing", "give its path, such as ./nothing, or install it"),
  ])
  func `says what to type instead of a name that is not in the path`(
    command: String,
    remedy: String
  ) {
    make("tool", mode: 0o755)
    let error = #expect(throws: HostError.self) {
      try ExecutableLookup.resolve(command: command, path: TemporaryDirectory.path, directory: "/")
    }
    #expect(error?.diagnostics.map(\.remedy) == [remedy])
  }

  @Test func `refuses a directory`() {
    #expect(throws: HostError.launchRefused(.programIsDirectory("/usr"))) {
      try ExecutableLookup.resolve(command: "/usr", path: "", directory: "/")
    }
  }

  @Test func `names the file that lacks the right, rather than saying that it is missing`() {
    make("tool", mode: 0o644)
    let path = "\(TemporaryDirectory.path)/tool"
    #expect(throws: HostError.launchRefused(.programNotExecutable(path))) {
      try ExecutableLookup.resolve(
        command: "tool",
        path: "\(TemporaryDirectory.path):/nowhere",
        directory: "/"
      )
    }
  }

  @Test func `names a program as it was written where that leads to it`() {
    var target = Target(
      name: "app",
      command: ["/cache/1-2/tree/bin/app", "-v"],
      writtenProgram: "../bin/app",
      directory: "/cache/1-2/tree/work"
    )
    #expect(target.words == ["../bin/app", "-v"])
    target.directory = "/elsewhere"
    #expect(target.words == target.command)
    target.writtenProgram = nil
    #expect(target.words == target.command)
  }
}
