import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Watched launches with everything else that a launch can be asked for.
@Suite(.temporaryDirectory) struct SpawnerCollectorTests {
  static let perl = "/usr/bin/perl"

  struct ReadyCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var ready: Readiness
    var source: String
    var tty = false
  }

  static let readyCases = [
    ReadyCase(
      testDescription: "a pattern",
      ready: .output(stream: .stderr, pattern: "^up"),
      source: "$|=1; print STDERR qq(up\\n); sleep 60"
    ),
    ReadyCase(
      testDescription: "a pattern on a terminal",
      ready: .output(stream: .stdout, pattern: "^tty"),
      source: "print -t STDOUT ? qq(tty\\n) : qq(pipe\\n); sleep 60",
      tty: true
    ),
    ReadyCase(
      testDescription: "a notification",
      ready: .notify,
      source: "use Socket; socket S, AF_UNIX, SOCK_DGRAM, 0;"
        + "send S, 'READY=1', 0, sockaddr_un($ENV{NOTIFY_SOCKET}); sleep 60"
    ),
  ]

  @Test(arguments: readyCases, [[], [RefusingSpawner.Call.events]])
  func `watches a target until`(_ target: ReadyCase, _ refused: [RefusingSpawner.Call]) throws {
    let bench = try LaunchBench()
    let request = try bench.request(
      [Self.perl, "-e", target.source, bench.mark],
      ready: target.ready,
      tty: target.tty,
      counters: ["page-faults"],
      breakpoints: .find(in: Self.perl),
      recordsFaults: true
    )
    let result = try #require(try RefusingSpawner(refused).launch(request))
    #expect(result.outcome == .ready)
    #expect(result.flags == [])
    #expect((result.figures.counters["page-faults"] != nil) == refused.isEmpty)
    #expect((result.faults?.notes.isEmpty ?? false) == refused.isEmpty)
    let seen = try #require(result.observation)
    let ready = try #require(seen.ready)
    #expect(seen.events.last { $0.kind != .majorFault }?.kind == .mainReached)
    #expect(seen.events.allSatisfy { $0.time >= seen.begin && $0.time <= ready })
    #expect(bench.marked.isEmpty)
  }

  @Test func `gives plain launches nothing of it`() throws {
    let bench = try LaunchBench()
    let watched = try bench.request(
      [Self.perl, "-e", "1"],
      breakpoints: .find(in: Self.perl),
      recordsFaults: true
    )
    #expect(try bench.spawner.launch(watched).observation != nil)
    let plain = try bench.perl("print 1")
    #expect(plain.outcome == .ready)
    #expect(plain.observation == nil)
    #expect(plain.faults == nil)
  }

  @Test func `gives a watched target default signals and nothing but its files`() throws {
    let bench = try LaunchBench()
    let commands = [
      ["/bin/grep", "-E", "^(Sig(Blk|Ign)|TracerPid)", "/proc/self/status"],
      [
        Self.perl, "-e",
        "opendir D, '/proc/self/fd'; print join q( ), sort grep /\\d/ && $_ != fileno(D), readdir D",
      ],
    ]
    let outputs = try commands.map { command in
      let request = try bench.request(
        command,
        breakpoints: .find(in: command[0]),
        recordsFaults: true
      )
      return String(
        decoding: try bench.spawner.launch(request).output.stdout.head,
        as: UTF8.self
      )
    }
    #expect(
      outputs == [
        "TracerPid:\t0\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", "0 1 2",
      ]
    )
  }

  @Test func `leaves no file open and no memory mapped after watched launches`() throws {
    let bench = try LaunchBench()
    let look = "ls /proc/$PPID/fd | wc -l; wc -l < /proc/$PPID/maps"
    let sleeper = try bench.request(["/bin/sh", "-c", look])
    let watched = try bench.request(
      ["/bin/true"],
      breakpoints: .find(in: "/bin/true"),
      recordsFaults: true
    )
    let missing = try bench.request(
      ["/nowhere"],
      breakpoints: .find(in: "/bin/true"),
      recordsFaults: true
    )
    for _ in 0..<3 { _ = try bench.spawner.launch(watched) }
    let before = try bench.spawner.launch(sleeper)
    for _ in 0..<100 { #expect(try bench.spawner.launch(watched).outcome == .ready) }
    for _ in 0..<10 { #expect(try bench.spawner.launch(missing).observation == nil) }
    let after = try bench.spawner.launch(sleeper)
    #expect(before.output.stdout.totalBytes > 0)
    #expect(before.output.stdout == after.output.stdout)
  }

  @Test func `reports the empty program alike before and after a watched launch`() throws {
    let bench = try LaunchBench()
    let request = try bench.request([EmbeddedHelper.empty.unpacked()])
    let before = try #require(try bench.spawner.launch(request).figures.peakRSS)
    let watched = try bench.request(
      [Self.perl, "-e", "1"],
      breakpoints: .find(in: Self.perl),
      recordsFaults: true
    )
    _ = try bench.spawner.launch(watched)
    let after = try #require(try bench.spawner.launch(request).figures.peakRSS)
    #expect(after - before <= 128 << 10)
  }

  @Test(.enabled(if: TestMachine.isRoot, "changing the owner of a file takes root"))
  func `leaves a setuid program its rights`() throws {
    let bench = try LaunchBench()
    let path = "\(TemporaryDirectory.path)/id"
    try TestMachine.shell(
      "cp /usr/bin/id id; chown 65534 id; chmod u+s id; chmod 755 .",
      in: TemporaryDirectory.path
    )
    let request = try bench.request([path, "-u"], breakpoints: .find(in: path))
    let result = try bench.spawner.launch(request)
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "65534\n")
    #expect(result.observation?.events.last?.kind == .mainReached)
    let refusal = try #require(ProcessPrivileges.refusalToTrace(path, mayTraceAll: false))
    #expect(refusal.contains("is setuid"))
    #expect(ProcessPrivileges.refusalToTrace("/usr/bin/id", mayTraceAll: false) == nil)
  }
}
