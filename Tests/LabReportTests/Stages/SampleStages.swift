import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Stages

/// Launches with fixed events, for snapshots; times are in microseconds.
enum SampleStages {
  private static let begin = Nanoseconds.seconds(5_000)

  private static func us(_ time: Double) -> Nanoseconds { Nanoseconds(Int64(time * 1_000)) }

  private struct Script {
    var events: [LaunchEvent] = []

    mutating func add(
      _ kind: LaunchEvent.Kind,
      _ pid: Int32,
      at time: Double,
      until end: Double? = nil,
      address: UInt64 = 0,
      object: UInt32 = 0,
      _ text: String = ""
    ) {
      events.append(
        LaunchEvent(
          kind: kind,
          pid: pid,
          time: begin + us(time),
          end: end.map { begin + us($0) },
          address: address,
          object: object,
          text: text
        )
      )
    }
  }

  /// A launch like that of node whose critical path is known, most of it own code.
  static func divided() -> LaunchStages {
    let launch = node()
    let main = launch.launch.children.first { $0.name == StageName.mainToReady }
    let (start, duration) = (main?.start ?? .zero, main?.duration ?? .zero)
    let parts: [(tenths: Int64, activity: Activity)] = [
      (6, .ownCode), (8, .systemCall(name: "read", object: "/usr/lib/node/index.js")),
      (9, .wait(name: "epoll_wait", object: nil, waker: nil)), (10, .queue),
    ]
    var segments: [PathSegment] = []
    for (tenths, activity) in parts {
      segments.append(
        PathSegment(
          start: segments.last?.end ?? begin,
          end: begin + start + Nanoseconds(duration.count * tenths / 10),
          actor: .main,
          activity: activity
        )
      )
    }
    let path = LaunchPath(segments: segments, counts: [:], eventCounts: [])
    return launch.dividing(by: path, launched: launch.pid ?? 0, since: begin)
  }

  private static let libraries = [
    "/usr/local/bin/node", "/lib64/ld-linux-x86-64.so.2", "linux-vdso.so.1",
    "/lib/x86_64-linux-gnu/libdl.so.2", "/lib/x86_64-linux-gnu/libstdc++.so.6",
    "/lib/x86_64-linux-gnu/libm.so.6", "/lib/x86_64-linux-gnu/libgcc_s.so.1",
    "/lib/x86_64-linux-gnu/libpthread.so.0", "/lib/x86_64-linux-gnu/libc.so.6",
  ]

  /// A launch like that of node: 829 initializers, most of them very short.
  static func node(seed: UInt64 = 1, slower: Double = 1) -> LaunchStages {
    var generator = SplitMix64(seed: seed)
    var script = Script()
    let pid = Int32(4_000 + Int32(seed))
    func jitter(_ time: Double) -> Double {
      time * slower * (1 + Double(generator.next(below: 1_000)) / 20_000)
    }
    var now = jitter(430)
    script.add(.programBegan, pid, at: now, "/usr/local/bin/node")
    for (object, path) in libraries.enumerated() {
      now += jitter([4, 2, 1, 90, 160, 70, 85, 60, 110][object])
      script.add(
        .objectOpened,
        pid,
        at: now,
        address: UInt64(object) << 32,
        object: UInt32(object),
        path
      )
    }
    now += jitter(2_150)
    script.add(.initializersFound, pid, at: now, address: 829, object: 829)
    script.add(.consistent, pid, at: now)
    for (object, count) in [(8, 2), (6, 1), (4, 16), (0, 810)] {
      for index in 0..<count {
        let offset = UInt64(0x1_0000 + 0x40 * index)
        let isSlow = object == 0 && index % 200 == 7
        let length = jitter(isSlow ? 120 + Double(index) / 4 : object == 4 ? 6 : 0.9)
        let address = UInt64(object) << 32 + offset
        now += jitter(0.2)
        script.add(
          .initializer,
          pid,
          at: now,
          until: now + length,
          address: address,
          object: UInt32(object)
        )
        now += length
      }
    }
    now += jitter(3)
    script.add(.mainBegins, pid, at: now)
    script.add(.mark, pid, at: now + jitter(21_000), "bootstrap complete")
    let ready = now + jitter(38_000)
    return stages(script, pid: pid, ready: ready).naming([
      CodePlace(file: "/usr/local/bin/node", offset: 0x1_0000 + 0x40 * 607):
        "_GLOBAL__sub_I_v8::internal::compiler::turboshaft::Operators<std::tuple<int, char>>",
      CodePlace(file: "/usr/local/bin/node", offset: 0x1_0000 + 0x40 * 7):
        "node::RegisterBuiltins()",
    ])
  }

