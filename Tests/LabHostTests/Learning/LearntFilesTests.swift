import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LearntFilesTests {
  private var root: FilePath { FilePath(TemporaryDirectory.path) }

  /// The records of a launch that executed `tool` and read the other files.
  private func records(_ names: [String]) throws -> FileRecords {
    let lines = try (["tool"] + names).map { name in
      let path = name.hasPrefix("/") ? FilePath(name) : root.appending(name)
      let status = try #require(DiskUse.status(of: path))
      return "\(name == "tool" ? "x" : "r") 1 \(status.st_dev) \(status.st_ino) \(path)\0"
    }
    return FileRecords(Array(lines.joined().utf8))
  }

  private func learn(_ names: [String], home: FilePath? = nil) throws -> LearntFiles {
    LearntFiles(
      try records(names),
      home: home,
      packages: PackageDatabase(tree: HostTree(root: root))
    )
  }

  @Test func `keeps regular files on a disk`() throws {
    try TestMachine.shell("touch tool a; mkdir home; touch home/b", in: root.string)
    let learnt = try learn(["a", "home/b", "/proc/version"], home: root.appending("home"))
    #expect(learnt.files.map(\.path) == ["\(root)/tool", "\(root)/a", "b"])
    #expect(LearntFiles.place(of: learnt.files[2], home: "/other") == "/other/b")
    #expect(LearntFiles.place(of: learnt.files[2], home: nil) == nil)
    #expect(learnt.mainProgram == "\(root)/tool")
  }

  @Test func `knows the only program that a shell starts`() {
    func started(_ programs: [String]) -> String? {
      let lines = (["1 1 1 /bin/sh"] + programs.map { "2 1 1 \($0)" }).map { "x \($0)\0" }
      return LearntFiles(FileRecords(Array(lines.joined().utf8)), home: nil).launchedProgram
    }
    #expect(started(["/bin/bash", "/opt/tool", "/opt/tool"]) == "/opt/tool")
    #expect(started(["/opt/tool", "/opt/other"]) == nil)
    #expect(started([]) == nil)
  }

  @Test func `says what a launch that is watched cannot do`() throws {
    try TestMachine.shell("touch tool; chmod 4755 tool", in: root.string)
    var records = try records([])
    #expect(LearntFiles(records, home: nil, isRoot: true).notes.isEmpty)
    #expect(
      LearntFiles(records, home: nil, isRoot: false).notes == [
        "\(root)/tool gains no rights while its files are learnt without root"
      ]
    )
    records = FileRecords(Array("p 1\0".utf8))
    #expect(LearntFiles(records, home: nil).notes.count == 1)
  }

  @Test func `does not take another file of the same name`() throws {
    try TestMachine.shell("touch tool a", in: root.string)
    let records = try records(["a"])
    try TestMachine.shell("touch b; mv b a", in: root.string)
    #expect(LearntFiles(records, home: nil).files.map(\.path) == ["\(root)/tool"])
  }

  @Test func `is valid until a program changes or too many files are gone`() throws {
    let names = (1...40).map { "file\($0)" }
    try TestMachine.shell("touch tool \(names.joined(separator: " "))", in: root.string)
    let learnt = try learn(names)
    #expect(learnt.isValid(home: nil))
    try TestMachine.shell("rm file1 file2; echo x > file3", in: root.string)
    #expect(learnt.isValid(home: nil))
    try TestMachine.shell("rm file4 file5", in: root.string)
    #expect(!learnt.isValid(home: nil))
    try TestMachine.shell("touch file1 file2 file4 file5; echo x >> tool", in: root.string)
    #expect(!learnt.isValid(home: nil))
  }

  @Test func `takes in what a later launch has opened besides`() throws {
    try TestMachine.shell(
      "for f in tool a b c; do echo x > $f; done; touch empty; mkdir home; echo x > home/d",
      in: root.string
    )
    let home = root.appending("home")
    var learnt = try learn(["a"], home: home)
    let names = ["tool", "a", "b", "empty", "home/d", "home"]
    func numbers(_ names: [String]) -> [FileNumber] {
      names.compactMap { DiskUse.status(of: root.appending($0)).map(FileNumber.init) }
    }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    now.tv_sec += 1
    let added = learnt.add(
      Set(numbers(names)),
      executed: ["\(root)/b"],
      home: home,
      writtenBefore: now
    )
    #expect(added == [root.appending("b"), root.appending("home/d")])
    #expect(learnt.files.map(\.path) == ["\(root)/tool", "\(root)/a", "\(root)/b", "d"])
    #expect(learnt.files.map { $0.program != nil } == [true, false, true, false])
    // What the launch wrote is no input.
    now.tv_sec -= 3_600
    let later = learnt.add(Set(numbers(["c"])), executed: [], home: home, writtenBefore: now)
    #expect(later.isEmpty)
  }

  @Test func `is kept by what decides which files are opened`() throws {
    try TestMachine.shell("touch tool", in: root.string)
    let store = LearntStore(beside: root.string)
    let target = Target(name: "t", command: ["tool"], directory: "/")
    let key = LearntStore.key(of: target)
    var other = target
    other.environment = ["A": "b"]
    #expect(key != LearntStore.key(of: other))
    other = target
    other.name = "another"
    #expect(key == LearntStore.key(of: other))
    let learnt = try learn([])
    #expect(store.files(of: key) == nil)
    try store.keep(learnt, of: key)
    #expect(store.files(of: key) == learnt)
    // Others could have written it.
    try TestMachine.shell("chmod 666 learnt/*", in: root.string)
    #expect(store.files(of: key) == nil)
  }
}
