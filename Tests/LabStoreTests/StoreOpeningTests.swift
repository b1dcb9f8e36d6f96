import Foundation
import GRDB
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite(.temporaryDirectory) struct StoreOpeningTests {
  private var path: String { TemporaryDirectory.path + "/lab.sqlite" }

  @Test func `creates the directories that lead to the file`() throws {
    let path = TemporaryDirectory.path + "/a/b/.launchlab/lab.sqlite"
    let store = try Store(path: path, mode: .readWrite)
    #expect(try store.runs().isEmpty)
    #expect(store.path == path)
  }

  @Test(arguments: ["a b", "é", "e\u{301}", "日本", "50%25?x#y", "it's \"q\"", "file:x", "\n"])
  func `opens files of odd names`(name: String) throws {
    let path = TemporaryDirectory.path + "/" + name + "/" + name
    try Store(path: path, mode: .readWrite).fill(Sample.run("a"), with: [])
    #expect(try Store(path: path, mode: .readOnly).runs().map(\.id) == ["a"])
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `changes nothing of a store when it opens it again`() throws {
    try Store(path: path, mode: .readWrite).fill(Sample.run("a"), with: [])
    let before = try Data(contentsOf: URL(filePath: path))

    for _ in 0..<2 { #expect(try Store(path: path, mode: .readWrite).runs().count == 1) }

    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func `names a directory that cannot be created`() throws {
    try Data().write(to: URL(filePath: path))
    let inside = path + "/lab.sqlite"
    let error = #expect(throws: StoreError.self) { try Store(path: inside, mode: .readWrite) }
    guard case .missingDirectory(path + "/", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `does not create what is only read`() {
    #expect(throws: StoreError.missingStore(path: path)) {
      try Store(path: path, mode: .readOnly)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `keeps others from reading a new store and the files beside it`() throws {
    let store = try Store(path: path, mode: .readWrite)
    try store.fill(Sample.run(), with: [])
    for name in [path, path + "-wal", path + "-shm"] {
      let facts = try FileManager.default.attributesOfItem(atPath: name)
      #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  @Test func `keeps others from reading a new store behind a link`() throws {
    let real = TemporaryDirectory.path + "/real.sqlite"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real.sqlite")
    _ = try Store(path: path, mode: .readWrite)
    let facts = try FileManager.default.attributesOfItem(atPath: real)
    #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `leaves the mode of a store that is there`() throws {
    _ = try Store(path: path, mode: .readWrite)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    _ = try Store(path: path, mode: .readWrite)
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o644)
  }

  @Test func `makes a store of an empty file`() throws {
    try Data().write(to: URL(filePath: path))
    #expect(try Store(path: path, mode: .readWrite).runs().isEmpty)
  }

  @Test func `goes on with a store whose creation was cut off`() throws {
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.execute("DROP VIEW left_out")
      let tables = try store.strings("SELECT name FROM sqlite_schema WHERE type = 'table'")
      for table in tables.reversed() where !table.hasPrefix("sqlite") {
        try store.execute(
          table == "grdb_migrations" ? "DELETE FROM \(table)" : "DROP TABLE \(table)"
        )
      }
      try store.execute("PRAGMA application_id = 0; PRAGMA user_version = 0")
    }
    #expect(try Store(path: path, mode: .readWrite).runs().isEmpty)
  }

  @Test func `is created once by several openers at the same time`() async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask { @concurrent in
          _ = try Store(path: path, mode: .readWrite).begin(Sample.run("\(number)"))
        }
      }
      try await group.waitForAll()
    }
    #expect(try Store(path: path, mode: .readOnly).runs().count == 16)
  }

  @Test func `refuses a directory as a store`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: StoreError.cannotOpen(path: path, reason: "it is a directory")) {
      try Store(path: path, mode: .readWrite)
    }
  }

  @Test(arguments: [Store.Mode.readWrite, .readOnly])
  func `refuses a newer store and leaves it byte for byte`(mode: Store.Mode) throws {
    // Given a store that a newer launchlab migrated
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.fill(Sample.run("a"), with: [Sample.fullLaunch(block: 0)])
      try store.execute(
        "PRAGMA user_version = 7; INSERT INTO grdb_migrations VALUES ('99'); DROP TABLE summary"
      )
      try store.checkpoint()
    }
    let before = try files()

    // Then opening it names both versions, and changes nothing
    #expect(throws: StoreError.newerSchema(path: path, found: 7, supported: Migrations.newest)) {
      try Store(path: path, mode: mode)
    }
    #expect(try files()["lab.sqlite"] == before["lab.sqlite"])
    #expect(try files()["lab.sqlite-wal"]?.isEmpty ?? true)
  }

  @Test(arguments: [Store.Mode.readWrite, .readOnly])
  func `refuses the database of another program and leaves it byte for byte`(
    mode: Store.Mode
  ) throws {
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.execute("PRAGMA application_id = 1")
      try store.checkpoint()
    }
    let before = try files()["lab.sqlite"]
    #expect(throws: StoreError.notAStore(path: path)) { try Store(path: path, mode: mode) }
    #expect(try files()["lab.sqlite"] == before)
  }

  @Test(arguments: [Store.Mode.readWrite, .readOnly])
  func `refuses a file that is not a database and leaves it byte for byte`(
    mode: Store.Mode
  ) throws {
    let text = Data(String(repeating: "scenario: redis\n", count: 200).utf8)
    try text.write(to: URL(filePath: path))
    #expect(throws: StoreError.notADatabase(path: path)) { try Store(path: path, mode: mode) }
    #expect(try files() == ["lab.sqlite": text])
  }

  @Test(arguments: [5_000, 9_000, 12_288, 20_000])
  func `says that a store which lost its end is damaged`(length: Int) throws {
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.fill(Sample.run("a"), with: (0..<300).map { Sample.fullLaunch(block: $0) })
    }
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.truncate(atOffset: UInt64(length))
    try file.close()
    let error = try #require(throws: StoreError.self) {
      try Store(path: path, mode: .readWrite).forEachLaunch(of: "a") { _ in }
    }
    guard case .corrupt(path, _) = error else { throw error }
  }

  @Test func `says that there is no store yet where one was cut off while being created`() throws {
    try Data().write(to: URL(filePath: path))
    #expect(throws: StoreError.missingStore(path: path)) { try Store(path: path, mode: .readOnly) }
    _ = try Store(path: path, mode: .readWrite)
    #expect(try Store(path: path, mode: .readOnly).runs().isEmpty)
  }

  @Test func `says that a store with overwritten pages is damaged`() throws {
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.fill(Sample.run("a"), with: (0..<300).map { Sample.fullLaunch(block: $0) })
    }
    let file = try FileHandle(forUpdating: URL(filePath: path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4_096))
    try file.close()
    let error = try #require(throws: StoreError.self) {
      try Store(path: path, mode: .readWrite).forEachLaunch(of: "a") { _ in }
    }
    guard case .corrupt(path, _) = error else { throw error }
  }

  @Test func `waits for another writer, then says that the store is busy`() throws {
    let first = try Store(path: path, mode: .readWrite)
    let second = try Store(path: path, mode: .readWrite, patience: .milliseconds(20))
    let busy = StoreError.busy(path: path)
    try first.write { db in
      try db.execute(sql: "DELETE FROM reason")
      #expect(throws: busy) { try second.begin(Sample.run("a")) }
      #expect(try second.runs().isEmpty)
    }
    _ = try second.begin(Sample.run("a"))
    #expect(try first.runs().map(\.id) == ["a"])
  }

  @Test func `keeps both runs of two writers that take turns`() throws {
    let writers = try ["a", "b"].map {
      try Store(path: path, mode: .readWrite).begin(Sample.run($0))
    }
    for block in 0..<50 {
      for writer in writers {
        writer.append(Sample.fullLaunch(block: block))
        try writer.endBlock(at: .seconds(Int64(block)))
      }
    }
    for writer in writers { try writer.finish(status: .complete, at: Sample.start) }
    let store = try Store(path: path, mode: .readOnly)
    #expect(try store.runs().map(\.blocks) == [50, 50])
    #expect(try store.integrity() == "ok")
  }

  @Test func `refuses to write through a store that is only read`() throws {
    try close(Store(path: path, mode: .readWrite)) { _ in }
    let store = try Store(path: path, mode: .readOnly)
    #expect(throws: StoreError.readOnly(path: path)) { try store.begin(Sample.run()) }
  }

  @Test(.enabled(if: FileSystem.canMount, "mounting a file system needs root"))
  func `reads a store on a read-only file system and refuses to write to it`() throws {
    // Given a store on a file system that was made read-only
    let disk = try FileSystem(at: TemporaryDirectory.path + "/disk", kilobytes: 4_096)
    defer { disk.unmount() }
    let path = disk.path + "/lab.sqlite"
    try close(Store(path: path, mode: .readWrite)) { store in
      try store.fill(Sample.run("a"), with: [Sample.fullLaunch(block: 0)])
    }
    try disk.makeReadOnly()

    // Then it is read, and writing is refused
    let store = try Store(path: path, mode: .readOnly)
    #expect(try store.launches(of: "a") == [Sample.fullLaunch(block: 0)])
    #expect(throws: StoreError.readOnly(path: path)) { try Store(path: path, mode: .readWrite) }
    let new = disk.path + "/new/lab.sqlite"
    let error = try #require(throws: StoreError.self) { try Store(path: new, mode: .readWrite) }
    guard case .missingDirectory = error else { throw error }
  }

  @Test(.enabled(if: FileSystem.canMount, "mounting a file system needs root"))
  func `does not read half a store whose log cannot be read`() throws {
    let disk = try FileSystem(at: TemporaryDirectory.path + "/disk", kilobytes: 4_096)
    defer { disk.unmount() }
    let path = disk.path + "/lab.sqlite"
    let store = try Store(path: self.path, mode: .readWrite)
    try store.begin(Sample.run("a")).flush()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: self.path + suffix, toPath: path + suffix)
    }
    try disk.makeReadOnly()
    let error = try #require(throws: StoreError.self) { try Store(path: path, mode: .readOnly) }
    guard case .cannotOpen(path, _) = error else { throw error }
  }

  /// Uses a store and lets go of it, so that its files are closed.
  private func close(
    _ store: @autoclosure () throws -> Store,
    _ body: (Store) throws -> Void
  )
    throws
  {
    try body(store())
  }

  private func files() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: TemporaryDirectory.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(filePath: TemporaryDirectory.path + "/" + $0)))
      }
    )
  }
}
