import Testing

@testable import LaunchCore
@testable import LaunchStatistics
@testable import Stages

@Suite struct TreeSummaryTests {
  /// The usual launch, with a later `main` and ready instant, in microseconds.
  private func launch(_ delay: Int64, notes: [String] = []) -> LaunchStages {
    var events = TreeEvents()
    events.notes = notes
    events.addProgram("/bin/tool", at: 400, libraries: ["/lib/libc.so.6", "/lib/liba.so"])
    events.add(.consistent, at: 700)
    events.addInitializer(2, offset: 0x20, at: 720, until: 800 + delay)
    if delay > 2 { events.addInitializer(2, offset: 0x30, at: 900, until: 901) }
    events.addInitializer(0, offset: 0x40, at: 960, until: 980)
    events.add(.mainBegins, at: 1_000)
    return StageTree.stages(of: events.observation(ready: 3_000 + delay))
  }

  private func summary(_ delays: [Int64]) throws -> StagesSummary {
    var accumulator = StageAccumulator()
    for (block, delay) in delays.enumerated() {
      accumulator.add(launch(delay), block: block)
      accumulator.add(plain: TreeEvents.us(2_900), block: block)
    }
    return try #require(accumulator.summaries().first)
  }

  @Test func `medians and intervals are those of the values of a stage`() throws {
    let summary = try summary([5, 1, 3, 2, 4])
    #expect(summary.launches == 5)
    #expect(summary.launch.median == 3_003_000)
    let later = try #require(summary.launch.child("main_to_ready"))
    let sample = try Sample([2_005_000, 2_001_000, 2_003_000, 2_002_000, 2_004_000])
    #expect(later.median == sample.median)
    #expect(later.interval == sample.medianInterval())
    #expect(later.share == 2_003_000.0 / 3_003_000)
    #expect(summary.preMain?.median == 1_000_000)
  }

  @Test func `a stage that some launches lack says so`() throws {
    let summary = try summary([5, 1, 3, 2, 4])
    let libraries = try #require(summary.launch.child("init")?.child("init.libraries"))
    let library = try #require(libraries.child("/lib/liba.so"))
    #expect(library.children.map(\.n) == [5, 3])
    #expect(library.children.map(\.interval) == [library.children[0].interval, nil])
    #expect(library.children.map(\.median) == [83_000, 1_000])
  }

  @Test func `a single launch gives its own times`() throws {
    let summary = try summary([2])
    #expect(summary.launch.median == 3_002_000)
    #expect(summary.launch.interval == nil)
    #expect(
      summary.launch.children.map(\.name) == [
        "exec", "load", "fixup", "init", "main_to_ready",
      ]
    )
  }

  @Test func `the cost is the median of the differences within blocks`() throws {
    let summary = try summary([5, 1, 3, 2, 4])
    let cost = try #require(summary.cost)
    #expect(cost.n == 5)
    #expect(cost.median == 103_000)
    #expect(cost.share == 103.0 / 2_900)
    #expect(StageCost(plain: [1: .zero], collected: [2: .zero]) == nil)
  }

  @Test func `the sum is checked against both kinds of launches`() throws {
    let check = try #require(try summary([5, 1, 3, 2, 4]).check)
    #expect(check.sum == 3_003_000)
    #expect(check.launch == 3_003_000)
    #expect(check.plain == 2_900_000)
    #expect(check.worstLaunch == 0)
    #expect(!check.isOff)
    #expect(!check.isOffPlain)
    #expect(StageSumCheck(sum: 106, launch: 100).isOff)
    #expect(StageSumCheck(sum: 94, launch: 100).isOff)
    #expect(!StageSumCheck(sum: 95, launch: 100).isOff)
    #expect(StageSumCheck(sum: 100, launch: 100, plain: 90).isOffPlain)
    #expect(StageSumCheck(sum: 100, launch: 100, worstLaunch: 0.06).isIncomplete)
  }

  @Test func `launches that were not ready count only where none was`() throws {
    var accumulator = StageAccumulator()
    let unready = StageTree.stages(of: TreeEvents.usual.observation(ready: nil))
    accumulator.add(unready, block: 0)
    let alone = try #require(accumulator.summaries().first)
    #expect(alone.launches == 0)
    #expect(alone.notReady == 1)
    #expect(alone.launch.median == nil)
    #expect(alone.launch.child("load")?.median == 200_000)
    #expect(alone.check == nil)
    accumulator.add(launch(1), block: 1)
    let both = try #require(accumulator.summaries().first)
    #expect(both.launches == 1)
    #expect(both.notReady == 1)
    #expect(both.launch.median == 3_001_000)
  }

  @Test func `what different collectors saw is not mixed`() {
    var accumulator = StageAccumulator()
    var events = TreeEvents(collector: .breakpoints)
    events.add(.entered, at: 300)
    accumulator.add(StageTree.stages(of: events.observation(ready: 900)), block: 0)
    accumulator.add(launch(1), block: 1)
    accumulator.add(launch(2), block: 2)
    #expect(accumulator.summaries().map(\.collector) == [.probe, .breakpoints])
    #expect(accumulator.summaries().map(\.launches) == [2, 1])
  }

  @Test func `notes say in how many launches they were made`() throws {
    var accumulator = StageAccumulator()
    for block in 0..<3 {
      var events = TreeEvents.usual
      events.notes = block == 1 ? ["one", "two"] : ["one"]
      accumulator.add(StageTree.stages(of: events.observation(ready: 3_000)), block: block)
    }
    let summary = try #require(accumulator.summaries().first)
    #expect(
      summary.notes == [StageNote(text: "one", launches: 3), StageNote(text: "two", launches: 1)]
    )
  }

  @Test func `launches of different programs are said to be mixed`() throws {
    var accumulator = StageAccumulator()
    for (block, program) in ["/bin/a", "/bin/b", "/bin/a", "/bin/c"].enumerated() {
      var stages = launch(1)
      stages.program = program
      accumulator.add(stages, block: block)
    }
    let summary = try #require(accumulator.summaries().first)
    let note = StageNote(text: "another program became ready, such as /bin/b", launches: 2)
    #expect(summary.notes == [note])
  }

  @Test func `a symbol that only some launches have names the stage`() throws {
    var accumulator = StageAccumulator()
    accumulator.add(launch(1), block: 0)
    let place = CodePlace(file: "/lib/liba.so", offset: 0x20)
    accumulator.add(launch(1).naming([place: "Fonts::init()"]), block: 1)
    let summary = try #require(accumulator.summaries().first)
    let library = summary.launch.child("init")?.child("init.libraries")?.child("/lib/liba.so")
    #expect(library?.children.map(\.name) == ["Fonts::init()"])
    #expect(library?.children.map(\.n) == [2])
  }

  @Test func `short code is folded after the medians were taken`() throws {
    let summary = try summary([5, 1, 3, 2, 4]).folded(minimumShare: 0.03)
    let load = try #require(summary.launch.child("load"))
    #expect(load.children.map(\.name) == ["/lib/libc.so.6", "/lib/liba.so", "/bin/tool"])
    let libraries = try #require(summary.launch.child("init")?.child("init.libraries"))
    #expect(libraries.children.map(\.name) == ["loader_other", "/lib/liba.so"])
    let all = try self.summary([1, 2]).folded(minimumShare: 0.9)
    #expect(all.launch.child("load")?.children.map(\.name) == ["3 shorter ones"])
    #expect(all.launch.child("load")?.children.first?.median == 200_000)
    #expect(all.launch.median == 3_001_500)
  }
}
