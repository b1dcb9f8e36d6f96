import Foundation
import LabTestSupport
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct CacheTrimTests {
  private var root: String { TemporaryDirectory.path }
  private var cache: CacheLocation { CacheLocation(directory: "\(root)/lab") }

  /// Stores nights whose programs are all different, and gives the digests, the oldest first.
  private func makeNights(_ count: Int, in store: Store) throws -> [String] {
    try (0..<count).map { number in
      let path = "\(root)/program"
      try Data("#!/bin/sh\nexit \(number)\n".utf8).write(to: URL(filePath: path))
      let target = Target(name: "tool", command: [path], directory: root)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let scenario = Scenario.sample("tool", [target], in: root)
      let kept = ArtifactWorkflow(scenario: scenario, isBuilt: false, cache: cache).kept()
      let run = RunRecord.sample(
        scenario,
        id: "2026112\(number / 10)T04300\(number % 10)Z-3fa2",
        at: Date(timeIntervalSince1970: 86_400 * Double(number)),
        status: .unfinished,
        arms: [Arm(target: "tool", state: .warm)]
      )
      try store.begin(run).finish(status: .complete, at: run.startedAt)
      try store.saveArtifacts(kept.artifacts, of: run.id)
      return try #require(kept.artifacts["tool"]).digest
    }
  }

  private var kept: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/lab/artifacts")) ?? [])
  }

  @Test func `keeps everything while there is room`() throws {
    let store = try Store.inMemory()
    let digests = try makeNights(10, in: store)
    try CacheTrim(store: store, cache: cache, limit: 1 << 30).run()
    #expect(kept == Set(digests))
  }

  @Test func `keeps the newest nights, the last good ones of alerts, and what is pinned`() throws {
    let store = try Store.inMemory()
    let digests = try makeNights(14, in: store)
    let nights = try store.nights(scenario: "tool")
    let pinned = try #require(nights[3].artifacts["tool"])
    try cache.pins.pin(pinned, of: ["/bin/true"], in: "tool")
    let key = SeriesKey.sample("tool", "tool", "f")
    try store.save([
      Alert(
        number: 1,
        kind: .step,
        series: key,
        direction: .worse,
        state: .confirmed,
        cause: .code,
        onset: nights[2].run,
        lastGood: nights[1].run,
        before: 1,
        after: 2,
        events: [
          AlertEvent(at: nights[2].startedAt, state: .confirmed, cause: .code, reason: "it is")
        ]
      )
    ])

    try CacheTrim(store: store, cache: cache, limit: 0).run()

    let newest = digests.suffix(CacheTrim.nights)
    #expect(kept == Set(newest).union([digests[1], digests[3]]))
  }

  @Test func `keeps what another store in the same directory needs`() throws {
    let neighbour = try Store(path: "\(root)/lab/other.sqlite", mode: .readWrite)
    let digests = try makeNights(10, in: neighbour)
    try Data("not a store".utf8).write(to: URL(filePath: "\(root)/lab/notes"))
    try CacheTrim(store: try Store.inMemory(), cache: cache, limit: 0).run()
    #expect(kept == Set(digests.suffix(CacheTrim.nights)))
  }

  @Test func `keeps the build of the control, which no night was built from`() throws {
    let store = try Store.inMemory()
    let rooms = ["0123456789abcdef-1", "0123456789abcdef-2"].map { "\(root)/lab/builds/\($0)" }
    for room in rooms {
      try FileManager.default.createDirectory(
        atPath: "\(room)/tree/app",
        withIntermediateDirectories: true
      )
      for file in ["lock", "complete"] {
        try Data().write(to: URL(filePath: "\(room)/\(file)"))
      }
      let facts = try FileManager.default.attributesOfItem(atPath: room)
      let inode = try #require(facts[.systemFileNumber] as? Int)
      let mark = #"{"boot_id":"","inode":\#(inode),"lab":"1-1","namespaces":""}"#
      try Data(mark.utf8).write(to: URL(filePath: "\(room)/.launchlab-owner"))
    }
    let control = Target(name: "control", command: ["./tool"], directory: "\(rooms[0])/tree/app")
    let scenario = Scenario.sample("tool", [control], in: root)
    let arms = [Arm(target: "control", state: .warm)]
    let run = RunRecord.sample(scenario, status: .unfinished, arms: arms)
    try store.begin(run).finish(status: .complete, at: run.startedAt)

    try CacheTrim(store: store, cache: cache, limit: 0).run()

    #expect(rooms.map(FileManager.default.fileExists(atPath:)) == [true, false])
  }
}
