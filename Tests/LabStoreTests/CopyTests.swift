import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite(.temporaryDirectory) struct CopyTests {
  private static let run = "20261121T043000Z-0001"
  private static let identity = "0123456789abcdef0123456789abcdef"

  /// A store of the newest version with a row in every table.
  private func full() throws -> Store {
    let fixture = try #require(
      Bundle.module.url(
        forResource: "version-\(Migrations.newest)",
        withExtension: "sqlite",
        subdirectory: "Fixtures"
      )
    )
    let path = "\(TemporaryDirectory.path)/full.sqlite"
    try FileManager.default.copyItem(atPath: fixture.path(percentEncoded: false), toPath: path)
    return try Store(path: path, mode: .readWrite)
  }

  private func empty(_ name: String = "empty") throws -> Store {
    try Store(path: "\(TemporaryDirectory.path)/\(name).sqlite", mode: .readWrite)
  }

  /// What is no part of a run.
  private static let others = [
    "alert", "alert_event", "delivery", "explanation", "grdb_migrations",
  ]

  private func counts(_ store: Store) throws -> [String: Int] {
    let tables = try store.strings("SELECT name FROM sqlite_master WHERE type = 'table'")
    return try Dictionary(
      uniqueKeysWithValues: tables.map { table in
        (table, Int(try store.strings("SELECT count(*) FROM \(table)")[0]) ?? 0)
      }
    )
  }

  @Test func `copies all of a run, whatever is there before`() throws {
    let full = try full()
    let all = try counts(full)
    #expect(all.filter { $0.value == 0 }.isEmpty, "a table without a row is not tested")
    let copy = try empty()
    // Texts and sets that are there already have other numbers.
    try copy.fill(
      Sample.run("other"),
      with: [Sample.fullLaunch(block: 0), Sample.fullLaunch(block: 1)]
    )
    let before = try counts(copy)
    try copy.add([Self.run], from: full)

    #expect(try copy.integrity() == "ok")
    #expect(try copy.strings("PRAGMA foreign_key_check").isEmpty)
    let interned = ["file", "reason", "missing", "contents"]
    for (table, count) in try counts(copy) where !Self.others.contains(table) {
      let added = count - (before[table] ?? 0)
      #expect(
        interned.contains(table) ? added <= all[table, default: 0] : added == all[table],
        "\(table)"
      )
    }
    #expect(try copy.run(Self.run) == full.run(Self.run))
    #expect(try copy.launches(of: Self.run) == full.launches(of: Self.run))
    #expect(try copy.symbols(of: Self.run) == full.symbols(of: Self.run))
    #expect(try copy.collectors(of: Self.run) == full.collectors(of: Self.run))
    #expect(try copy.summaries(run: Self.run) == full.summaries(run: Self.run))
    #expect(try copy.inventories(scenario: "redis")[Self.run] == [Sample.inventory])
    #expect(try copy.films(of: Self.run).map(\.film) == [Sample.film])
    #expect(try copy.noise() == full.noise())
    // A second time nothing is added.
    let once = try counts(copy)
    try copy.add([Self.run], from: full)
    #expect(try counts(copy) == once)
  }

  @Test func `a run that is not there adds nothing of the others`() throws {
    let full = try full()
    let copy = try empty()
    #expect(throws: StoreError.self) { try copy.add([Self.run, "none"], from: full) }
    #expect(try copy.runs().isEmpty)
  }

  @Test func `a file of one run is small, and has the digest of the run`() throws {
    let full = try full()
    let path = "\(TemporaryDirectory.path)/one.sqlite"
    try full.write(run: Self.run, to: path)
    let one = try Store(path: path, mode: .readOnly)
    let digest = try full.digest(of: Self.run)
    #expect(digest.count == 64)
    #expect(try one.digest(of: Self.run) == digest)
    #expect(try one.launches(of: Self.run) == full.launches(of: Self.run))
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size ?? .max < 100_000)
  }

  @Test(arguments: [
    "UPDATE launch SET launch_ns = launch_ns + 1 WHERE launch_ns > 0",
    "UPDATE run SET started_at = '2026-11-21T04:30:00.126Z'",
    "DELETE FROM summary",
  ])
  func `another content has another digest`(change: String) throws {
    let full = try full()
    let digest = try full.digest(of: Self.run)
    try full.execute(change)
    #expect(try full.digest(of: Self.run) != digest)
  }

  @Test func `what is decided later is no other content`() throws {
    let full = try full()
    let digest = try full.digest(of: Self.run)
    let conclusions = try full.conclusionsDigest(scenario: "redis", identity: Self.identity)
    let decision = RunDecision(at: Sample.start, person: "ann", standing: .excluded, reason: "x")
    try full.decide(decision, on: Self.run)
    #expect(try full.digest(of: Self.run) == digest)
    #expect(try full.conclusionsDigest(scenario: "redis", identity: Self.identity) != conclusions)
    #expect(try full.conclusionsDigest(scenario: "none", identity: Self.identity) == nil)
  }

  @Test func `conclusions take the place of others, without the runs`() throws {
    let full = try full()
    let path = "\(TemporaryDirectory.path)/conclusions.sqlite"
    try full.writeConclusions(scenario: "redis", identity: Self.identity, to: path)
    #expect(try Store(path: path, mode: .readOnly).runs().isEmpty)
    let copy = try empty()
    try copy.add([Self.run], from: full)
    for _ in 0..<2 {
      try copy.takeConclusions(from: Store(path: path, mode: .readOnly), digest: "d")
      #expect(try copy.takenConclusions() == "d")
      #expect(try copy.alerts(scenario: nil) == full.alerts(scenario: nil))
      #expect(try copy.deliveries(scenario: nil) == full.deliveries(scenario: nil))
      let digest = try full.conclusionsDigest(scenario: "redis", identity: Self.identity)
      #expect(try copy.conclusionsDigest(scenario: "redis", identity: Self.identity) == digest)
    }
  }

  @Test func `conclusions of another machine stay there`() throws {
    let full = try full()
    try full.execute("UPDATE alert SET onset = '\(Self.run)'")
    #expect(try full.conclusionsDigest(scenario: "redis", identity: "other") == nil)
    try full.execute("UPDATE run SET host_identity = NULL")
    #expect(try full.conclusionsDigest(scenario: "redis", identity: "other") != nil)
  }

  @Test func `nights, imported ones and proofs that are concluded are shared`() throws {
    let store = try empty()
    for (index, purpose) in RunRecord.Purpose.allCases.enumerated() {
      var run = Sample.run(purpose.rawValue, secondsLater: Double(index))
      run.purpose = purpose
      run.host.identity = "a"
      try store.addNight(run, [])
    }
    var cut = Sample.run("cut")
    cut.status = .interrupted
    try store.addNight(cut, [])
    let soon = Sample.start + 3_600
    #expect(try store.sharedRuns(at: soon).map(\.id) == ["imported"])
    try store.save(RunOutcome(exitCode: 0), of: "night")
    #expect(try store.sharedRuns(at: soon).map(\.id) == ["night", "imported"])
    #expect(try store.sharedRuns(at: soon + 90_000).map(\.id) == ["night", "proof", "imported"])
    let decision = RunDecision(at: Sample.start, person: "ann", standing: .excluded, reason: "x")
    try store.decide(decision, on: "night")
    #expect(try store.sharedRuns(at: soon).map(\.isLeftOut) == [true, false])
    #expect(try store.sharedRuns(at: soon).allSatisfy { $0.identity == "a" })
  }
}
