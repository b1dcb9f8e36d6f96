import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import Stages

/// Critical paths of programs of this machine.
@Suite(
  "Real launches",
  .temporaryDirectory,
  .serialized,
  .enabled(if: !RealLaunches.collectors.isEmpty)
)
struct RealLaunchTests {
  static let commands: [[String]] = [
    ["/bin/true"], ["/bin/ls", "/usr"], ["/bin/cat", "/etc/passwd"], ["/bin/date"],
    ["/bin/sh", "-c", ":"], ["/bin/sh", "-c", "/bin/true; /bin/true & wait"],
    ["/bin/bash", "-c", "for i in 1 2 3; do echo $(/bin/echo $i); done"],
    ["/usr/bin/env", "sh", "-c", "exec true"], ["/usr/bin/perl", "-MPOSIX", "-e", "fork; wait"],
    ["/usr/bin/perl", "-e", "select undef, undef, undef, 0.005"],
    ["/usr/bin/python3", "-c", "import json, threading"],
    ["/usr/bin/python3", "-c", "import threading as t; t.Thread(target=sum, args=([1],)).start()"],
    ["/usr/bin/git", "--version"], ["/usr/bin/sort", "/etc/passwd"], ["/usr/bin/tar", "--version"],
    ["/usr/bin/find", "/etc", "-maxdepth", "1"], ["/bin/grep", "root", "/etc/passwd"],
    ["/usr/bin/awk", "BEGIN { print 1 }"], ["/bin/sed", "-n", "1p", "/etc/passwd"],
    ["/usr/bin/xargs", "-a", "/etc/hostname", "-n1", "-P4", "/bin/echo"],
    ["/usr/bin/timeout", "5", "/bin/true"], ["/usr/bin/nice", "/bin/true"],
    ["/bin/dd", "if=/dev/zero", "of=/dev/null", "count=100"], ["/usr/bin/gcc", "--version"],
    ["/bin/gzip", "-c", "/etc/passwd"], ["/usr/bin/md5sum", "/bin/sh"],
  ]

  @Test("every nanosecond is in one segment", arguments: RealLaunches.collectors, commands)
  func partition(_ collector: TimelineCollector, _ command: [String]) throws {
    try #require(FileManager.default.isExecutableFile(atPath: command[0]))
    RealLaunches.check(try RealLaunches(collector).timeline(of: command), .exit)
  }

  @Test(
    "every nanosecond is in one segment until a server accepts",
    arguments: RealLaunches.collectors,
    ["redis-server", "nginx", "python3"]
  )
  func servers(_ collector: TimelineCollector, _ server: String) throws {
    let socket = TemporaryDirectory.path + "/socket"
    let ready = Readiness.unix(path: socket)
    let command: [String]
    switch server {
    case "redis-server":
      command = ["/usr/bin/redis-server", "--port", "0", "--unixsocket", socket, "--save", ""]
    case "nginx":
      let configuration = TemporaryDirectory.path + "/nginx.conf"
      let text = """
        daemon off; pid \(socket).pid; error_log /dev/null; events {}
        http { access_log off; server { listen unix:\(socket); } }
        """
      try text.write(toFile: configuration, atomically: true, encoding: .utf8)
      command = ["/usr/sbin/nginx", "-c", configuration]
    default:
      let source = """
        import socketserver
        socketserver.ThreadingUnixStreamServer("\(socket)", None).serve_forever()
        """
      command = ["/usr/bin/python3", "-c", source]
    }
    try #require(FileManager.default.isExecutableFile(atPath: command[0]))
    RealLaunches.check(try RealLaunches(collector).timeline(of: command, ready: ready), ready)
  }

  /// Programs that are few in a distribution.
  enum Shape: String, CaseIterable {
    case musl, staticProgram, staticPIE, processes, threads

    var linking: CompiledProgram.Linking {
      switch self {
      case .musl: .musl
      case .staticProgram: .staticProgram
      case .staticPIE: .staticPIE
      default: .dynamic
      }
    }

    /// How many processes, or threads, it starts.
    var count: Int {
      switch self {
      case .processes: 2_000
      case .threads: 500
      default: 3
      }
    }

    static let source = """
      #include <pthread.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static void *nothing(void *argument) { return argument; }
      int main(void) {
        pthread_t threads[COUNT];
        for (int i = 0; i < COUNT; i++)
          if (PROCESSES) {
            if (fork() == 0) _exit(0);
            if (i % 2) wait(0);
          } else {
            pthread_create(&threads[i], 0, nothing, 0);
          }
        if (PROCESSES)
          while (wait(0) > 0) {}
        else
          for (int i = 0; i < COUNT; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """
  }

