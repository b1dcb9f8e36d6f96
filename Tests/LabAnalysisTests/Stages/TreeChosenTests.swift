import Testing

@testable import LaunchCore
@testable import Stages

/// A launch whose stages are asked of a program that its launcher starts.
@Suite struct TreeChosenTests {
  /// A driver starts the compiler, and the assembler after it.
  private func launch(choosing name: String) -> TreeEvents {
    var events = TreeEvents()
    events.chosen = ChosenProgram(name: name)
    events.addProgram("/bin/driver", at: 400)
    events.add(.consistent, at: 600)
    events.add(.mainBegins, at: 700)
    events.addProgram("/lib/compiler", at: 2_000, pid: 101)
    events.add(.consistent, at: 2_300, pid: 101)
    events.add(.mainBegins, at: 2_500, pid: 101)
    events.addProgram("/bin/assembler", at: 6_000, pid: 102)
    events.add(.consistent, at: 6_200, pid: 102)
    events.add(.mainBegins, at: 6_300, pid: 102)
    return events
  }

  private func process(
    _ program: String,
    _ pid: Int32,
    from start: Int64,
    until end: Int64? = nil
  ) -> LaunchProcess {
    LaunchProcess(
      pid: pid,
      program: program,
      isExecuted: true,
      start: TreeEvents.us(start),
      end: end.map(TreeEvents.us)
    )
  }

  private var processes: [LaunchProcess] {
    [
      process("/bin/driver", 100, from: 0),
      process("/lib/compiler", 101, from: 1_500, until: 5_000),
      process("/bin/assembler", 102, from: 5_800, until: 7_000),
    ]
  }

  @Test func `what is before and after the program is stages of its own`() throws {
    let events = launch(choosing: "compiler")
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: processes)
    #expect(stages.program == "/lib/compiler")
    #expect(stages.pid == 101)
    #expect(stages.preMain == TreeEvents.us(1_000))
    #expect(
      stages.launch.children.map(\.name) == [
        "launcher", "exec", "load", "fixup", "init", "main_to_ready", "after_program",
      ]
    )
    #expect(
      stages.parts == [
        "launcher": 1_500, "exec": 500, "load": 100, "fixup": 200, "init": 200,
        "main_to_ready": 2_500, "after_program": 3_000,
      ]
    )
    let launcher = try #require(stages.part("launcher"))
    #expect(launcher.children.map(\.name) == ["/bin/driver"])
    #expect(launcher.children.first?.microseconds == 1_100)
    #expect(stages.part("after_program")?.children.map(\.name) == ["pre-main of /bin/assembler"])
    #expect(stages.notes.isEmpty)
  }

  @Test func `a program that goes on until the launch is ready has nothing after it`() {
    let events = launch(choosing: "/bin/assembler")
    var processes = processes
    processes[2].end = nil
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: processes)
    #expect(stages.parts["launcher"] == 5_800)
    #expect(stages.parts["main_to_ready"] == 1_700)
    #expect(stages.part("after_program") == nil)
  }

  @Test func `the launched program needs no launcher`() {
    let events = launch(choosing: "driver")
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: processes)
    #expect(stages.parts["exec"] == 400)
    #expect(stages.part("launcher") == nil)
  }

  @Test func `a program that is found under a link is known by its file`() {
    var events = launch(choosing: "cc")
    events.chosen?.file = "/lib/compiler"
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: processes)
    #expect(stages.program == "/lib/compiler")
  }

  @Test func `without records of processes the launcher reaches up to the first mark`() {
    let events = launch(choosing: "compiler")
    let stages = StageTree.stages(of: events.observation(ready: 8_000))
    #expect(stages.parts["launcher"] == 2_000)
    #expect(stages.part("launcher")?.flags == [.merged])
    #expect(stages.part("exec")?.flags == [.unavailable])
    #expect(stages.parts["main_to_ready"] == 5_500)
  }

  @Test func `a program that the collector cannot watch has its beginning and its end`() throws {
    let events = launch(choosing: "static")
    let more = processes + [process("/bin/static", 103, from: 7_000, until: 7_500)]
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: more)
    #expect(stages.program == "/bin/static")
    #expect(stages.parts == ["launcher": 7_000, "exec": 500, "after_program": 500])
    #expect(stages.part("exec")?.flags == [.merged])
    #expect(stages.notes.contains { $0.hasPrefix("of /bin/static only its beginning") })
  }

  @Test func `a launch without the program is not split`() {
    let events = launch(choosing: "linker")
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: processes)
    #expect(stages.parts.isEmpty)
    #expect(stages.program == nil)
    #expect(stages.notes.first?.hasPrefix("no process was seen to run linker") == true)
  }

  @Test func `of several processes that run it the first has the stages`() {
    var events = launch(choosing: "compiler")
    events.addProgram("/lib/compiler", at: 7_200, pid: 104)
    let more = processes + [process("/lib/compiler", 104, from: 7_100)]
    let stages = StageTree.stages(of: events.observation(ready: 8_000), processes: more)
    #expect(stages.pid == 101)
    #expect(
      stages.notes == ["2 processes ran compiler: the stages are those of the first, 101"]
    )
  }
}
