import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ProactiveReclaimTests {
  private static let agent = "sys/kernel/mm/damon/admin/kdamonds/0"

  @Test func `says that no agent is on`() throws {
    try write("off", to: "\(Self.agent)/state")
    #expect(receipt.status == .observed)
    #expect(receipt.after == "none")
  }

  @Test func `names an agent that is on`() throws {
    try write("on", to: "\(Self.agent)/state")
    try write("pageout", to: "\(Self.agent)/contexts/0/schemes/0/action")
    #expect(receipt.status == .observed)
    #expect(receipt.after == "DAMON pageout")
  }

  @Test func `does not say none where the state of an agent cannot be read`() throws {
    try write("pageout", to: "\(Self.agent)/contexts/0/schemes/0/action")
    #expect(receipt.status == .unavailable)
    #expect(receipt.after == nil)
    #expect(receipt.reason == "only root can see the state of DAMON")
  }

  private var receipt: ControlReceipt {
    ProactiveReclaim(tree: HostTree(root: FilePath(TemporaryDirectory.path))).receipt
  }

  private func write(_ text: String, to path: String) throws {
    let file = URL(filePath: TemporaryDirectory.path).appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data("\(text)\n".utf8).write(to: file)
  }
}
