import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct OwnedDirectoryTests {
  private var root: FilePath { FilePath(TemporaryDirectory.path) }

  @Test func `removes what it has made, through no link`() throws {
    let made = try OwnedDirectory.make(root.appending("launchlab-1-1"), permissions: 0o711)
    try TestMachine.shell(
      """
      mkdir -p precious launchlab-1-1/a/b; touch precious/file launchlab-1-1/a/b/c
      ln -s ../precious launchlab-1-1/link
      """,
      in: root.string
    )
    #expect(made.remove())
    #expect(try TestMachine.shell("find . -type f", in: root.string) == "./precious/file")
  }

  @Test func `removes directories however deep they are nested`() throws {
    let made = try OwnedDirectory.make(root.appending("launchlab-1-1"), permissions: 0o700)
    let names = String(repeating: "d/", count: 500)
    try TestMachine.shell("mkdir -p launchlab-1-1/\(names)/e", in: root.string)
    #expect(made.remove())
    #expect(try TestMachine.shell("ls -A", in: root.string) == "")
  }

  @Test func `removes an empty directory with a mark that was never written`() throws {
    let path = root.appending("launchlab-1-1")
    try TestMachine.shell("mkdir \(path); touch \(path)/.launchlab-owner", in: "/")
    #expect(OwnedDirectory.removeEmpty(path))
    try TestMachine.shell("mkdir \(path); echo mine > \(path)/.launchlab-owner", in: "/")
    #expect(!OwnedDirectory.removeEmpty(path))
  }

  @Test func `leaves what has taken the place of a directory`() throws {
    let made = try OwnedDirectory.make(root.appending("launchlab-1-1"), permissions: 0o700)
    try TestMachine.shell("mv launchlab-1-1 away; mkdir launchlab-1-1", in: root.string)
    try TestMachine.shell("touch launchlab-1-1/file", in: root.string)
    made.remove()
    let left = try TestMachine.shell("ls launchlab-1-1; ls -A away", in: root.string)
    #expect(left == "file\n.launchlab-owner")
  }

  @Test func `makes nothing where something is`() throws {
    try TestMachine.shell("mkdir place", in: root.string)
    #expect(throws: HostError.self) {
      try OwnedDirectory.makeOrReuse(root.appending("place"), permissions: 0o700)
    }
    let own = root.appending("own")
    let first = try OwnedDirectory.makeOrReuse(own, permissions: 0o700)
    let second = try OwnedDirectory.makeOrReuse(own, permissions: 0o700)
    #expect(first.path == second.path)
  }

  /// A directory that looks like a leftover, and what was done to it.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    var needsRoot = false
  }

  @Test(arguments: [
    Forgery(testDescription: "without a mark", script: "rm \(name)/.launchlab-owner"),
    Forgery(testDescription: "a copy", script: "cp -a \(name) x; rm -r \(name); mv x \(name)"),
    Forgery(
      testDescription: "another name",
      script: "mv \(name) launchlab-1999998-1"
    ),
    Forgery(testDescription: "behind a link", script: "mv \(name) x; ln -s x \(name)"),
    Forgery(testDescription: "open to others", script: "chmod 777 \(name)"),
    Forgery(
      testDescription: "a mark that others may write",
      script: "chmod 666 \(name)/.launchlab-owner"
    ),
    Forgery(
      testDescription: "a mark behind a link",
      script: "mv \(name)/.launchlab-owner x; ln -s ../x \(name)/.launchlab-owner"
    ),
    Forgery(
      testDescription: "a directory of another user",
      script: "chown 65534 \(name)",
      needsRoot: true
    ),
    Forgery(
      testDescription: "a mark of another user",
      script: "chown 65534 \(name)/.launchlab-owner",
      needsRoot: true
    ),
  ])
  func `takes nothing for a leftover that is not proven to be one`(forgery: Forgery) throws {
    if forgery.needsRoot, !TestMachine.isRoot { return }
    let path = root.appending(Self.name)
    try TestMachine.mark(path.string, lab: "1999999-1")
    #expect(OwnedDirectory.leftovers(in: root, prefix: "launchlab-").map(\.path) == [path])
    try TestMachine.shell(forgery.script, in: root.string)
    #expect(OwnedDirectory.leftovers(in: root, prefix: "launchlab-") == [])
  }

  private static let name = "launchlab-1999999-1"

  @Test func `removes empty directories of processes that are gone, and no others`() throws {
    let own = "launchlab-\(ProcessIdentity.current)-s1"
    try TestMachine.mark(root.appending("\(Self.name)-s2").string, lab: "1999999-1")
    try TestMachine.shell(
      """
      mkdir \(Self.name) \(Self.name)-s1 \(own) launchlab-mine launchlab-1999998-1
      touch \(Self.name)-s1/.launchlab-owner launchlab-1999998-1/file
      """,
      in: root.string
    )
    let removed = OwnedDirectory.removeLeftovers(in: root, prefix: "launchlab-")
    #expect(
      Set(removed.map(\.path)) == Set(["", "-s1", "-s2"].map { root.appending(Self.name + $0) })
    )
    #expect(removed.allSatisfy { $0.isRemoved })
    #expect(
      try TestMachine.shell("ls", in: root.string).split(separator: "\n").sorted()
        == ["launchlab-1999998-1", own[...], "launchlab-mine"].sorted()
    )
  }
}

