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

  @Test(
    .enabled(if: TestMachine.isRoot, "only root gets the HOME of another user"),
    arguments: [
      // A link of another user, to a directory of root.
      "mkdir own; mkdir -m 777 home; chown 65534 home; ln -s ../own home/.cache; chown -h 65534 home/.cache",
      // Where every place is another user's, there is none.
      "mkdir -p home tmp/launchlab-0; chown 65534 home tmp/launchlab-0",
    ]
  )
  func `root unpacks nothing where others have the say everywhere`(script: String) throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("mkdir tmp; \(script); chown 65534 tmp", in: directory)
    let cache = HelperCache(
      environment: ["HOME": "\(directory)/home"],
      temporaryDirectory: "\(directory)/tmp"
    )
    #expect(throws: HostError.self) { try cache.path(of: .empty) }
    #expect(throws: HostError.self) { try cache.scratch() }
    let made = try TestMachine.shell("find . -name launchlab -o -name scratch", in: directory)
    #expect(made.isEmpty)
  }

  @Test(.enabled(if: TestMachine.isRoot, "only root gets the HOME of another user"))
  func `root starts nothing that was put in place of a directory`() throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("mkdir -p -m 1777 tmp; mkdir own", in: directory)
    let cache = HelperCache(
      environment: ["XDG_CACHE_HOME": "\(directory)/tmp/new"],
      temporaryDirectory: "\(directory)/own"
    )
    // Between the look and the use another user makes the directory.
    try TestMachine.shell("mkdir tmp/new; chown 65534 tmp/new", in: directory)
    #expect(try cache.path(of: .empty).hasPrefix("\(directory)/own/launchlab-0/"))
    #expect(try TestMachine.shell("ls tmp/new", in: directory).isEmpty)
  }
}
