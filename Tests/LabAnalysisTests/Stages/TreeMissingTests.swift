import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeMissingTests {
  @Test func `a launch that was not ready has no total`() {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: nil))
    #expect(stages.launch.duration == nil)
    #expect(stages.parts == ["exec": 400, "load": 200, "fixup": 100, "init": 300])
    #expect(stages.part("main_to_ready")?.duration == nil)
    #expect(stages.part("main_to_ready")?.flags == [.unfinished])
    #expect(stages.notes == ["the launch did not become ready, so it has no total"])
  }

  @Test func `a program that ends in an initializer has an unfinished one`() throws {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.consistent, at: 300)
    events.addInitializer(1, offset: 0x10, at: 310, until: 320)
    events.addInitializer(1, offset: 0x20, at: 330, until: nil)
    let stages = StageTree.stages(of: events.observation(ready: 900))
    let initializers = try #require(stages.part("init"))
    #expect(initializers.flags == [.merged])
    #expect(initializers.microseconds == 600)
    #expect(stages.part("main_to_ready")?.flags == [.unavailable])
    let group = try #require(initializers.child("init.libraries")?.child("/lib/libc.so.6"))
    #expect(group.children.map(\.flags) == [[], [.unfinished]])
    #expect(group.children.map(\.microseconds) == [10, 570])
    #expect(stages.preMain == nil)
    #expect(
      stages.notes == ["the end of init was not seen, so that it holds main_to_ready too"]
    )
  }

  @Test func `a program that is ready before main has no stage after init`() {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 940))
    #expect(stages.parts == ["exec": 400, "load": 200, "fixup": 100, "init": 240])
    #expect(stages.part("init")?.flags == [])
    #expect(stages.part("main_to_ready") == nil)
    let slow = stages.part("init")?.child("init.libraries")?.child("/lib/liba.so")?.children
    #expect(slow?.map(\.flags) == [[], [.unfinished]])
    #expect(slow?.map(\.microseconds) == [200, 20])
  }

  @Test func `without the end of relocation it is part of fixup`() {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.mainBegins, at: 600)
    let stages = StageTree.stages(of: events.observation(ready: 900))
    #expect(stages.parts == ["exec": 100, "load": 100, "fixup": 400, "main_to_ready": 300])
    #expect(stages.part("fixup")?.flags == [.merged])
    #expect(stages.part("init")?.flags == [.unavailable])
  }

  @Test func `a launch of which nothing was seen is only a total`() {
    let stages = StageTree.stages(of: TreeEvents().observation(ready: 900))
    #expect(stages.launch.duration == TreeEvents.us(900))
    #expect(stages.launch.children.isEmpty)
    #expect(stages.notes == ["the launch could not be observed, so it is not split into stages"])
  }

  @Test func `initializers that cannot be timed are said`() {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.initializersUntimed, at: 290, address: 13, object: 1)
    events.add(.initializersFound, at: 291, address: 9, object: 4)
    events.add(.consistent, at: 300)
    events.add(.mainBegins, at: 600)
    events.lostEvents = 3
    let stages = StageTree.stages(of: events.observation(ready: 900))
    #expect(
      stages.notes == [
        "5 of 9 initializers have no time of their own; what they took is in loader_other",
        "the initializers of /lib/libc.so.6 cannot be timed (error 13)",
        "3 events found no room; what they told is missing",
      ]
    )
  }

  @Test func `spawn is shown beside the launch`() {
    let stages = StageTree.stages(
      of: TreeEvents.usual.observation(ready: 3_000),
      spawn: TreeEvents.us(80),
      resolution: .milliseconds(1)
    )
    #expect(stages.part("spawn")?.kind == .excluded)
    #expect(stages.part("main_to_ready")?.resolution == .milliseconds(1))
    #expect(stages.launch.resolution == .milliseconds(1))
    #expect(stages.part("init")?.resolution == .zero)
  }

  @Test func `initializers of a program that hangs in one are still told apart`() throws {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.consistent, at: 300)
    events.addInitializer(1, offset: 0x10, at: 310, until: 320)
    events.addInitializer(1, offset: 0x20, at: 330, until: nil)
    let stages = StageTree.stages(of: events.observation(ready: nil))
    let initializers = try #require(stages.part("init"))
    #expect(initializers.duration == nil)
    #expect(initializers.flags == [.unfinished])
    let group = try #require(initializers.child("init.libraries")?.child("/lib/libc.so.6"))
    #expect(group.children.map(\.name) == ["libc.so.6+0x10", "libc.so.6+0x20"])
    #expect(group.children.map(\.flags) == [[], [.unfinished]])
  }
}
