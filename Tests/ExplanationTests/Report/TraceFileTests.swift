import Foundation
import LabTestSupport
import LaunchCore
import Rendering
import Stages
import Testing

@testable import Explanation

/// A launch with a thread that computes while the first one waits for it, and a child that sleeps.
enum SampleRecording {
  static let traced = RecordedLaunch(timeline: timeline, readiness: .exit)

  static let sampled = LaunchProfile(
    begin: Nanoseconds(1_000),
    ready: Nanoseconds(901_000),
    process: 7,
    period: Nanoseconds(200_000),
    samples: [
      sample(at: 201_000, ["_start", "main"]),
      sample(at: 401_000, ["_start", "main", "wait_for_it"]),
      sample(at: 401_000, thread: 8, ["start_thread", "compute"]),
      sample(at: 601_000, thread: 8, ["start_thread", "compute"], kernel: ["do_syscall_64"]),
      sample(at: 999_000, ["late"]),
    ],
    tasks: [
      ProfileTask(time: Nanoseconds(1_000), process: 7, thread: 7, kind: .executed(name: "app")),
      ProfileTask(
        time: Nanoseconds(201_000),
        process: 7,
        thread: 8,
        kind: .started(byThread: 7, process: 7)
      ),
    ]
  )

  private static func sample(
    at time: Int64,
    thread: Int32 = 7,
    _ functions: [String],
    kernel: [String] = []
  ) -> ProfileSample {
    ProfileSample(
      time: Nanoseconds(time),
      process: 7,
      thread: thread,
      kernel: kernel,
      user: functions.map { CodeFrame(file: "/opt/app", function: $0) }
    )
  }

  private static var timeline: LaunchTimeline {
    var events = EventList.demo
    let (thread, child) = (EventList.main + 1, EventList.main + 2)
    events.enter("clone3", at: 100)
    events.start(thread, at: 110)
    events.leave(Int64(thread), at: 120)
    events.run(at: 130, thread)
    events.enter("futex", at: 150)
    events.block(at: 160)
    events.enter("futex", at: 400, thread)
    events.wake(by: thread, at: 410)
    events.leave(at: 420, thread)
    events.run(at: 430)
    events.leave(at: 440)
    events.enter("vfork", at: 500)
    events.start(child, process: child, at: 510)
    events.block(at: 520)
    events.run(at: 530, child)
    events.enter("execve", text: "/bin/sleep", at: 540, child)
    events.execute("/bin/sleep", at: 560, child)
    events.wake(by: child, at: 561)
    events.run(at: 570)
    events.leave(Int64(child), at: 571)
    events.enter("clock_nanosleep", at: 600, child)
    events.block(at: 601, child)
    events.enter("wait4", at: 610)
    events.block(at: 611)
    events.wake(by: 0, interrupt: true, at: 800, child)
    events.run(at: 810, child)
    events.leave(at: 811, child)
    events.enter("exit_group", at: 820, child)
    events.wake(by: child, at: 830)
    events.run(at: 840)
    events.end(at: 850, child)
    events.leave(at: 860)
    events.end(at: 890)
    return events.timeline(until: 900)
  }

  /// Two programs with such a launch each; the first has no samples.
  static var two: ExplanationResult {
    var result = SampleExplanation.slower
    result.arms[0].traced = traced
    result.arms[1].traced = traced
    result.arms[1].sampled = sampled
    return result
  }

  static var one: ExplanationResult {
    var result = SampleExplanation.single
    result.arms[0].traced = traced
    result.arms[0].sampled = sampled
    return result
  }
}

