import Foundation
import GRDB
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite(.temporaryDirectory) struct OldStoreTests {
  @Test(arguments: 1...12)
  func `migrates a store of an old version and keeps what it holds`(version: Int) throws {
    // Given a copy of a file that the old version wrote
    let path = try copy(version)

    // When it is opened for writing
    let store = try Store(path: path, mode: .readWrite)

    // Then it has the newest schema, and the run and its launches are as they were
    #expect(try store.strings("PRAGMA user_version") == ["\(Migrations.newest)"])
    #expect(try store.integrity() == "ok")
    #expect(try store.strings("PRAGMA foreign_key_check").isEmpty)
    #expect(try store.runs().map(\.id) == ["20261121T043000Z-0001"])
    #expect(try store.run("20261121T043000Z-0001").startedAt == Sample.start)
    let launches = try store.launches(of: "20261121T043000Z-0001")
    var full = Sample.fullLaunch(block: 0)
    if version < 2 { full.stages = nil }
    if version < 3 {
      full.preparation.settling = nil
      full.result.disturbances = []
    }
    if version < 9 { full.result.windowTimes = WindowTimes() }
    if version < 10 { full.result.speedIndex = nil }
    #expect(launches == [full, Sample.launch(block: 1, arm: 1)])
    let place = CodePlace(file: "/lib/libz.so.1", offset: 0x3000)
    let symbols = try store.symbols(of: "20261121T043000Z-0001")
    #expect(
      try store.collectors(of: "20261121T043000Z-0001") == (version < 2 ? [] : [Sample.collector])
    )
    #expect(symbols == (version < 2 ? [:] : [place: "start_here"]))
    #expect(try store.summaries().map(\.median) == [2_600_000])
    let noise = Sample.noise(run: "20261121T043000Z-0001")
    #expect(try store.noise() == (version < 3 ? [] : [noise]))

    let alerts = try store.alerts(scenario: "redis")
    var alert = Sample.alert()
    if version >= 6 { alert.events[1].person = "ann" }
    if version >= 7 { alert.explanation = Sample.explanation }
    #expect(alerts == (version < 4 ? [] : [alert]))
    let outcome = RunOutcome(verdict: "red", exitCode: 1)
    #expect(try store.runs().map(\.outcome) == [version < 6 ? nil : outcome])
    #expect(try store.deliveries(scenario: "redis").count == (version < 4 ? 0 : 1))
    let artifacts = version < 4 ? [:] : ["server": Sample.artifact]
    #expect(try store.nights(scenario: "redis").map(\.artifacts) == [artifacts])

    let inventories = version < 8 ? [:] : ["20261121T043000Z-0001": [Sample.inventory]]
    #expect(try store.inventories(scenario: "redis") == inventories)

    let films = try store.films(of: "20261121T043000Z-0001").map(\.film)
    #expect(films == (version < 10 ? [] : [Sample.film]))

    let host = try #require(try store.nights(scenario: "redis").first)
    let identity = "0123456789abcdef0123456789abcdef"
    #expect(host.identity == (version < 11 ? nil : identity))
    #expect(host.hostName == (version < 11 ? nil : "bench-1"))

    let slot = try store.run("20261121T043000Z-0001").slot
    #expect(slot == (version < 12 ? nil : FleetSlot(night: "2026-11-21", host: "bench-1")))

    #expect(try store.leftOutRuns().isEmpty)
    let decisions = try store.strings("SELECT standing FROM run_decision ORDER BY number")
    #expect(decisions == (version < 5 ? [] : ["excluded", "included"]))

    // And it takes new runs
    try store.fill(Sample.run("new"), with: [Sample.fullLaunch(block: 0)])
    #expect(try store.runs().count == 2)
  }

  @Test(arguments: [1, 2, 3])
  func `is migrated once by several openers at the same time`(version: Int) async throws {
    let path = try copy(version)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask { @concurrent in
          _ = try Store(path: path, mode: .readWrite).begin(Sample.run("\(number)"))
        }
      }
      try await group.waitForAll()
    }
    #expect(try Store(path: path, mode: .readOnly).runs().count == 17)
  }

  @Test func `takes former self-tests out of the nights`() throws {
    // Given a store of version 3 with a run of the scenario of self-tests
    let path = try copy(3)
    let old = try DatabaseQueue(path: path)
    try old.write { db in try db.execute(sql: "UPDATE run SET scenario = 'selftest'") }
    try old.close()

    // When it is migrated
    let store = try Store(path: path, mode: .readWrite)

    // Then
    #expect(try store.runs().map(\.purpose) == [.selftest])
    #expect(try store.scenarios().isEmpty)
  }

  @Test func `has a stored file for every version`() throws {
    let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let versions = (1...Migrations.newest).map { "version-\($0).sqlite" }
    #expect(Set(versions).isSubset(of: names))
  }

  private func copy(_ version: Int) throws -> String {
    let name = "Fixtures/version-\(version)"
    let url = try #require(Bundle.module.url(forResource: name, withExtension: "sqlite"))
    let path = TemporaryDirectory.path + "/old.sqlite"
    try FileManager.default.copyItem(atPath: url.path, toPath: path)
    return path
  }
}
