import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeProbeTests {
  @Test func `the stages of a program follow each other and sum to the launch`() {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    #expect(
      stages.parts == [
        "exec": 400, "load": 200, "fixup": 100, "init": 300, "main_to_ready": 2_000,
      ]
    )
    #expect(stages.launch.duration == TreeEvents.us(3_000))
    #expect(stages.preMain == TreeEvents.us(1_000))
    #expect(stages.program == "/bin/tool")
    #expect(stages.pid == 100)
    #expect(stages.notes.isEmpty)
    #expect(stages.counters["libraries"] == 2)
    #expect(stages.counters["initializers"] == 4)
  }

  @Test func `each library takes the time since the one before it`() {
    let load = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000)).part("load")
    #expect(load?.children.map(\.name) == ["/bin/tool", "/lib/libc.so.6", "/lib/liba.so"])
    #expect(load?.children.map(\.microseconds) == [0, 100, 100])
    #expect(load?.children[2].place == CodePlace(file: "/lib/liba.so"))
  }

  @Test func `initializers are grouped by library, and the rest is the loader's`() throws {
    let stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    let initializers = try #require(stages.part("init"))
    let libraries = try #require(initializers.child("init.libraries"))
    #expect(libraries.microseconds == 250)
    #expect(
      libraries.children.map(\.name) == ["/lib/libc.so.6", "/lib/liba.so", "loader_other"]
    )
    #expect(libraries.children.map(\.microseconds) == [5, 230, 15])
    let slow = try #require(libraries.child("/lib/liba.so")).children
    #expect(slow.map(\.name) == ["liba.so+0x20", "liba.so+0x30"])
    #expect(
      slow.map(\.place) == [
        CodePlace(file: "/lib/liba.so", offset: 0x20),
        CodePlace(file: "/lib/liba.so", offset: 0x30),
      ]
    )
    let program = try #require(initializers.child("init.program"))
    #expect(program.start == TreeEvents.us(950))
    #expect(program.children.map(\.microseconds) == [20, 30])
  }

  @Test func `what the program waits for before its first initializer is no library's`() throws {
    func libraries(timed: UInt32) throws -> Stage {
      var events = TreeEvents()
      events.addProgram("/bin/tool", at: 100)
      events.add(.initializersFound, at: 300, address: 2, object: timed)
      events.add(.consistent, at: 300)
      events.addInitializer(1, offset: 0x10, at: 310, until: 320)
      // Its entry point is read from disk.
      events.addInitializer(0, offset: 0x40, at: 9_000, until: 9_010)
      events.add(.mainBegins, at: 9_020)
      let stages = StageTree.stages(of: events.observation(ready: 9_100))
      return try #require(stages.part("init")?.child("init.libraries"))
    }
    #expect(try libraries(timed: 2).microseconds == 20)
    // The other one may be a library's, and have taken the time.
    #expect(try libraries(timed: 1).microseconds == 8_700)
  }

  @Test func `an initializer within another one is its detail`() throws {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.consistent, at: 300)
    events.addInitializer(1, offset: 0x10, at: 310, until: 500)
    events.addInitializer(1, offset: 0x20, at: 350, until: 400)
    events.add(.mainBegins, at: 600)
    let stages = StageTree.stages(of: events.observation(ready: 700))
    let libraries = try #require(stages.part("init")?.child("init.libraries"))
    #expect(libraries.flags == [.merged])
    #expect(libraries.children.map(\.microseconds) == [190, 110])
    let outer = try #require(libraries.children.first?.children.first)
    #expect(outer.children.map(\.name) == ["libc.so.6+0x20"])
    #expect(outer.children.map(\.kind) == [.detail])
  }

  @Test func `a library that an initializer loads is shown within it`() throws {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.consistent, at: 300)
    events.addInitializer(1, offset: 0x10, at: 310, until: 500)
    events.add(.adding, at: 320)
    events.add(.objectOpened, at: 350, address: 0x9_0000, object: 7, "/lib/plugin.so")
    events.add(.objectOpened, at: 370, address: 0xA_0000, object: 8, "/lib/helper.so")
    events.add(.consistent, at: 380)
    events.addInitializer(0, offset: 0x40, at: 510, until: 520)
    events.add(.mainBegins, at: 600)
    let stages = StageTree.stages(of: events.observation(ready: 700))
    let outer = try #require(
      stages.part("init")?.child("init.libraries")?.children.first?.children.first
    )
    let loading = try #require(outer.children.first)
    #expect(loading.name == "loading /lib/plugin.so")
    #expect(loading.microseconds == 60)
    #expect(loading.children.map(\.microseconds) == [30, 20])
    #expect(stages.counters["libraries_loaded_later"] == 2)
  }

  @Test func `what a program does after main is listed under it`() throws {
    var events = TreeEvents.usual
    events.add(.adding, at: 1_100)
    events.add(.objectOpened, at: 1_300, address: 0x9_0000, object: 7, "/lib/plugin.so")
    events.add(.consistent, at: 1_350)
    events.add(.interval, at: 1_200, until: 1_800, "read settings")
    events.add(.phase, at: 2_000, until: 2_500, "first screen")
    events.add(.task, at: 2_050, until: 2_100, object: 1, "fonts")
    events.add(.task, at: 2_100, until: 2_400, object: 1, "theme")
    events.add(.mark, at: 2_200, "first frame")
    let later = try #require(
      StageTree.stages(of: events.observation(ready: 3_000)).part("main_to_ready")
    )
    #expect(later.microseconds == 2_000)
    #expect(
      later.children.map(\.name) == [
        "loading /lib/plugin.so", "read settings", "first screen", "first frame",
      ]
    )
    #expect(later.children.allSatisfy { $0.kind == .detail })
    #expect(later.child("first screen")?.children.map(\.name) == ["fonts", "theme"])
    #expect(later.child("first frame")?.duration == .zero)
  }

  @Test func `an interval from one initializer to main hides no initializer`() throws {
    var events = TreeEvents.usual
    events.add(.interval, at: 712, until: 1_500, "warm up")
    let stages = StageTree.stages(of: events.observation(ready: 3_000))
    let libraries = try #require(stages.part("init")?.child("init.libraries"))
    #expect(libraries.child("/lib/liba.so")?.children.count == 2)
    #expect(libraries.child("warm up")?.kind == .detail)
  }

  @Test func `late events are counted, not shown`() {
    var events = TreeEvents.usual
    events.add(.mark, at: 3_500, "too late")
    events.addProgram("/bin/other", at: 3_600, pid: 200)
    let stages = StageTree.stages(of: events.observation(ready: 3_000))
    #expect(stages.counters["late_events"] == 5)
    #expect(stages.others.isEmpty)
    #expect(stages.notes == ["5 events came after the ready instant; not counted"])
  }

  @Test func `thousands of initializers take no quadratic time`() {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 100)
    events.add(.consistent, at: 300)
    for index in 0..<50_000 {
      let start = 310 + 2 * Int64(index)
      events.addInitializer(1, offset: UInt64(index), at: start, until: start + 1)
    }
    events.add(.mainBegins, at: 200_000)
    let stages = StageTree.stages(of: events.observation(ready: 300_000))
    #expect(stages.codePlaces.count == 50_000)
    #expect(stages.folded().codePlaces.isEmpty)
  }
}
