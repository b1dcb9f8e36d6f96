import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory, .enabled(if: Workbench.has("cc"), "needs a C compiler, cc"))
struct ReadyTests {
  /// Launches a program once, with a file of events that waits for a mark.
  private func launch(
    _ command: [String],
    mark: String = "ready",
    ready: Readiness? = nil,
    timeout: Nanoseconds = .seconds(20)
  ) throws -> (result: LaunchResult, events: [LaunchEvent], socket: String) {
    let spawner = try Spawner()
    defer { spawner.close() }
    let file = try MarksFile(
      at: "\(TemporaryDirectory.path)/events",
      readyMark: mark,
      readySocket: spawner.notificationPath
    )
    let request = try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: ["PATH=/usr/bin:/bin", "LAUNCHLAB_EVENTS=\(file.path)"],
      directory: "/",
      ready: ready ?? .mark(name: mark),
      timeout: timeout
    )
    return (try spawner.launch(request), try file.events(), spawner.notificationPath)
  }

  @Test(arguments: ["itself", "child", "exit"])
  func `ends the launch at the instant of the mark`(way: String) throws {
    let program = try Workbench.compile("ready.c")
    let (result, events, _) = try launch([program, way])

    #expect(result.outcome == .ready)
    #expect(result.resolution == .zero)
    let trace = try #require(result.trace)
    let mark = try #require(events.first { $0.text == "ready" })
    #expect(result.launch == mark.time - trace.begin)
    #expect(trace.readyProcess == mark.pid)
    #expect((mark.pid == trace.process) == (way != "child"))
  }

  @Test func `waits for the mark of the name that was asked for`() throws {
    let program = try Workbench.compile("ready.c")
    let (result, events, _) = try launch([program, "itself"], mark: "first frame")
    let mark = try #require(events.first { $0.text == "first frame" })
    #expect(result.launch == mark.time - (try #require(result.trace).begin))
  }

  @Test func `times out when the mark is not made`() throws {
    let program = try Workbench.compile("ready.c")
    // A busy machine may not come to the first mark within the shortest limit.
    let isMarked = try [Int64(250), 4_000, 60_000].contains { limit in
      let (result, events, _) = try launch([program, "other"], timeout: .milliseconds(limit))
      #expect(result.outcome == .timedOut)
      #expect(result.launch == nil)
      return events.contains { $0.text == "first frame" }
    }
    #expect(isMarked)
  }

  /// A Perl program that sends a message to the socket that its argument names.
  private static func sender(of message: String) -> [String] {
    [
      "/usr/bin/perl", "-e",
      """
      $|=1; use Socket; open my $f, '<', $ENV{LAUNCHLAB_EVENTS}; read $f, my $h, 256;
      my $path = unpack 'Z*', substr $h, 96, 112; socket(my $s, AF_UNIX, SOCK_DGRAM, 0);
      print $ENV{NOTIFY_SOCKET} // 'unset';
      send($s, '\(message)', 0, sockaddr_un($path)) or exit 9; sleep 60
      """,
    ]
  }

  @Test(arguments: [
    "READY=1", "READY=1\nMONOTONIC_NSEC=1", "READY=1\nMONOTONIC_NSEC=999999999999999999",
    "READY=1\nMONOTONIC_NSEC=99999999999999999999999", "READY=1\nMONOTONIC_NSEC=",
    "READY=1\nMONOTONIC_NSEC=-5", "MONOTONIC_NSEC=12x\nREADY=1\n",
  ])
  func `takes its own time for one outside the launch`(message: String) throws {
    let (result, _, _) = try launch(Self.sender(of: message))
    #expect(result.outcome == .ready)
    let time = try #require(result.launch)
    #expect(time > .zero)
    #expect(time < .seconds(20))
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "unset")
  }

  @Test func `knows which process has notified`() throws {
    let source = """
      use Socket; socket(my $s, AF_UNIX, SOCK_DGRAM, 0); my $p = sockaddr_un($ENV{NOTIFY_SOCKET});
      if (fork) { sleep 60 } send $s, qq(READY=1\\nMONOTONIC_NSEC=1), 0, $p; sleep 60
      """
    let (result, _, _) = try launch(["/usr/bin/perl", "-e", source], ready: .notify)
    #expect(result.outcome == .ready)
    let trace = try #require(result.trace)
    #expect(try #require(trace.readyProcess) > 0)
    #expect(trace.readyProcess != trace.process)
  }
}
