import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct SwapChangeTests {
  private let fixture = FixtureTree()

  @Test func `leaves a swap area alone that is on`() throws {
    let swaps = "Filename Type Size Used Priority\n/swap\\040file file 1048572 0 -2\n"
    try fixture.write(swaps, to: "proc/swaps")
    let change = Change.swapArea(path: "swap file", priority: -2)
    #expect(change.undo(in: fixture.tree) == .alreadyRestored)
  }

  @Test func `switches no swap area for a tree of files`() throws {
    let change = Change.swapArea(path: "swapfile", priority: -2)
    let reason = "the swap areas of a tree of files cannot be switched"
    #expect(throws: HostError.changeFailed(change, reason: reason)) {
      try change.apply(in: fixture.tree)
    }
    #expect(change.undo(in: fixture.tree) == .failed(reason: reason))
  }

  @Test(.enabled(if: canSwap, "the kernel takes no swap file in the directory of tests"))
  func `switches a swap area off and on with its priority`() throws {
    let area = try Self.makeArea(in: TemporaryDirectory.path)
    try TestMachine.shell("swapon -p 7 \(area)", in: "/")
    defer { _ = try? TestMachine.shell("swapoff \(area)", in: "/") }
    let change = Change.swapArea(path: String(area.dropFirst()), priority: 7)
    try change.apply(in: HostTree())
    #expect(HostTree().text(at: "proc/swaps")?.contains(area) == false)
    #expect(change.undo(in: HostTree()) == .restored)
    let line = HostTree().text(at: "proc/swaps")?.split(separator: "\n").first { $0.contains(area) }
    #expect(line?.split(whereSeparator: \.isWhitespace).last == "7")
    #expect(change.undo(in: HostTree()) == .alreadyRestored)
  }

  @Test(.enabled(if: TestMachine.isRoot, "swapon takes root"))
  func `leaves a swap file that somebody removed`() {
    let change = Change.swapArea(path: "nonexistent/swapfile", priority: -1)
    #expect(change.undo(in: HostTree()) == .foreign(found: "no such file"))
  }

  private static let canSwap: Bool = {
    let made: Void? = try? withTemporaryDirectory { directory in
      let area = try makeArea(in: directory)
      try TestMachine.shell("swapon \(area) && swapoff \(area)", in: "/")
    }
    return made != nil
  }()

  private static func makeArea(in directory: String) throws -> String {
    let path = "\(directory)/area"
    let script = "dd if=/dev/zero of=\(path) bs=64k count=16 2>/dev/null; chmod 600 \(path)"
    try TestMachine.shell("\(script); mkswap \(path) >/dev/null", in: "/")
    return path
  }
}
