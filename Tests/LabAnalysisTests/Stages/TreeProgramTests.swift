import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeProgramTests {
  /// `sh` executes a wrapper, which executes the tool; the tool starts a child.
  private var chain: TreeEvents {
    var events = TreeEvents()
    events.addProgram("/bin/sh", at: 400)
    events.add(.consistent, at: 600)
    events.add(.mainBegins, at: 700)
    events.addProgram("/usr/bin/wrapper", at: 1_000)
    events.add(.consistent, at: 1_200)
    events.add(.mainBegins, at: 1_300)
    events.addProgram("/bin/tool", at: 2_000)
    events.add(.consistent, at: 2_200)
    events.add(.mainBegins, at: 2_300)
    events.addProgram("/bin/child", at: 2_500, pid: 101)
    events.add(.consistent, at: 2_700, pid: 101)
    events.add(.mainBegins, at: 2_800, pid: 101)
    return events
  }

  @Test func `wrappers are details of exec`() throws {
    let stages = StageTree.stages(of: chain.observation(ready: 4_000))
    #expect(stages.program == "/bin/tool")
    #expect(
      stages.parts == [
        "exec": 2_000, "load": 100, "fixup": 100, "init": 100, "main_to_ready": 1_700,
      ]
    )
    let exec = try #require(stages.part("exec"))
    #expect(exec.children.map(\.name) == ["/bin/sh", "/usr/bin/wrapper"])
    #expect(exec.children.map(\.microseconds) == [600, 1_000])
    #expect(exec.children.allSatisfy { $0.kind == .detail })
  }

  @Test func `the other programs keep their own stages`() throws {
    let stages = StageTree.stages(of: chain.observation(ready: 4_000))
    #expect(stages.others.map(\.program) == ["/bin/sh", "/usr/bin/wrapper", "/bin/child"])
    #expect(stages.others.map(\.isWrapper) == [true, true, false])
    #expect(stages.others.map(\.pid) == [100, 100, 101])
    #expect(stages.others[1].stages.map(\.name) == ["load", "fixup", "init", "after main"])
    #expect(stages.others[1].stages.map(\.microseconds) == [100, 100, 100, 700])
    #expect(stages.others[1].stages[0].start == TreeEvents.us(1_000))
    #expect(stages.others[2].stages.last?.flags == [.unfinished])
    #expect(stages.part("main_to_ready")?.children.map(\.name) == ["pre-main of /bin/child"])
    #expect(stages.part("main_to_ready")?.children.first?.microseconds == 300)
  }

  @Test func `the process that says it is ready has the stages`() {
    var events = chain
    events.readyProcess = 101
    let stages = StageTree.stages(of: events.observation(ready: 4_000))
    #expect(stages.program == "/bin/child")
    #expect(stages.pid == 101)
    #expect(stages.parts["exec"] == 2_500)
    #expect(stages.others.map(\.isWrapper) == [true, true, true])
  }

  @Test func `a ready process that is a copy has the stages of the launched one`() {
    var events = chain
    events.readyProcess = 333
    events.add(.mark, at: 3_000, pid: 333, "listening")
    let stages = StageTree.stages(of: events.observation(ready: 4_000))
    #expect(stages.program == "/bin/tool")
    #expect(stages.part("main_to_ready")?.children.map(\.name).contains("listening") == true)
    #expect(stages.notes.count == 1)
    #expect(stages.notes.first?.contains("process 333") == true)
  }

  @Test func `marks alone are details of the launch`() {
    var events = TreeEvents(collector: .marks)
    events.add(.mark, at: 50, "begin")
    events.add(.interval, at: 60, until: 80, "work")
    let stages = StageTree.stages(of: events.observation(ready: 100))
    #expect(stages.launch.children.map(\.name) == ["begin", "work"])
    #expect(stages.launch.children.allSatisfy { $0.kind == .detail && $0.source == .marks })
    #expect(stages.others.isEmpty)
  }

  @Test(arguments: ["env", "dash"])
  func `a chain that may end unseen is said to`(program: String) {
    var events = TreeEvents()
    events.addProgram("/usr/bin/\(program)", at: 100)
    events.add(.consistent, at: 200)
    events.add(.mainBegins, at: 300)
    let stages = StageTree.stages(of: events.observation(ready: 1_000))
    #expect(stages.notes.count == 1)
    #expect(stages.notes.first?.hasPrefix("the last program that was seen is \(program)") == true)
  }

  @Test func `a program without launch marks is told from a launch that was not seen`() {
    let silent = TreeEvents(collector: .marks).observation(ready: 100)
    #expect(StageTree.stages(of: silent).notes.first?.contains("made no launch marks") == true)
    let unseen = TreeEvents().observation(ready: 100)
    #expect(
      StageTree.stages(of: unseen).notes.first?.hasPrefix("the launch could not be observed")
        == true
    )
  }

  @Test func `a copy of a process that said nothing is no program`() {
    var events = chain
    events.add(.consistent, at: 3_000, pid: 444)
    events.add(.mark, at: 3_100, pid: 555, "worker up")
    let stages = StageTree.stages(of: events.observation(ready: 4_000))
    #expect(stages.others.map(\.pid) == [100, 100, 101, 555])
    #expect(stages.others.last?.program == "(a copy of a process)")
    #expect(stages.others.last?.stages.map(\.name) == ["worker up"])
  }
}
