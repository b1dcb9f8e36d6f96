import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeFoldingTests {
  @Test func `short initializers are summed, and sums stay`() throws {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    let folded = stages.folded(minimumShare: 0.02)
    let libraries = try #require(folded.part("init")?.child("init.libraries"))
    #expect(libraries.children.map(\.name) == ["/lib/liba.so", "loader_other", "/lib/libc.so.6"])
    #expect(libraries.microseconds == 250)
    let slow = try #require(libraries.child("/lib/liba.so"))
    #expect(slow.children.map(\.name) == ["liba.so+0x20", "liba.so+0x30"])
  }

  @Test func `several short ones are named by their count`() throws {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    let load = try #require(stages.folded(minimumShare: 0.05).part("load"))
    #expect(load.children.map(\.name) == ["3 shorter ones"])
    #expect(load.children.map(\.flags) == [[.folded]])
    #expect(load.children.map(\.microseconds) == [200])
  }

  @Test func `marks are never folded`() throws {
    var events = TreeEvents.usual
    events.add(.mark, at: 2_200, "first frame")
    events.add(.interval, at: 2_300, until: 2_301, "blink")
    let stages = StageTree.stages(of: events.observation(ready: 3_000)).folded(minimumShare: 0.5)
    #expect(stages.part("main_to_ready")?.children.map(\.name) == ["first frame", "blink"])
  }

  @Test func `a name that is found replaces the offset`() throws {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    let places = stages.codePlaces
    #expect(places.count == 4)
    let named = stages.naming([places[1]: "Fonts::init()", CodePlace(file: "/x", offset: 1): "no"])
    let slow = named.part("init")?.child("init.libraries")?.child("/lib/liba.so")?.children
    #expect(slow?.map(\.name) == ["Fonts::init()", "liba.so+0x30"])
    #expect(slow?.first?.place?.symbol == "Fonts::init()")
    #expect(named.codePlaces.count == 3)
  }

  @Test func `printed stages are details without a start`() throws {
    let printed = [
      Stage(name: "load", start: .zero, duration: TreeEvents.us(5), source: .statistics),
      Stage(name: "debugger pause", kind: .excluded, duration: nil, source: .text),
    ]
    let result = LaunchResult(outcome: .ready, launch: TreeEvents.us(80))
    let stages = StageTree.stages(printed: printed, by: .statistics, result: result)
    #expect(stages.launch.duration == TreeEvents.us(80))
    #expect(stages.launch.children.map(\.kind) == [.detail, .excluded])
    #expect(stages.launch.children.allSatisfy { $0.start == nil })
    #expect(stages.notes.isEmpty)
  }
}