@Suite struct LabMarkTests {
  /// Where and when a process was, and whether it is known to have ended.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var lab = "1999999-1"
    var bootID = LabMark.ownBootID
    var namespaces = LabMark.ownNamespaces
    var machine: String? = "here"
    let isGone: Bool
  }

  @Test(arguments: [
    Case(testDescription: "a process that has ended", isGone: true),
    Case(testDescription: "a living process", lab: "\(ProcessIdentity.current)", isGone: false),
    Case(testDescription: "another container", namespaces: "1.1", isGone: false),
    Case(testDescription: "a container that is not known", namespaces: "", isGone: false),
    Case(testDescription: "no process", lab: "1", isGone: false),
    Case(testDescription: "a former boot", bootID: "x", isGone: true),
    Case(
      testDescription: "another container of a former boot",
      bootID: "x",
      namespaces: "1.1",
      isGone: true
    ),
    Case(testDescription: "a boot that is not known", bootID: "", isGone: false),
    Case(testDescription: "another machine", bootID: "x", machine: "there", isGone: false),
    Case(testDescription: "no known machine", bootID: "x", machine: nil, isGone: false),
  ])
  func `counts a process as gone only where that is certain`(test: Case) throws {
    var mark = LabMark.current
    mark.lab = test.lab
    mark.bootID = test.bootID
    mark.namespaces = test.namespaces
    mark.machine = test.machine
    #expect(mark.isGone(on: "here") == test.isGone)
  }

  @Test func `knows the containers of cgroups by their names`() {
    let here = LabMark.ownNamespaces
    #expect(RunCgroup.isLeftover("launchlab-1999999-1-\(here)-1"))
    #expect(!RunCgroup.isLeftover("launchlab-\(ProcessIdentity.current)-\(here)-1"))
    #expect(!RunCgroup.isLeftover("launchlab-1999999-1-1.1-1"))
    #expect(!RunCgroup.isLeftover("launchlab-1999999-1-1"))
    #expect(!RunCgroup.isLeftover("mine-1999999-1-\(here)-1"))
  }
}

extension TestMachine {
  /// Makes a directory as a process would have that may be of another container or boot.
  static func mark(
    _ directory: String,
    lab: String,
    bootID: String = LabMark.ownBootID,
    namespaces: String = LabMark.ownNamespaces
  ) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let process = try #require(ProcessIdentity(lab))
    try LabMark(of: process, bootID: bootID, namespaces: namespaces)
      .write(in: ConfinedDirectory(followingMountsTo: FilePath(directory)))
  }
}
