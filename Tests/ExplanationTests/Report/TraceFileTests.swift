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

@Suite("An explanation as a trace")
struct ExplanationTraceTests {
  private func events(_ result: ExplanationResult) throws -> [ChromeEvent] {
    try ChromeTraceRules.expect(Data(ExplanationTrace(result).rendered().utf8))
  }

  /// The names of the processes or threads, in order.
  private func names(_ kind: String, _ events: [ChromeEvent], of process: Int? = nil) -> [String] {
    events.filter { $0.name == kind && (process == nil || $0.pid == process) }
      .compactMap(\.args?.name)
  }

  @Test("the critical path of each launch adds up to it, and wake-ups are arrows")
  func two() throws {
    let events = try events(SampleRecording.two)
    #expect(
      names("process_name", events) == [
        "A: ./app-old --version", "A: process sleep", "B: ./app-new --version",
        "B: process sleep", "B: sampled launch", "mean times (order unknown)",
      ]
    )
    for process in [1, 3] {
      let path = events.filter { $0.cat == "critical path" && $0.pid == process }
      #expect(path.reduce(0) { $0 + ($1.length ?? 0) } == 900)
      #expect(path.contains { $0.name == "process sleep: waits in clock_nanosleep" })
    }
    #expect(events.count { $0.ph == "s" } == 6)
    #expect(names("thread_name", events, of: 1) == ["critical path", "main thread", "thread 1"])
    let call = try #require(events.first { $0.name == "futex" && $0.pid == 1 && $0.tid == 2 })
    #expect(call.cat == "system call" && call.length == 290)
  }

  @Test("a wait says who ended it, and what that thread did then")
  func wakers() throws {
    let waits = try events(SampleRecording.two).filter { $0.name == "waits in futex" }
    #expect(waits.count == 2)
    #expect(
      waits.allSatisfy { $0.args?.detail?.hasSuffix("woken by thread 1 in futex") == true }
    )
  }

  @Test("the samples of a thread are stacks, and neighbours share what they have in common")
  func samples() throws {
    let events = try events(SampleRecording.two).filter { $0.pid == 5 }
    #expect(names("thread_name", events) == ["main thread", "thread 1"])
    let slices = events.filter { $0.ph == "B" }
    #expect(
      slices.map(\.name) == [
        "_start [app]", "main [app]", "wait_for_it [app]", "start_thread [app]", "compute [app]",
        "do_syscall_64 [kernel]",
      ]
    )
    #expect(slices.map(\.ts) == [200, 200, 400, 400, 400, 600])
    #expect(slices.map(\.length) == [400_000, 400_000, 200_000, 400_000, 400_000, 200_000])
  }

  @Test("a stack ends where the next one begins, and at the latest when its time is over")
  func irregularSamples() throws {
    var result = SampleRecording.one
    var profile = SampleRecording.sampled
    // In nanoseconds after the first one: too early, a little late, and after a wait.
    for (index, time) in [0, 150_000, 360_000, 700_000].enumerated() {
      profile.samples[index].time = Nanoseconds(201_000 + Int64(time))
      profile.samples[index].thread = 7
      profile.samples[index].kernel = []
      profile.samples[index].user = [
        CodeFrame(file: "/opt/app", function: "main"),
        CodeFrame(file: "/opt/app", function: "step_\(index)"),
      ]
    }
    result.arms[0].sampled = profile
    let slices = try events(result).filter { $0.cat == "sample" }
    #expect(
      slices.map(\.name) == [
        "main [app]", "step_0 [app]", "step_1 [app]", "step_2 [app]", "main [app]", "step_3 [app]",
      ]
    )
    #expect(slices.map(\.length) == [560_000, 150_000, 200_000, 200_000, 200_000, 200_000])
  }

  @Test("mean times are those of each program, and the difference in two")
  func meanTimes() throws {
    let events = try events(SampleExplanation.slower)
    #expect(names("process_name", events) == ["mean times (order unknown)"])
    #expect(names("thread_name", events) == ["A", "B", "slower in B", "faster in B"])
    let actors = events.filter { ["main thread", "thread worker"].contains($0.name) }
    let sums = Dictionary(grouping: actors, by: \.tid)
      .mapValues { $0.reduce(0) { $0 + ($1.length ?? 0) } }
    #expect(sums[1] == 2_600_000 && sums[2] == 8_525_000)
    #expect((sums[3] ?? 0) - (sums[4] ?? 0) == 5_925_000)
    let slices = events.filter { $0.ph == "B" && $0.tid == 2 }
    #expect(slices.contains { $0.name == "dl_main [ld-linux-x86-64.so.2]" })
    #expect(slices.contains { $0.name == "waits in clock_nanosleep" && $0.length == 5_200_000 })
    #expect(!events.contains { $0.name == "own code" || $0.name == "old_cache" && $0.tid == 2 })
  }

  @Test("one program has one launch of each kind")
  func one() throws {
    #expect(try Set(events(SampleRecording.one).map(\.pid)) == [1, 2, 3, 4])
    #expect(
      try names("thread_name", events(SampleRecording.one), of: 4) == ["app"]
    )
  }
}