@Suite("The tracks of a launch")
struct LaunchTracksTests {
  @Test("have every thread with its calls, its waits and who ended them")
  func threads() throws {
    let tracks = LaunchTracks(SampleRecording.traced)
    #expect(
      tracks.threads.map(\.actor) == [
        .main, .thread(number: 1), .process(program: "sleep", thread: 0),
      ]
    )
    #expect(tracks.threads.map(\.process) == [0, 0, 1])
    let futex = try #require(tracks.threads[0].stretches.first { $0.call == "futex" })
    #expect(futex.start == Nanoseconds(150) && futex.end == Nanoseconds(440))
    #expect(futex.pauses.map(\.start.count) == [160, 410])
    #expect(futex.pauses.map(\.waker) == [1, nil])
    #expect(futex.pauses[1].activity == .queue)
    let sleep = try #require(
      tracks.threads[2].stretches.first { $0.call == "clock_nanosleep" }
    )
    #expect(sleep.pauses[0].activity == .wait(name: "clock_nanosleep", object: nil, waker: nil))
    #expect(sleep.pauses[0].waker == nil)
    #expect(tracks.criticalPath.reduce(Nanoseconds.zero) { $0 + $1.duration } == tracks.duration)
  }

  @Test("the launch that is kept is near the median and little disturbed, whatever came first")
  func typical() {
    var typical = TypicalLaunch()
    let launches: [(time: Int64, queue: Int64)] = [
      (900, 0), (100, 40), (120, 1), (90, 0), (110, 0), (105, 30), (400, 0), (95, 0), (104, 1),
      (109, 0), (104, 9),
    ]
    for (time, queue) in launches {
      var launch = SampleRecording.traced
      launch.timeline.eventCost = Double(time)
      typical.consider(launch, time: Nanoseconds(time), queue: Nanoseconds(queue))
    }
    #expect(typical.launch?.timeline.eventCost == 104)
  }
}

@Suite("An explanation for Perfetto")
struct PerfettoTraceTests {
  private func events(_ result: ExplanationResult) throws -> [ChromeEvent] {
    let text = PerfettoTrace(result).rendered()
    return try ChromeTraceRules.expect(Data(text.utf8))
  }

  @Test("the critical path of each launch adds up to it, and wake-ups are arrows")
  func two() throws {
    let events = try events(SampleRecording.two)
    let processes = events.filter { $0.name == "process_name" }.compactMap(\.args?.name)
    #expect(
      processes == [
        "A: ./app-old --version", "A: process sleep", "B: ./app-new --version",
        "B: process sleep",
      ]
    )
    for process in [1, 3] {
      let path = events.filter { $0.cat == "critical path" && $0.pid == process }
      #expect(abs(path.reduce(0) { $0 + ($1.dur ?? 0) } - 0.9) < 1e-9)
      #expect(path.contains { $0.name == "process sleep: waits in clock_nanosleep" })
    }
    #expect(events.count { $0.ph == "s" } == 6)
    let names = events.filter { $0.name == "thread_name" && $0.pid == 1 }.compactMap(\.args?.name)
    #expect(names == ["critical path", "main thread", "thread 1"])
    let call = try #require(events.first { $0.name == "futex" && $0.pid == 1 && $0.tid == 2 })
    #expect(call.cat == "system call" && call.dur == 0.29)
  }

  @Test("one program has one launch, and without a launch the file is empty")
  func one() throws {
    #expect(try Set(events(SampleRecording.one).map(\.pid)) == [1, 2])
    #expect(try events(SampleExplanation.slower).isEmpty)
  }
}

@Suite("An explanation for the Firefox Profiler")
struct FirefoxProfileTests {
  /// What the reader of the format takes for granted, field by field.
  ///
  /// Source: `src/types/profile.ts` and the upgraders from version 61 on in
  /// `src/profile-logic/processed-profile-versioning.ts` of firefox-devtools/profiler.
  private struct File: Decodable {
    var meta: Meta
    var shared: Shared
    var threads: [Thread]

    struct Meta: Decodable {
      var interval: Double
      var startTime: Double
      var processType: Int
      var product: String
      var stackwalk: Int
      var version: Int
      var preprocessedProfileVersion: Int
      var symbolicated: Bool
      var categories: [Category]
      var markerSchema: [Schema]
      var initialVisibleThreads: [Int]
      var initialSelectedThreads: [Int]
    }

    struct Category: Decodable {
      var name: String
      var color: String
      var subcategories: [String]
    }

