import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct NightTests {
  @Test func `gives back what tells a night from others`() throws {
    let store = try Store.inMemory()
    var late = Sample.run("late", secondsLater: 60)
    late.status = .failed
    late.finishedAt = Sample.start.addingTimeInterval(90)
    late.controls.append(
      ControlReceipt(name: "display", wanted: "x11", after: "x11, headless", status: .applied)
    )
    try store.addNight(late, [])
    _ = try store.begin(Sample.bareRun("early"))
    try store.saveArtifacts(["old": Sample.artifact], of: "late")
    try store.saveArtifacts(["server": Sample.artifact, "b": Sample.artifact], of: "late")
    let nights = try store.nights(scenario: "redis")
    #expect(
      nights == [
        Night(run: "early", startedAt: Sample.start, status: .unfinished, fingerprint: "c0ffee"),
        Night(
          run: "late",
          startedAt: Sample.start.addingTimeInterval(60),
          finishedAt: Sample.start.addingTimeInterval(90),
          status: .failed,
          fingerprint: "c0ffee",
          build: Night.Build(
            commit: "0123456789abcdef0123456789abcdef01234567",
            subject: "Make it \"faster\"",
            tree: "89abcdef"
          ),
          artifacts: ["server": Sample.artifact, "b": Sample.artifact],
          display: "x11, headless"
        ),
      ]
    )
  }

  @Test func `refuses a digest that is none and keeps what there was`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run())
    try store.saveArtifacts(["server": Sample.artifact], of: Sample.run().id)
    var bad = Sample.artifact
    bad.digest = "XYZ"
    #expect(throws: StoreError.self) {
      try store.saveArtifacts(["server": bad], of: Sample.run().id)
    }
    let kept = try store.nights(scenario: "redis").map(\.artifacts)
    #expect(kept == [["server": Sample.artifact]])
  }

  @Test func `keeps what launches of nights consist of, equal contents once`() throws {
    let store = try Store.inMemory()
    for run in ["a", "b", "c"] { _ = try store.begin(Sample.run(run)) }
    var other = Sample.inventory
    other.counts = [.relocations: .init(1205, spread: 2), .peakRSS: .init(4096)]
    var unread = LaunchInventory(target: "app")
    try store.saveInventories([Sample.inventory], of: "a")
    try store.saveInventories([other, unread], of: "b")
    #expect(
      try store.inventories(scenario: "redis") == ["a": [Sample.inventory], "b": [unread, other]]
    )
    #expect(try store.inventories(scenario: "other").isEmpty)
    #expect(try store.strings("SELECT id FROM contents") == ["1", "2"])

    // What is stored again replaces what was there, or nothing does.
    unread.target = ""
    #expect(throws: StoreError.self) { try store.saveInventories([unread], of: "a") }
    try store.saveInventories([], of: "b")
    #expect(try store.inventories(scenario: "redis") == ["a": [Sample.inventory]])
  }

  @Test func `lists the scenarios that have nights, the newest first`() throws {
    let store = try Store.inMemory()
    var trial = Sample.run("c", scenario: "tried", secondsLater: 9)
    trial.purpose = .trial
    _ = try store.begin(Sample.run("a", scenario: "old"))
    _ = try store.begin(Sample.run("b", scenario: "new", secondsLater: 1))
    _ = try store.begin(trial)
    #expect(try store.scenarios() == ["new", "old"])
  }

  @Test func `stores whole runs at once, or none of them`() throws {
    let store = try Store.inMemory()
    var first = Sample.run("a")
    first.status = .complete
    first.purpose = .imported
    let launches = [Sample.launch(block: 0), Sample.launch(block: 1)]
    let row = Sample.row(of: first, median: 4)
    let finished = FinishedRun(run: first, launches: launches, summaries: [row])
    try store.add([finished])
    #expect(try store.run("a") == first)
    #expect(try store.launches(of: "a") == launches)
    #expect(try store.summaries() == [row])

    var second = finished
    second.run.id = "b"
    second.summaries = []
    #expect(throws: StoreError.duplicateRun(id: "a")) { try store.add([second, finished]) }
    #expect(try store.runs().map(\.id) == ["a"])
  }
}
