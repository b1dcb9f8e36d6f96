import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(
  .temporaryDirectory,
  .enabled(if: TestMachine.canMount, "a network namespace needs CAP_SYS_ADMIN")
)
struct LaunchNetworkTests {
  private static let none = LaunchConditions(network: .none)

  /// Listens on an address and a port, and answers every connection.
  private static let server = """
    use IO::Socket::IP; select undef,undef,undef,.02;
    my $l = IO::Socket::IP->new(Listen=>5, LocalHost=>shift, LocalPort=>shift) or exit 9;
    $| = 1; print STDERR 1;
    while (1) { my $c = $l->accept or next; my $line = <$c>; print $c "HTTP/1.1 200 OK\\r\\n\\r\\n" }
    """

  @Test func `shows the target nothing but loopback`() throws {
    let bench = try LaunchBench()
    let links = ["/bin/sh", "-c", "sed -n 's/^ *\\(.*\\):.*/\\1/p' /proc/net/dev"]
    #expect(try bench.output(of: links, conditions: Self.none) == "lo\n")
    let routes = try bench.output(of: ["/bin/cat", "/proc/net/route"], conditions: Self.none)
    #expect(routes.split(separator: "\n").count == 1)
  }

  @Test func `gives each launch a network of its own, and comes back from it`() throws {
    let bench = try LaunchBench()
    let host = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    let both = ["/bin/sh", "-c", "readlink /proc/$PPID/ns/net; readlink /proc/self/ns/net"]
    for _ in 0..<2 {
      let inside = try bench.output(of: both, conditions: Self.none).split(separator: "\n")
      #expect(inside.count == 2 && inside[0] == inside[1] && inside[0] != host)
      #expect(try bench.output(of: both) == "\(host)\n\(host)\n")
    }
  }

  @Test func `trusts no spawner that may be off the host's network`() throws {
    let bench = try LaunchBench()
    let parent = ["/bin/sh", "-c", "echo $PPID"]
    let inside = try bench.output(of: parent, conditions: Self.none)
    #expect(try bench.output(of: parent, conditions: Self.none) == inside)
    let outside = try bench.output(of: parent)
    #expect(outside != inside)
    #expect(try bench.output(of: parent) == outside)
  }

  @Test func `leaves the namespace as soon as the launch has ended`() throws {
    let process = try LimitedSpawner.plain().started()
    let pid = process.pid
    let request = try LaunchBench().request(["/bin/true"], conditions: Self.none)
    let isSent = process.send(request.bytes())
    let reply = process.receive(within: .seconds(20), interrupt: -1)
    let host = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    let home = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/ns/net")
    process.dismiss()
    #expect(isSent && home == host)
    guard case .message = reply else { return #expect(Bool(false), "no answer") }
  }

  @Test func `keeps the target from the host's loopback services`() throws {
    let bench = try LaunchBench()
    let holder = try Listener(Self.server, ["127.0.0.1", "0"])
    defer { holder.end() }
    let port = try holder.port()
    let client =
      "use IO::Socket::INET; print IO::Socket::INET->new("
      + "PeerAddr => '127.0.0.1', PeerPort => \(port)) ? 'reached' : $!"
    let connect = ["/usr/bin/perl", "-e", client]
    #expect(try bench.output(of: connect) == "reached")
    #expect(try bench.output(of: connect, conditions: Self.none) == "Connection refused")
  }

  @Test func `keeps the target from abstract sockets of the host`() throws {
    let bench = try LaunchBench()
    let name = "\\0\(bench.mark)"
    let holder = try Listener(
      "use Socket; socket S, AF_UNIX, SOCK_STREAM, 0; bind S, pack_sockaddr_un(qq(\(name)))"
        + " or die; listen S, 5; print STDERR 1; sleep 60",
      []
    )
    defer { holder.end() }
    let client =
      "use Socket; socket S, AF_UNIX, SOCK_STREAM, 0;"
      + "print connect(S, pack_sockaddr_un(qq(\(name)))) ? 'reached' : $!"
    let connect = ["/usr/bin/perl", "-e", client]
    #expect(try bench.output(of: connect) == "reached")
    #expect(try bench.output(of: connect, conditions: Self.none) == "Connection refused")
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `is ready when a port accepts inside, again and again`(_ address: String) throws {
    let bench = try LaunchBench()
    let port = try bench.freePort()
    for _ in 0..<3 {
      let result = try bench.perl(
        Self.server,
        [address, "\(port)"],
        ready: .tcp(host: address, port: port),
        conditions: Self.none
      )
      #expect(result.outcome == .ready)
    }
    let answer = try bench.perl(
      Self.server,
      [address, "\(port)"],
      ready: .http(host: address, port: port, path: "/"),
      conditions: Self.none
    )
    #expect(answer.outcome == .ready)
    #expect(bench.marked.isEmpty)
  }

  @Test func `may use a port inside that is in use outside`() throws {
    let bench = try LaunchBench()
    let holder = try Listener(Self.server, ["127.0.0.1", "0"])
    defer { holder.end() }
    let port = try holder.port()
    let ready = Readiness.tcp(host: "127.0.0.1", port: port)
    let arguments = ["127.0.0.1", "\(port)"]
    for _ in 0..<2 {
      let inside = try bench.perl(Self.server, arguments, ready: ready, conditions: Self.none)
      #expect(inside.outcome == .ready)
      guard
        case .notStarted(let reason) = try bench.perl(Self.server, arguments, ready: ready).outcome
      else { return #expect(Bool(false), "the port outside was not seen") }
      #expect(reason.hasPrefix("port \(port) is in use by pid \(holder.pid) (perl)"))
    }
  }

  @Test func `is ready inside when the target notifies`() throws {
    let source =
      "use Socket; socket S, AF_UNIX, SOCK_DGRAM, 0;"
      + "send S, 'READY=1', 0, sockaddr_un($ENV{NOTIFY_SOCKET}); sleep 60"
    let result = try LaunchBench().perl(source, ready: .notify, conditions: Self.none)
    #expect(result.outcome == .ready)
  }

  @Test func `is ready inside when a Unix socket of a path accepts`() throws {
    let path = "\(TemporaryDirectory.path)/socket"
    let source = """
      use IO::Socket::UNIX; select undef,undef,undef,.02;
      my $l = IO::Socket::UNIX->new(Listen=>5, Local=>shift) or exit 9; sleep 60
      """
    let ready = Readiness.unix(path: path)
    let result = try LaunchBench().perl(source, [path], ready: ready, conditions: Self.none)
    #expect(result.outcome == .ready)
  }

  @Test func `ends what a target has left in its network`() throws {
    let bench = try LaunchBench()
    let source = "use POSIX; exit if fork; POSIX::setsid(); sleep 60"
    let result = try bench.perl(source, conditions: Self.none)
    #expect(result.outcome == .ready)
    #expect(result.flags == [.leftProcesses])
    #expect(bench.marked.isEmpty)
  }
}