    struct Schema: Decodable {
      var name: String
      var display: [String]
      var fields: [Field]
      var chartLabel: String
      struct Field: Decodable {
        var key: String
        var format: String
      }
    }

    struct Shared: Decodable {
      var stringArray: [String]
      var stackTable: Stacks
      var frameTable: Frames
      var funcTable: Functions
      var resourceTable: Resources
      var sources: Sources
      var nativeSymbols: Length

      struct Stacks: Decodable {
        var frame: [Int]
        var prefix: [Int?]
        var length: Int
      }

      struct Frames: Decodable {
        var address: [Int]
        var inlineDepth: [Int]
        var category: [Int]
        var subcategory: [Int]
        var `func`: [Int]
        var nativeSymbol: [Int?]
        var innerWindowID: [Int?]
        var line: [Int?]
        var column: [Int?]
        var length: Int
      }

      struct Functions: Decodable {
        var name: [Int]
        var isJS: [Bool]
        var relevantForJS: [Bool]
        var resource: [Int]
        var source: [Int?]
        var lineNumber: [Int?]
        var columnNumber: [Int?]
        var length: Int
      }

      struct Resources: Decodable {
        var lib: [Int?]
        var name: [Int]
        var host: [Int?]
        var type: [Int]
        var length: Int
      }

      struct Sources: Decodable {
        var uuid: [String?]
        var filename: [Int]
        var length: Int
      }

      struct Length: Decodable { var length: Int }
    }

    struct Thread: Decodable {
      var name: String
      var processName: String
      var processType: String
      var pid: String
      var tid: Int
      var isMainThread: Bool
      var samples: Samples
      var markers: Markers
    }

    struct Samples: Decodable {
      var time: [Double]
      var stack: [Int?]
      var weight: [Double]?
      var weightType: String
      var length: Int
    }

    struct Markers: Decodable {
      var name: [Int]
      var startTime: [Double]
      var endTime: [Double]
      var phase: [Int]
      var category: [Int]
      var data: [Data]
      var length: Int

      struct Data: Decodable {
        var type: String
        var object: String?
        var waker: String?
        var thread: Int?
        var cause: Cause?
      }

      struct Cause: Decodable {
        var tid: Int
        var time: Double
        var stack: Int?
      }
    }
  }

  private func file(_ result: ExplanationResult) throws -> File {
    let text = FirefoxProfile(result).rendered()
    let file = try JSONDecoder().decode(File.self, from: Data(text.utf8))
    checkTables(file)
    for (number, thread) in file.threads.enumerated() { try check(thread, number, of: file) }
    return file
  }

