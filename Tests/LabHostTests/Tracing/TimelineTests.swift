import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Launches whose timeline is recorded on the machine that the tests run on.
@Suite(.temporaryDirectory, .serialized, .enabled(if: !TracedLaunches.collectors.isEmpty))
struct TimelineTests {
  @Test(arguments: TracedLaunches.collectors)
  func `sees paths, children, and who wakes whom`(_ collector: TimelineCollector) throws {
    let timeline = try TracedLaunches(collector).timeline(of: [
      "/bin/sh", "-c", "read line < /etc/hostname; /bin/true; exit 0",
    ])
    #expect(timeline.lostEvents == 0)
    #expect(collector == .ptrace || timeline.eventCost > 10 && timeline.eventCost < 100_000)
    let paths = timeline.calls.compactMap(\.text)
    #expect(paths.contains("/etc/hostname"))
    let programs = timeline.events.compactMap { event in
      if case .executed(let path) = event.kind { path } else { nil }
    }
    #expect(programs == ["/bin/sh", "/bin/true"])
    let child = try #require(
      timeline.events.lazy.compactMap { event -> Int32? in
        if case .started(let thread, let process) = event.kind, thread == process {
          thread
        } else {
          nil
        }
      }.first
    )
    // The shell waits for its child, which wakes it by its end.
    let wakers = timeline.events.compactMap { event -> TimelineEvent.Waker? in
      if case .woken(let waker) = event.kind, event.thread == timeline.process {
        waker
      } else {
        nil
      }
    }
    #expect(wakers.contains { $0.process == child && !$0.isInterrupt })
    #expect(
      timeline.events.filter { $0.kind == .ended }.map(\.thread) == [child, timeline.process]
    )
  }

  @Test(arguments: TracedLaunches.collectors)
  func `tells a timer from a thread that wakes another`(_ collector: TimelineCollector) throws {
    let timeline = try TracedLaunches(collector).timeline(of: [
      "/usr/bin/perl", "-e", "select undef, undef, undef, 0.02",
    ])
    let call = try #require(
      timeline.calls.last { $0.name.hasPrefix("pselect6") || $0.name == "select" }
    )
    #expect(call.text == nil)
    let wakers = timeline.events.compactMap { event -> TimelineEvent.Waker? in
      if case .woken(let waker) = event.kind { waker } else { nil }
    }
    #expect(wakers.contains { $0.isInterrupt })
    #expect(timeline.events.contains { $0.kind == .blocked(isForDisk: false) })
  }

  @Test(arguments: TracedLaunches.collectors)
  func `follows threads, and not what is launched beside`(_ collector: TimelineCollector) throws {
    let program = try CompiledProgram(
      """
      #include <pthread.h>
      #include <stdio.h>
      static void *work(void *mutex) { pthread_mutex_lock(mutex); pthread_mutex_unlock(mutex); return 0; }
      int main(void) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_t threads[3];
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &mutex);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """,
      in: TemporaryDirectory.path,
      options: ["-pthread"]
    )
    let beside = Process()
    beside.executableURL = URL(filePath: "/bin/sh")
    beside.arguments = ["-c", "while :; do /bin/true; done"]
    try beside.run()
    defer { beside.terminate() }
    let timeline = try TracedLaunches(collector).timeline(of: [program.path])
    let started = timeline.events.compactMap { event -> Int32? in
      if case .started(let thread, let process) = event.kind, process == timeline.process {
        thread
      } else {
        nil
      }
    }
    #expect(started.count == 3)
    #expect(Set(timeline.events.map(\.thread)) == Set(started + [timeline.process]))
    #expect(timeline.events.count { $0.kind == .ended } == 4)
  }

  @Test(arguments: TracedLaunches.collectors)
  func `tells of the end of every thread, whichever ends last`(
    _ collector: TimelineCollector
  ) throws {
    let program = try CompiledProgram(
      """
      #include <pthread.h>
      #include <sched.h>
      static pthread_barrier_t barrier;
      static void *work(void *unused) { pthread_barrier_wait(&barrier); return 0; }
      int main(void) {
        pthread_t threads[7];
        pthread_barrier_init(&barrier, 0, 8);
        for (int i = 0; i < 7; i++) pthread_create(&threads[i], 0, work, 0);
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < 7; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """,
      in: TemporaryDirectory.path,
      options: ["-pthread"]
    )
    let launches = try TracedLaunches(collector)
    for _ in 0..<(collector == .bpf ? 200 : 5) {
      let timeline = try launches.timeline(of: [program.path])
      #expect(timeline.events.count { $0.kind == .ended } == 8)
    }
  }

  @Test(arguments: TracedLaunches.collectors)
  func `every event lies in order, and every call is left`(_ collector: TimelineCollector) throws {
    let command = ["/usr/bin/perl", "-MPOSIX", "-e", "1"]
    let timeline = try TracedLaunches(collector).timeline(of: command)
    #expect(timeline.events.map(\.time) == timeline.events.map(\.time).sorted())
    var open: [Int32: Int] = [:]
    for event in timeline.events {
      switch event.kind {
      case .enteredCall:
        open[event.thread, default: 0] += 1
        #expect(open[event.thread] == 1)
      case .leftCall: open[event.thread] = 0
      default: break
      }
    }
    let faults = timeline.events.count { if case .faulted = $0.kind { true } else { false } }
    #expect(collector == .ptrace ? faults == 0 : faults > 50)
  }

  @Test(.enabled(if: TracedLaunches.collectors.count == 2))
  func `both collectors see the same calls`() throws {
    let command = ["/usr/bin/perl", "-MPOSIX", "-e", "1"]
    let calls = try TracedLaunches.collectors.map { collector in
      // How much memory perl takes depends on its random seed.
      try TracedLaunches(collector).timeline(of: command).calls
        .drop { $0.name != "execve" }.filter { $0.name != "brk" }
        .map { "\($0.name) \($0.text ?? "")" }
    }
    #expect(calls[0] == calls[1])
  }

  @Test(arguments: TracedLaunches.collectors)
  func `a launch after an untraced one has no event of it`(_ collector: TimelineCollector) throws {
    let launches = try TracedLaunches(collector)
    let first = try launches.timeline(of: ["/bin/true"])
    _ = try launches.bench.output(of: ["/bin/true"])
    let second = try launches.timeline(of: ["/bin/true"])
    #expect(second.events.allSatisfy { $0.time > first.ready })
    #expect(abs(first.events.count - second.events.count) < first.events.count / 2)
  }

  @Test(.enabled(if: TracedLaunches.collectors.contains(.bpf)))
  func `nothing stays attached when the helper is killed or closed`() throws {
    let launches = try TracedLaunches(.bpf)
    _ = try launches.timeline(of: ["/bin/true"])
    #expect(launches.attachments() == 0)
    let helper = TraceHelper(.timeline, in: FilePath(TemporaryDirectory.path))
    try helper.begin(spawner: getpid())
    #expect(launches.attachments() > 0)
    helper.close()
    #expect(launches.attachments() == 0)
  }

  @Test(arguments: TracedLaunches.collectors)
  func `a helper that is gone is an error, and the next one works`(
    _ collector: TimelineCollector
  ) throws {
    let program = collector == .bpf ? EmbeddedHelper.timeline : .tracer
    let helper = TraceHelper(program, in: FilePath(TemporaryDirectory.path))
    try helper.begin(spawner: getpid())
    helper.close()
    #expect(throws: HostError.self) { try helper.end() }
    try helper.begin(spawner: getpid())
    _ = try helper.end()
  }

  @Test(.enabled(if: TracedLaunches.collectors.contains(.ptrace)))
  func `a launch whose tracer is killed goes on by itself`() throws {
    let bench = try LaunchBench()
    let spawner = try #require(bench.spawner.processID)
    let helper = TraceHelper(.tracer, in: FilePath(TemporaryDirectory.path))
    try helper.begin(spawner: spawner)
    let killer = Process()
    killer.executableURL = URL(filePath: "/bin/sh")
    killer.arguments = ["-c", "sleep 0.1; kill -9 \(try #require(Self.tracer(of: spawner)))"]
    try killer.run()
    // Many calls before the tracer is gone, and after it.
    let script = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); : < /dev/null; done; echo done"
    let result = try bench.spawner.launchOnce(bench.request(["/bin/sh", "-c", script]))
    killer.waitUntilExit()
    #expect(result.outcome == .ready)
    #expect(Self.tracer(of: spawner) == nil)
    #expect(throws: HostError.self) { try helper.end() }
    #expect(try bench.spawner.launchOnce(bench.request(["/bin/true"])).outcome == .ready)
  }

  /// The process that traces another; nil for none.
  private static func tracer(of process: Int32) -> Int32? {
    let line = HostTree().text(at: "proc/\(process)/status")?
      .split(separator: "\n").first { $0.hasPrefix("TracerPid:") }
    let number = line?.split(separator: "\t").last.flatMap { Int32($0) }
    return number == 0 ? nil : number
  }
}

