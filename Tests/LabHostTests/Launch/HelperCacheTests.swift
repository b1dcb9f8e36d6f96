import Foundation
import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct HelperCacheTests {
  private var cache: HelperCache {
    HelperCache(
      environment: ["HOME": TemporaryDirectory.path],
      temporaryDirectory: TemporaryDirectory.path
    )
  }

  @Test func `unpacks once into a private directory`() throws {
    let path = try cache.path(of: .empty)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(path.hasPrefix("\(TemporaryDirectory.path)/.cache/launchlab/"))
    #expect(try cache.path(of: .empty) == path)
    let again = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.systemFileNumber] as? Int == again[.systemFileNumber] as? Int)
    let directory = try FileManager.default.attributesOfItem(
      atPath: "\(TemporaryDirectory.path)/.cache/launchlab"
    )
    #expect(directory[.posixPermissions] as? Int == 0o700)
  }

  @Test func `replaces a program that was changed`() throws {
    let path = try cache.path(of: .empty)
    var bytes = EmbeddedHelper.empty.program
    bytes[bytes.count - 1] ^= 1
    try Data(bytes).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    #expect(try cache.path(of: .empty) == path)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(EmbeddedHelper.empty.program))
  }

  @Test func `falls back where HOME cannot be written`() throws {
    let cache = HelperCache(
      environment: ["HOME": "/proc/nowhere"],
      temporaryDirectory: TemporaryDirectory.path
    )
    let path = try cache.path(of: .empty)
    #expect(path.hasPrefix("\(TemporaryDirectory.path)/launchlab-"))
  }

  @Test(
    .enabled(if: TestMachine.isRoot, "only root gets the HOME of another user"),
    arguments: ["chown 65534 home", "chmod 777 home"]
  )
  func `executes nothing as root that another user could exchange`(script: String) throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("mkdir -p home/.cache tmp; \(script)", in: directory)
    for home in ["\(directory)/home", "\(directory)/home/new"] {
      let cache = HelperCache(
        environment: ["HOME": home],
        temporaryDirectory: "\(directory)/tmp"
      )
      #expect(try cache.path(of: .empty).hasPrefix("\(directory)/tmp/launchlab-0/"))
    }
  }
}