  /// All columns of a table have its length.
  private func expect(_ columns: [Int], _ length: Int) {
    for column in columns { #expect(column == length) }
  }

  private func checkTables(_ file: File) {
    let shared = file.shared
    let (stacks, frames, functions) = (shared.stackTable, shared.frameTable, shared.funcTable)
    expect([stacks.frame.count, stacks.prefix.count], stacks.length)
    expect(
      [
        frames.address.count, frames.inlineDepth.count, frames.category.count,
        frames.subcategory.count, frames.func.count, frames.nativeSymbol.count,
        frames.innerWindowID.count, frames.line.count, frames.column.count,
      ],
      frames.length
    )
    expect(
      [
        functions.name.count, functions.isJS.count, functions.relevantForJS.count,
        functions.resource.count, functions.source.count, functions.lineNumber.count,
        functions.columnNumber.count,
      ],
      functions.length
    )
    let resources = shared.resourceTable
    expect(
      [resources.lib.count, resources.name.count, resources.host.count, resources.type.count],
      resources.length
    )
    // Parents come before their children.
    for (place, prefix) in stacks.prefix.enumerated() {
      #expect(prefix.map { (0..<place).contains($0) } ?? true)
    }
    #expect(stacks.frame.allSatisfy { (0..<frames.length).contains($0) })
    #expect(frames.func.allSatisfy { (0..<functions.length).contains($0) })
    #expect(frames.category.allSatisfy(file.meta.categories.indices.contains))
    #expect(functions.resource.allSatisfy { (-1..<resources.length).contains($0) })
    let strings = shared.stringArray.indices
    #expect((functions.name + resources.name).allSatisfy(strings.contains))
    // The first grey category is the default one, and the first subcategory is the category itself.
    #expect(file.meta.categories.contains { $0.color == "grey" })
    #expect(file.meta.categories.allSatisfy { $0.subcategories.first == "Other" })
    #expect(file.meta.preprocessedProfileVersion == 60)
    #expect(file.meta.initialVisibleThreads == Array(file.threads.indices))
  }

  private func check(_ thread: File.Thread, _ number: Int, of file: File) throws {
    let (samples, markers) = (thread.samples, thread.markers)
    #expect(thread.tid == number)
    expect([samples.time.count, samples.stack.count], samples.length)
    #expect(samples.weightType == (samples.weight == nil ? "samples" : "tracing-ms"))
    #expect((samples.weight ?? samples.time).count == samples.length)
    #expect(samples.time == samples.time.sorted())
    let stacks = file.shared.stackTable.length
    #expect(samples.stack.compactMap(\.self).allSatisfy { (0..<stacks).contains($0) })
    expect(
      [
        markers.name.count, markers.startTime.count, markers.endTime.count, markers.phase.count,
        markers.category.count, markers.data.count,
      ],
      markers.length
    )
    #expect(markers.name.allSatisfy(file.shared.stringArray.indices.contains))
    #expect(markers.phase.allSatisfy { $0 == 1 })
    #expect(markers.startTime == markers.startTime.sorted())
    // Every marker lies inside its launch, which took 900 ns.
    for (start, end) in zip(markers.startTime, markers.endTime) {
      #expect(0 <= start && start < end && end <= 0.0009)
    }
    for data in markers.data {
      let schema = try #require(file.meta.markerSchema.first { $0.name == data.type })
      let keys = Set(schema.fields.map(\.key))
      #expect(data.object == nil || keys.contains("object"))
      guard let cause = data.cause else { continue }
      #expect(keys.contains("waker") && keys.contains("thread"))
      #expect(data.thread == cause.tid && file.threads.indices.contains(cause.tid))
      #expect(file.threads[cause.tid].pid == thread.pid)
      let waker = try #require(data.waker)
      #expect(file.threads[cause.tid].name.hasSuffix(waker))
    }
  }

  @Test("has the critical path and every thread of each launch, and the samples beside them")
  func two() throws {
    let file = try file(SampleRecording.two)
    #expect(
      file.threads.map(\.name) == [
        "A: critical path", "main thread", "thread 1", "process sleep",
        "B: critical path", "main thread", "thread 1", "process sleep",
        "B: sampled, main thread", "thread 1",
      ]
    )
    #expect(
      file.threads.filter(\.isMainThread).map(\.pid) == ["A, traced", "B, traced", "B, sampled"]
    )
    for path in file.threads.filter({ $0.name.hasSuffix("critical path") }) {
      let sum = try #require(path.samples.weight).reduce(0, +)
      #expect(abs(sum - 0.0009) < 1e-12)
      #expect(path.markers.length == path.samples.length)
    }
    let sampled = try #require(file.threads.last)
    #expect(sampled.samples.time == [0.4, 0.6])
    let wait = try #require(file.threads[1].markers.data.first { $0.cause != nil })
    #expect(wait.waker == "thread 1" && wait.cause?.tid == 2)
    #expect(wait.cause?.time == 0.00041)
    // What woke it was in its own call then.
    let stack = try #require(wait.cause?.stack)
    let frame = file.shared.stackTable.frame[stack]
    let function = file.shared.funcTable.name[file.shared.frameTable.func[frame]]
    #expect(file.shared.stringArray[function] == "futex")
  }

  @Test("one program has its launches, and without a launch the file has no threads")
  func one() throws {
    #expect(
      try file(SampleRecording.one).threads.map(\.pid)
        == [
          "app, traced", "app, traced", "app, traced", "app, traced", "app, sampled",
          "app, sampled",
        ]
    )
    #expect(try file(SampleExplanation.slower).threads.isEmpty)
  }
}