  /// A script that executes a tool, which loads a plug-in, runs tasks and starts a child twice.
  static var tool: LaunchStages {
    var script = Script()
    add(program: "/usr/bin/dash", 700, at: 380, to: &script)
    add(program: "/opt/tool/bin/tool", 700, at: 1_250, to: &script)
    script.add(.adding, 700, at: 2_400)
    script.add(.objectOpened, 700, at: 2_900, address: 0x99_0000, object: 7, "/opt/tool/plugin.so")
    script.add(.consistent, 700, at: 2_950)
    script.add(.phase, 700, at: 3_000, until: 4_200, "first screen")
    script.add(.task, 700, at: 3_010, until: 3_400, object: 1, "load fonts")
    script.add(.task, 700, at: 3_400, until: 4_190, object: 1, "read\u{1B}settings")
    script.add(.interval, 700, at: 2_500, until: 3_600, "network")
    script.add(.mark, 700, at: 4_500, "first frame")
    for (index, pid) in [Int32(701), 702].enumerated() {
      add(program: "/usr/bin/uname", pid, at: 4_600 + 900 * Double(index), to: &script)
    }
    script.add(.mark, 700, at: 9_500, "too late")
    var tool = stages(
      script,
      pid: 700,
      ready: 8_000,
      notes: [
        "/opt/tool/plugin.so has 2 initializers that are not timed, because it was loaded later"
      ]
    )
    tool.processes = [
      process(700, "/usr/bin/dash", 0, 1_100), process(700, "/opt/tool/bin/tool", 1_100, nil),
      process(701, "/opt/tool/bin/tool", 4_500, 4_580, isExecuted: false),
      process(701, "/usr/bin/uname", 4_580, 5_200), process(702, "", 5_490, 6_000),
    ]
    return tool
  }

  private static func process(
    _ pid: Int32,
    _ program: String,
    _ start: Double,
    _ end: Double?,
    isExecuted: Bool = true
  ) -> LaunchProcess {
    LaunchProcess(
      pid: pid,
      parent: pid == 700 ? nil : 700,
      program: program,
      isExecuted: isExecuted,
      start: us(start),
      end: end.map(us)
    )
  }

  private static func add(
    program: String,
    _ pid: Int32,
    at start: Double,
    to script: inout Script
  ) {
    script.add(.programBegan, pid, at: start, program)
    script.add(.objectOpened, pid, at: start + 2, object: 0, program)
    script.add(.objectOpened, pid, at: start + 140, address: 0x10_0000, object: 1, "/lib/libc.so.6")
    script.add(.consistent, pid, at: start + 300)
    script.add(
      .initializer,
      pid,
      at: start + 310,
      until: start + 316,
      address: 0x10_0040,
      object: 1
    )
    script.add(.initializer, pid, at: start + 330, until: start + 332, address: 0x40, object: 0)
    script.add(.mainBegins, pid, at: start + 340)
  }

  private static func stages(
    _ script: Script,
    pid: Int32,
    ready: Double?,
    collector: StageCollector = .probe,
    notes: [String] = []
  ) -> LaunchStages {
    StageTree.stages(
      of: StageObservation(
        collector: collector,
        begin: begin,
        ready: ready.map { begin + us($0) },
        process: pid,
        events: script.events,
        notes: notes
      ),
      spawn: us(84)
    )
  }

  /// A static program seen by breakpoints.
  static var still: LaunchStages {
    var script = Script()
    script.add(.executed, 800, at: 150, until: 210, "/bin/still")
    script.add(.entered, 800, at: 216)
    script.add(.mainReached, 800, at: 240)
    return stages(script, pid: 800, ready: 330, collector: .breakpoints)
  }

  /// A program that never became ready.
  static var unready: LaunchStages {
    var script = Script()
    add(program: "/bin/tool", 900, at: 400, to: &script)
    return stages(script, pid: 900, ready: nil)
  }

  /// A launch of events that no program would make.
  static func odd(seed: Int) -> LaunchStages {
    var generator = SplitMix64(seed: UInt64(seed))
    var script = Script()
    add(program: "/bin/odd", 1_000, at: 400, to: &script)
    let kinds: [LaunchEvent.Kind] = [.initializer, .interval, .phase, .task, .mark, .adding]
    for _ in 0..<60 {
      let start = Double(generator.next(below: 3_000)) / 1.3
      script.add(
        kinds[generator.next(below: kinds.count)],
        Int32(1_000 + generator.next(below: 2)),
        at: start,
        until: generator.next(below: 5) == 0 ? nil : start + Double(generator.next(below: 900)) / 7,
        object: UInt32(generator.next(below: 2)),
        "odd \(generator.next(below: 9))"
      )
    }
    return stages(script, pid: 1_000, ready: seed.isMultiple(of: 3) ? nil : 2_500)
  }

  /// What the loader printed of itself.
  static var printed: LaunchStages {
    let stages = [
      Stage(name: StageName.load, duration: us(310), source: .statistics),
      Stage(name: StageName.fixup, duration: us(1_020), source: .statistics),
      Stage(name: StageName.loaderOther, duration: us(95), source: .statistics),
    ]
    let result = LaunchResult(outcome: .ready, launch: us(9_000))
    return StageTree.stages(printed: stages, by: .statistics, result: result)
  }

  /// Launches of one arm, with plain ones of the same blocks.
  static func summary(_ launches: [LaunchStages], plain: Double? = nil) -> StagesSummary {
    var accumulator = StageAccumulator()
    for (block, launch) in launches.enumerated() {
      accumulator.add(launch, block: block)
      if let plain {
        accumulator.add(plain: us(plain + Double(block)), block: block)
      }
    }
    return accumulator.summaries()[0]
  }

  static var nodes: [LaunchStages] {
    (1...7).map { node(seed: $0, slower: 1 + Double($0) / 100) }
  }

  /// Compares a text with the one in the folder that all suites of this module have together.
  static func expectSnapshot(
    _ text: String,
    named name: String,
    suite: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try LabTestSupport.expectSnapshot(
      text,
      named: name,
      suite: suite,
      filePath: #filePath.replacing("/LabReportTests/Stages/", with: "/LabReportTests/"),
      sourceLocation: sourceLocation
    )
  }
}
