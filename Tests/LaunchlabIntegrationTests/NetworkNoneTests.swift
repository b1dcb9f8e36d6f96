import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Launches that see no network but a loopback of their own.
  @Suite(.enabled(if: Machine.isRoot, "a network namespace takes root"))
  struct NetworkNoneTests {
    @Test func `keeps a target from the servers of the host`() async throws {
      let lab = Launchlab()
      let listener = try Listener(in: lab)
      defer { listener.stop() }
      try lab.writeProgram(
        """
        use IO::Socket::INET; use IO::Socket::UNIX;
        my $tcp = IO::Socket::INET->new(PeerAddr => '127.0.0.1:\(listener.port)') ? 'yes' : "$!";
        my $abstract = IO::Socket::UNIX->new(Peer => "\\0\(listener.name)") ? 'yes' : "$!";
        my $path = IO::Socket::UNIX->new(Peer => 'socket') ? 'yes' : "$!";
        open F, '>>', 'reached'; syswrite F, "tcp $tcp abstract $abstract path $path\\n";
        """
      )

      _ = try await lab.measure(["network=host"])
      #expect(Set(lab.lines(of: "reached")) == ["tcp yes abstract yes path yes"])
      try FileManager.default.removeItem(atPath: lab.path("reached"))
      let result = try await lab.measure(["network=none"])

      let refused = "tcp Connection refused abstract Connection refused path yes"
      #expect(Set(lab.lines(of: "reached")) == [refused])
      #expect(result.control("network")?.status == "applied")
      #expect(result.control("network")?.after == "none")
    }

    @Test(
      .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
      .enabled(if: Machine.usersCanMakeNamespaces, "users may make no user namespaces")
    )
    func `waits for servers of a user without rights`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.writeNotifier()
      let port = try Machine.freePort()
      let server = """
        use IO::Socket::INET; my $s = IO::Socket::INET->new(
          Listen => 1, LocalAddr => '127.0.0.1:\(port)') or die; sleep 600
        """

      let notified = try await lab.measure(["network=none"], ["--ready", "notify"])
      let listening = try await lab.measure(
        ["network=none"],
        ["--ready", "tcp:127.0.0.1:\(port)"],
        of: ["perl", "-e", server]
      )

      for result in [notified, listening] {
        #expect(result.control("network")?.status == "applied")
        #expect(result.arms.map(\.outcomes) == [["ready": 3]])
      }
    }

    @Test(arguments: ["probe", "breakpoints"])
    func `looks into launches without a network`(collector: String) async throws {
      let lab = Launchlab()
      let options = ["--control", "network=none", "--collect", collector]

      let block = try await lab.block(options, of: ["/usr/bin/perl", "-e", "0"])

      #expect(block.format == "launchlab.\(collector)")
      #expect(block.stages.contains { $0.name == "load" || $0.name == "exec" })
    }
  }
}

/// A server of the host, with a port of its loopback and two Unix sockets.
private struct Listener {
  let port: Int

  /// The name of the abstract socket.
  let name: String

  private let tool: RunningTool

  init(in lab: Launchlab) throws {
    port = try Machine.freePort()
    name = "launchlab-test-\(port)"
    let source = """
      use IO::Socket::INET; use IO::Socket::UNIX; use IO::Select;
      my $tcp = IO::Socket::INET->new(Listen => 9, LocalAddr => '127.0.0.1:\(port)') or die;
      my @unix = map { IO::Socket::UNIX->new(Listen => 9, Local => $_) or die }
        "\\0\(name)", '\(lab.path("socket"))';
      open F, '>', '\(lab.path("listening"))'; close F;
      my $all = IO::Select->new($tcp, @unix);
      while (my @ready = $all->can_read) { $_->accept for @ready }
      """
    tool = try Tool.start("perl", ["-e", source])
    for _ in 0..<10_000 where !lab.exists("listening") { usleep(1_000) }
  }

  func stop() { tool.stop() }
}

extension Launchlab {
  /// Writes a daemon that says on the socket of systemd that it is ready.
  fileprivate func writeNotifier() throws {
    try writeProgram(
      """
      use IO::Socket::UNIX;
      my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $ENV{NOTIFY_SOCKET}) or die "$!";
      $s->send("READY=1\\n"); sleep 600 while 1
      """
    )
  }
}