/// Timelines that are no whole file.
@Suite struct TimelineFileTests {
  @Test(arguments: [0, 31, 32, 40, 88, 95])
  func `a file that is cut off is none`(_ length: Int) throws {
    let bytes =
      [UInt8](of: UInt64(0x3130_4c54_424c_414c)) + [UInt8](of: UInt64(1))
      + [UInt8](of: UInt64(0)) + [UInt8](of: UInt64(0)) + [UInt8](repeating: 7, count: 64)
    #expect(TimelineFile(Array(bytes.prefix(length)), process: 1) == nil)
  }

  @Test func `a count that the file cannot have is refused`() {
    let bytes =
      [UInt8](of: UInt64(0x3130_4c54_424c_414c)) + [UInt8](of: UInt64.max)
      + [UInt8](of: UInt64(0)) + [UInt8](of: UInt64(0))
    #expect(TimelineFile(bytes, process: 1) == nil)
    #expect(TimelineFile([UInt8](repeating: 0, count: 64), process: 1) == nil)
  }
}

/// A spawner whose launches are traced.
struct TracedLaunches {
  let bench: LaunchBench
  private let collector: TimelineCollector
  private let tracer: LaunchTracer

  /// What records timelines on this machine.
  static let collectors: [TimelineCollector] = {
    guard let rights = try? TracingRights(in: NSTemporaryDirectory()) else { return [] }
    return TimelineCollector.allCases.filter { rights.failure(of: $0) == nil }
  }()