  @Test("whatever it is", arguments: RealLaunches.collectors, Shape.allCases)
  func shapes(_ collector: TimelineCollector, _ shape: Shape) throws {
    let program = try CompiledProgram(
      Shape.source,
      in: TemporaryDirectory.path,
      linking: shape.linking,
      options: [
        "-pthread", "-DCOUNT=\(shape.count)", "-DPROCESSES=\(shape == .processes ? 1 : 0)",
      ]
    )
    let timeline = try RealLaunches(collector).timeline(of: [program.path])
    RealLaunches.check(timeline, .exit)
    #expect(
      timeline.events.count { if case .started = $0.kind { true } else { false } } == shape.count
    )
    #expect(timeline.events.count { $0.kind == .ended } == shape.count + 1)
  }

  @Test("waits for a child are the child's time", arguments: RealLaunches.collectors)
  func child(_ collector: TimelineCollector) throws {
    let timeline = try RealLaunches(collector).timeline(of: ["/bin/sh", "-c", "/bin/sleep 0.5; :"])
    let sums = LaunchClasses(LaunchPath(timeline, readiness: .exit))
    let sleep = sums.classes.filter { key, _ in
      key.actor == .process(program: "sleep", thread: 0) && key.activity == .wait("clock_nanosleep")
    }
    // The shell may begin to wait when its child has slept for long; some of it is left.
    #expect((sleep.values.first?.count ?? 0) >= 25_000_000)
    #expect(!sums.classes.keys.contains { $0.actor == .main && $0.activity == .wait("wait4") })
  }

  @Test(
    "a lock that another thread holds is that thread's time",
    arguments: RealLaunches.collectors
  )
  func lock(_ collector: TimelineCollector) throws {
    let program = try CompiledProgram(
      """
      #include <pthread.h>
      #include <unistd.h>
      static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      static volatile int held, wanted;
      static void *hold(void *nothing) {
        pthread_mutex_lock(&mutex);
        held = 1;
        while (!wanted) usleep(100);
        usleep(500000);
        pthread_mutex_unlock(&mutex);
        return nothing;
      }
      int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, hold, 0);
        while (!held) usleep(100);
        wanted = 1;
        pthread_mutex_lock(&mutex);
        return 0;
      }
      """,
      in: TemporaryDirectory.path,
      options: ["-pthread"]
    )
    let timeline = try RealLaunches(collector).timeline(of: [program.path])
    let sums = LaunchClasses(LaunchPath(timeline, readiness: .exit))
    let held = sums.classes[ClassKey(actor: .thread(number: 1), activity: .wait("clock_nanosleep"))]
    // The main thread may begin to wait when the other one has slept for long; some of it is left.
    #expect((held?.count ?? 0) >= 25_000_000)
    #expect(!sums.classes.keys.contains { $0.actor == .main && $0.activity == .wait("futex") })
  }
}

/// A spawner whose launches are traced.
private struct RealLaunches {
  private let spawner: Spawner
  private let tracer: LaunchTracer

  private let collector: TimelineCollector

  /// What records timelines on this machine.
  static let collectors: [TimelineCollector] = {
    guard let rights = try? TracingRights(in: NSTemporaryDirectory()) else { return [] }
    return TimelineCollector.allCases.filter { rights.failure(of: $0) == nil }
  }()

  init(_ collector: TimelineCollector) throws {
    self.collector = collector
    spawner = try Spawner()
    tracer = LaunchTracer(in: FilePath(TemporaryDirectory.path))
  }

  /// Every nanosecond of a launch is in one segment of its path, and in one leaf.
  static func check(_ timeline: LaunchTimeline, _ readiness: Readiness) {
    let path = LaunchPath(timeline, readiness: readiness)
    #expect(path.segments.first?.start == timeline.begin)
    #expect(path.segments.last?.end == timeline.ready)
    for (segment, next) in zip(path.segments, path.segments.dropFirst()) {
      #expect(segment.end == next.start)
      #expect(segment.duration > .zero)
    }
    let sums = LaunchClasses(path)
    let whole = sums.attributable + sums.queue + sums.harness + sums.unknown
    #expect(whole == timeline.ready - timeline.begin)
    #expect(sums.resources.values.reduce(.zero, +) == sums.attributable)
    // Nothing of a whole timeline is unknown.
    #expect(timeline.lostEvents == 0)
    #expect(sums.unknown == .zero)
  }

  func timeline(
    of command: [String],
    ready: Readiness = .exit
  ) throws -> LaunchTimeline {
    let arm = Arm(target: "t", state: .warm, kind: collector.kind)
    try tracer.begin(arm, spawner: try #require(spawner.processID))
    var result = try spawner.launchOnce(
      LaunchRequest(
        program: command[0],
        arguments: command,
        environment: ["PATH=/usr/bin:/bin"],
        directory: "/",
        ready: ready
      )
    )
    try tracer.end(arm, &result)
    #expect(result.outcome == .ready)
    return try #require(result.timeline)
  }
}
