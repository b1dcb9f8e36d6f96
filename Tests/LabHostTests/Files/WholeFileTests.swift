import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct WholeFileTests {
  private func path(_ name: String) -> String { "\(TemporaryDirectory.path)/\(name)" }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  @Test func `writes through no link that somebody has put beside the file`() throws {
    try Data("theirs".utf8).write(to: URL(filePath: path("victim")))
    try FileManager.default.createSymbolicLink(
      atPath: path("latest.md.\(getpid()).tmp"),
      withDestinationPath: path("victim")
    )
    try WholeFile(path("latest.md")).write { try $0("mine") }
    #expect(try text("victim") == "theirs")
    #expect(try text("latest.md") == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: TemporaryDirectory.path)
    #expect(names.sorted() == ["latest.md", "victim"])
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `reads nothing behind another user's link`() throws {
    try TestMachine.shell(
      "mkdir theirs; printf secret > own; ln -s own way; ln -s ../own theirs/way; ln -s . theirs/here;"
        + "chown -hR 65534 theirs",
      in: TemporaryDirectory.path
    )
    for name in ["own", "way"] { #expect(WholeFile(path(name)).head(3) == Array("sec".utf8)) }
    #expect(WholeFile(path("theirs/way")).head(3).isEmpty)
    #expect(WholeFile(path("theirs/here/way")).head(3).isEmpty)
    #expect(WholeFile(path("none")).head(3).isEmpty)
  }

  @Test(.enabled(if: TestMachine.isRoot, "chown takes root"))
  func `does not wait for who reads another user's pipe`() throws {
    try TestMachine.shell("mkfifo pipe; chown 65534 pipe", in: TemporaryDirectory.path)
    let error = #expect(throws: HostError.self) {
      try WholeFile(path("pipe")).write { try $0("never") }
    }
    #expect(error == .placeRefused(path: path("pipe"), .owner(OwnPlace.user(65_534))))
  }

  @Test func `writes into an open file, which has no place of its own`() throws {
    try Data().write(to: URL(filePath: path("open")))
    let file = try FileHandle(forWritingTo: URL(filePath: path("open")))
    try WholeFile("/dev/fd/\(file.fileDescriptor)").write { try $0("whole") }
    try file.close()
    #expect(try text("open") == "whole")
  }

  @Test func `takes the place of what a killed process has left`() throws {
    try Data("half".utf8).write(to: URL(filePath: path("latest.md.\(getpid()).tmp")))
    try WholeFile(path("latest.md")).write { try $0("whole") }
    #expect(try text("latest.md") == "whole")
  }

  @Test func `leaves the file as it was when what is written cannot be made`() throws {
    struct Failure: Error {}
    try WholeFile(path("latest.md")).write { try $0("old") }
    #expect(throws: Failure.self) {
      try WholeFile(path("latest.md")).write { sink in
        try sink("new")
        throw Failure()
      }
    }
    #expect(try text("latest.md") == "old")
    let names = try FileManager.default.contentsOfDirectory(atPath: TemporaryDirectory.path)
    #expect(names == ["latest.md"])
  }
}
