import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite("The directory of the probe", .temporaryDirectory) struct ProbeDirectoryTests {
  private func make(memory: [String] = [], fallback: String? = nil) throws -> ProbeDirectory {
    try ProbeDirectory.make(memory: memory, fallback: fallback ?? TemporaryDirectory.path)
  }

  @Test func `can be passed through by every user, and removed`() throws {
    let directory = try make()
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path.string)
    #expect(attributes[.posixPermissions] as? Int == 0o711)
    #expect(directory.probe.utf8.count - directory.path.string.utf8.count >= 32)
    try Data().write(to: URL(filePath: directory.probe))
    try Data().write(to: URL(filePath: directory.events))
    directory.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: TemporaryDirectory.path) == [])
  }

  @Test func `is another one each time`() throws {
    #expect(try make().path != make().path)
  }

  @Test func `is on a disk where nothing better is in memory`() throws {
    let places = ["", "relative", "/nonexistent", "/proc", TemporaryDirectory.path + "/none"]
    #expect(try make(memory: places).path.string.hasPrefix(TemporaryDirectory.path))
  }

  @Test(.enabled(if: MountInfo().mount(holding: "/dev/shm")?.isInMemory == true, "needs /dev/shm"))
  func `is in memory rather than on a disk`() throws {
    let directory = try make(memory: ["/dev/shm"])
    defer { directory.remove() }
    #expect(directory.path.string.hasPrefix("/dev/shm/"))
    #expect(directory.isOpenToAll)
  }

  @Test func `knows when others cannot reach it`() throws {
    let closed = "\(TemporaryDirectory.path)/closed"
    try FileManager.default.createDirectory(
      atPath: closed,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    #expect(try !make(fallback: closed).isOpenToAll)
  }

  /// The loader takes a colon for the end of a path, and a dollar sign for a variable.
  @Test(arguments: ["a:b", "a$b", String(repeating: "long", count: 60), "nonexistent/x"])
  func `is not where the loader would not find it`(_ name: String) throws {
    let place = "\(TemporaryDirectory.path)/\(name)"
    if !name.contains("/") {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    }
    #expect(throws: HostError.self) { try make(fallback: place) }
  }

  @Test func `is not looked for behind a link that someone has put there`() throws {
    let place = "\(TemporaryDirectory.path)/place"
    let other = "\(TemporaryDirectory.path)/other"
    for path in [place, other] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    try Data().write(to: URL(filePath: "\(other)/events"))
    try FileManager.default.createSymbolicLink(
      atPath: "\(place)/launchlab-probe-999999999-1-1",
      withDestinationPath: other
    )
    _ = try make(fallback: place)
    #expect(FileManager.default.fileExists(atPath: "\(other)/events"))
  }

  @Test func `is cleared of what dead processes have left`() throws {
    let dead = "\(TemporaryDirectory.path)/launchlab-probe-999999999-1-1"
    let alive = "\(TemporaryDirectory.path)/launchlab-probe-\(ProcessIdentity.current)-1"
    let other = "\(TemporaryDirectory.path)/launchlab-probe-999999998-1-1"
    try TestMachine.mark(dead, lab: "999999999-1")
    try TestMachine.mark(alive, lab: "\(ProcessIdentity.current)")
    try TestMachine.mark(other, lab: "999999998-1", namespaces: "1.1")
    for path in [dead, alive, other] {
      try Data().write(to: URL(filePath: "\(path)/events"))
    }
    #expect(try make().path.lastComponent?.string == "launchlab-probe-\(ProcessIdentity.current)-2")
    #expect(!FileManager.default.fileExists(atPath: dead))
    #expect(FileManager.default.fileExists(atPath: "\(alive)/events"))
    #expect(FileManager.default.fileExists(atPath: "\(other)/events"))
  }
}
