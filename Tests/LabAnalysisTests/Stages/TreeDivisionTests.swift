import LaunchCore
import Stages
import Testing

/// `main to ready` divided by what the critical path of a traced launch was on.
@Suite struct TreeDivisionTests {
  private static let begin = Nanoseconds.seconds(5)

  /// A launch whose `main` begins after 400 ns and that is ready after 1,000 ns, with a detail.
  private static let launch = LaunchStages(
    collector: .probe,
    launch: Stage(
      name: StageName.launch,
      start: .zero,
      duration: Nanoseconds(1_000),
      source: .probe,
      children: [
        Stage(name: StageName.exec, start: .zero, duration: Nanoseconds(400), source: .probe),
        Stage(
          name: StageName.mainToReady,
          start: Nanoseconds(400),
          duration: Nanoseconds(600),
          source: .probe,
          children: [
            Stage(name: "json", kind: .detail, duration: Nanoseconds(50), source: .text)
          ]
        ),
      ]
    )
  )

  /// The path of segments that follow each other, with the ends given since the beginning.
  private func path(
    _ parts: [(end: Int64, actor: LaunchActor, activity: Activity)]
  ) -> LaunchPath {
    var segments: [PathSegment] = []
    for part in parts {
      segments.append(
        PathSegment(
          start: segments.last?.end ?? Self.begin,
          end: Self.begin + Nanoseconds(part.end),
          actor: part.actor,
          activity: part.activity
        )
      )
    }
    return LaunchPath(segments: segments, counts: [:], eventCounts: [])
  }

  private func children(of stages: LaunchStages) throws -> [Stage] {
    try #require(stages.launch.children.first { $0.name == StageName.mainToReady }).children
  }

  @Test func `every nanosecond since main is in one part, with what took most of it`() throws {
    let sed = LaunchActor.process(program: "sed", thread: 0)
    let path = path([
      (end: 500, actor: .main, activity: .ownCode),
      (end: 530, actor: .main, activity: .systemCall(name: "openat", object: "/etc/a/one")),
      (end: 550, actor: .main, activity: .systemCall(name: "read", object: "/etc/b/two")),
      (end: 560, actor: .main, activity: .systemCall(name: "brk", object: nil)),
      (end: 600, actor: .thread(number: 1), activity: .ownCode),
      (end: 700, actor: sed, activity: .systemCall(name: "openat", object: "/etc/a/one")),
      (end: 705, actor: sed, activity: .queue),
      (end: 800, actor: .main, activity: .wait(name: "poll", object: nil, waker: nil)),
      (end: 810, actor: .main, activity: .systemCall(name: "wait4", object: nil)),
      (end: 890, actor: .main, activity: .diskWait(name: "read", object: "/etc/b/two")),
      (end: 960, actor: .main, activity: .faultWait),
      (end: 980, actor: .main, activity: .unknown),
      (end: 1_000, actor: .main, activity: .harness),
    ])
    let children = try children(of: Self.launch.dividing(by: path, launched: 7, since: Self.begin))
    let times = Dictionary(uniqueKeysWithValues: children.map { ($0.name, $0.duration?.count) })
    #expect(
      times == [
        "main_to_ready.own_code": 100, "main_to_ready.files": 50, "main_to_ready.calls": 10,
        "main_to_ready.threads": 40, "main_to_ready.processes": 100, "main_to_ready.queue": 5,
        "main_to_ready.waits": 95, "main_to_ready.starting": 10, "main_to_ready.disk": 80,
        "main_to_ready.page_faults": 70, "main_to_ready.unknown": 20,
        "main_to_ready.harness": 20, "main_to_ready.sockets": 0, "json": 50,
      ]
    )
    let parts = children.filter { $0.kind == .part }.compactMap(\.duration)
    #expect(parts.reduce(.zero, +) == Nanoseconds(600))
    let files = try #require(children.first { $0.name == StageName.MainPart.files })
    #expect(files.children.map(\.name) == ["/etc/a", "/etc/b"])
    #expect(files.children.allSatisfy { $0.kind == .detail })
    let processes = try #require(children.first { $0.name == StageName.MainPart.processes })
    #expect(processes.children.map(\.name) == ["sed"])
  }

  @Test func `behind a launcher it is the time of the program itself`() throws {
    var launch = Self.launch
    (launch.pid, launch.program) = (8, "/opt/tool/app")
    let path = path([
      (end: 500, actor: .main, activity: .ownCode),
      (end: 800, actor: .process(program: "app", thread: 0), activity: .ownCode),
      (end: 900, actor: .process(program: "app", thread: 1), activity: .ownCode),
      (end: 1_000, actor: .process(program: "sed", thread: 0), activity: .ownCode),
    ])
    let children = try children(of: launch.dividing(by: path, launched: 7, since: Self.begin))
    func part(_ name: String) -> Stage? { children.first { $0.name == name } }
    #expect(part(StageName.MainPart.ownCode)?.duration == Nanoseconds(300))
    #expect(part(StageName.MainPart.threads)?.duration == Nanoseconds(100))
    let processes = part(StageName.MainPart.processes)?.children.map(\.name)
    #expect(processes == ["launcher", "sed"])
  }

  @Test func `a path that does not cover the stage divides nothing`() {
    let short = path([(end: 990, actor: .main, activity: .ownCode)])
    #expect(Self.launch.dividing(by: short, launched: 7, since: Self.begin) == Self.launch)
    var alone = Self.launch
    alone.launch.children.removeLast()
    #expect(alone.dividing(by: short, launched: 7, since: Self.begin) == alone)
  }
}
