import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct ValueChangeTests {
  private static let pages = "sys/kernel/mm/transparent_hugepage/enabled"
  private let fixture = FixtureTree()

  private let hugePages = Change.value(path: Self.pages, before: "madvise", after: "never")

  /// A value before and after, as the kernel shows it.
  struct Case: CustomTestStringConvertible, Sendable {
    var text: String
    var before: String
    var after: String
    var testDescription: String { "\(before) to \(after)" }
  }

  @Test(arguments: [
    Case(text: "always [madvise] never\n", before: "madvise", after: "never"),
    Case(text: "60\n", before: "60", after: "0"),
    Case(text: " 4096\t87380  6291456\n", before: "4096\t87380\t6291456", after: "1 2 3"),
    Case(text: "0-1\n", before: "0-1", after: ""),
  ])
  func `sets a value and sets it back`(value: Case) throws {
    let change = Change.value(path: "proc/sys/value", before: value.before, after: value.after)
    try fixture.write(value.text, to: "proc/sys/value")
    try change.apply(in: fixture.tree)
    #expect(fixture.text(at: "proc/sys/value") == value.after)
    #expect(change.undo(in: fixture.tree) == .restored)
    #expect(fixture.tree.value(at: "proc/sys/value") == HostTree.value(of: value.before))
    #expect(change.undo(in: fixture.tree) == .alreadyRestored)
  }

  @Test func `undoes what was never done`() throws {
    try fixture.write("always [madvise] never\n", to: Self.pages)
    #expect(hugePages.undo(in: fixture.tree) == .alreadyRestored)
    #expect(fixture.text(at: Self.pages) == "always [madvise] never")
  }

  @Test func `does not overwrite what somebody else has changed`() throws {
    try fixture.write("[always] madvise never\n", to: Self.pages)
    #expect(hugePages.undo(in: fixture.tree) == .foreign(found: "always"))
    #expect(fixture.text(at: Self.pages) == "[always] madvise never")
  }

  @Test func `leaves a value that went with its processor`() {
    #expect(hugePages.undo(in: fixture.tree) == .foreign(found: "no such file"))
  }

  @Test func `says why a value cannot be set`() throws {
    let error = #expect(throws: HostError.self) { try hugePages.apply(in: fixture.tree) }
    #expect(
      error?.text == """
        error: cannot set it to "never": No such file or directory
          at: /\(Self.pages)
        """
    )
  }

  @Test(.enabled(if: TestMachine.canLock, "chattr takes CAP_LINUX_IMMUTABLE"))
  func `says why a value cannot be set back`() throws {
    try fixture.write("never\n", to: Self.pages)
    let file = "\(TemporaryDirectory.path)/\(Self.pages)"
    try TestMachine.shell("chattr +i \(file)", in: "/")
    let undoing = hugePages.undo(in: fixture.tree)
    try TestMachine.shell("chattr -i \(file)", in: "/")
    #expect(undoing == .failed(reason: "Operation not permitted"))
    #expect(hugePages.undo(in: fixture.tree) == .restored)
  }

  @Test func `takes a value that does not read back for an error`() throws {
    try fixture.write("1\n", to: "proc/sys/real")
    let link = "\(TemporaryDirectory.path)/proc/sys/value"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    let change = Change.value(path: "proc/sys/value", before: "1", after: "0")
    let error = #expect(throws: HostError.self) { try change.apply(in: fixture.tree) }
    #expect(error?.text.contains("\"0\" was written, but it reads \"\"") == true)
  }

  @Test(arguments: [
    "kept/secret", "proc/sys/../kept/secret", "/kept/secret",
    ["proc", "1", "root", "kept", "secret"].joined(separator: "/"),
  ])
  func `reaches no file outside of proc and sys`(path: String) throws {
    try fixture.write("0\n", to: "kept/secret")
    try fixture.write("0\n", to: "proc/version")
    let change = Change.value(path: path, before: "1", after: "0")
    #expect(throws: HostError.self) { try change.apply(in: fixture.tree) }
    let reason = "it is not a file of /proc/sys or /sys"
    #expect(change.undo(in: fixture.tree) == .failed(reason: reason))
    #expect(fixture.text(at: "kept/secret") == "0")
  }

  @Test(.enabled(if: TestMachine.isRoot, "sysctl takes root"))
  func `refuses of the kernel are told with its own reason`() {
    let change = Change.value(path: "proc/sys/vm/swappiness", before: "60", after: "never")
    let error = #expect(throws: HostError.self) { try change.apply(in: HostTree()) }
    #expect(
      error?.text == """
        error: cannot set it to "never": Invalid argument
          at: /proc/sys/vm/swappiness
        """
    )
  }
}
