import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeBreakpointTests {
  @Test func `a dynamic program has loading and relocation in one`() throws {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, until: 380, "/bin/tool")
    events.add(.loaderState, at: 400)
    events.add(.loaderState, at: 700, object: 1)
    events.add(.entered, at: 900)
    events.add(.mainReached, at: 950)
    let stages = StageTree.stages(of: events.observation(ready: 2_000))
    #expect(stages.parts == ["exec": 400, "load": 300, "init": 250, "main_to_ready": 1_050])
    #expect(stages.part("load")?.flags == [.merged])
    #expect(stages.part("fixup")?.flags == [.unavailable])
    let exec = try #require(stages.part("exec"))
    #expect(exec.children.map(\.name) == ["kernel", "held by launchlab", "loader start"])
    #expect(exec.children.map(\.microseconds) == [300, 80, 20])
    let initializers = try #require(stages.part("init"))
    #expect(initializers.children.map(\.name) == ["init.libraries", "init.program"])
    #expect(initializers.children.map(\.microseconds) == [200, 50])
    #expect(stages.preMain == TreeEvents.us(950))
  }

  @Test func `a static program has no loader stages`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, "/bin/tool")
    events.add(.entered, at: 310)
    events.add(.mainReached, at: 330)
    events.add(.mark, at: 500, "half way")
    let stages = StageTree.stages(of: events.observation(ready: 1_000))
    #expect(stages.parts == ["exec": 310, "init": 20, "main_to_ready": 670])
    #expect(stages.part("load") == nil)
    #expect(stages.part("main_to_ready")?.children.map(\.name) == ["half way"])
    #expect(stages.notes.first?.contains("static") == true)
  }

  @Test func `the runtime of Go is set up before package initializers`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, "/bin/tool")
    events.add(.entered, at: 310)
    events.add(.runtimeMain, at: 500)
    events.add(.mainReached, at: 800)
    let stages = StageTree.stages(of: events.observation(ready: 1_000))
    #expect(
      stages.parts == ["exec": 310, "runtime_setup": 190, "init": 300, "main_to_ready": 200]
    )
  }

  @Test func `a stripped program has its main in init`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, "/bin/tool")
    events.add(.loaderState, at: 400)
    events.add(.loaderState, at: 700, object: 1)
    events.add(.entered, at: 900)
    let stages = StageTree.stages(of: events.observation(ready: 2_000))
    #expect(stages.parts == ["exec": 400, "load": 300, "init": 1_300])
    #expect(stages.part("init")?.flags == [.merged])
    #expect(stages.part("main_to_ready")?.flags == [.unavailable])
    #expect(stages.preMain == nil)
  }

  @Test func `a loader that was not seen has its time in exec`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, "/bin/tool")
    events.add(.entered, at: 900)
    events.add(.mainReached, at: 950)
    let stages = StageTree.stages(of: events.observation(ready: 2_000), hasLoader: true)
    #expect(stages.parts == ["exec": 900, "init": 50, "main_to_ready": 1_050])
    #expect(stages.part("exec")?.flags == [.merged])
    #expect(stages.part("fixup")?.flags == [.unavailable])
    #expect(
      stages.notes.contains("the end of exec was not seen, so that it holds load and fixup too")
    )
  }

  @Test func `musl runs all initializers after the entry point`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 300, until: 380, "/bin/tool")
    events.add(.loaderState, at: 700, object: 1)
    events.add(.entered, at: 720)
    events.add(.mainReached, at: 950)
    let stages = StageTree.stages(of: events.observation(ready: 2_000))
    #expect(stages.parts == ["exec": 380, "load": 320, "init": 250, "main_to_ready": 1_050])
    #expect(stages.part("load")?.flags == [.merged])
    #expect(stages.part("init")?.children.isEmpty == true)
  }

  @Test func `a program that is known to be static is not said to be so again`() {
    var events = TreeEvents(collector: .breakpoints)
    events.add(.executed, at: 100, until: 150, "/bin/still")
    events.add(.entered, at: 200)
    events.add(.mainReached, at: 300)
    let seen = events.observation(ready: 900)
    #expect(StageTree.stages(of: seen).notes.count == 1)
    #expect(StageTree.stages(of: seen, hasLoader: false).notes.isEmpty)
  }
}