  init(_ collector: TimelineCollector) throws {
    self.collector = collector
    bench = try LaunchBench()
    tracer = LaunchTracer(in: FilePath(TemporaryDirectory.path))
  }

  func timeline(of command: [String]) throws -> LaunchTimeline {
    let result = try launch(command, kind: collector.kind)
    return try #require(result.timeline)
  }

  func launch(_ command: [String], kind: Arm.Kind) throws -> LaunchResult {
    let arm = Arm(target: "t", state: .warm, kind: kind)
    try tracer.begin(arm, spawner: try #require(bench.spawner.processID))
    var result = try bench.spawner.launchOnce(bench.request(command))
    try tracer.end(arm, &result)
    return result
  }

  /// How many attachments of programs to events of the kernel the helpers of this test hold.
  func attachments() -> Int {
    let tree = HostTree()
    let helpers = tree.names(in: "proc").filter { pid in
      Int32(pid) != nil
        && tree.text(at: "proc/\(pid)/cmdline")?.contains(TemporaryDirectory.path) == true
    }
    return helpers.reduce(0) { count, pid in
      count
        + tree.names(in: "proc/\(pid)/fd").count { file in
          let path = "/proc/\(pid)/fd/\(file)"
          let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
          return link == "anon_inode:bpf_link" || link == "anon_inode:bpf-link"
        }
    }
  }
}

extension LaunchTimeline {
  fileprivate var calls: [TimelineEvent.SystemCall] {
    events.compactMap { if case .enteredCall(let call) = $0.kind { call } else { nil } }
  }
}
