import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct TreeLookTests {
  private let machine = FixtureTree()

  /// Makes a process with one thread.
  private func makeProcess(
    _ pid: Int,
    parent: Int,
    name: String,
    state: String = "S",
    ticks: Int = 0
  ) throws {
    let rest = "\(parent) 1 1 0 -1 0 0 0 0 0 \(ticks) 0 0 0 20 0 1 0 1 1 1"
    let line = "\(pid) (\(name)) \(state) \(rest)"
    try machine.write(line, to: "proc/\(pid)/stat")
    try machine.write(line, to: "proc/\(pid)/task/\(pid)/stat")
  }

  private func open(_ link: String, as number: Int, by pid: Int) throws {
    let directory = "\(TemporaryDirectory.path)/proc/\(pid)/fd"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(directory)/\(number)",
      withDestinationPath: link
    )
  }

  private func seen(since ticks: Int64 = 0) -> TreeSight? {
    TreeLook(spawner: 10, tree: machine.tree)
      .sight(since: .milliseconds(ticks * 10), window: .seconds(1))
  }

  @Test func `sees the processes below the spawner, and what they used`() throws {
    try makeProcess(10, parent: 1, name: "spawner", ticks: 99)
    try makeProcess(11, parent: 10, name: "a (b) c", ticks: 7)
    try makeProcess(12, parent: 11, name: "child", ticks: 4)
    try makeProcess(13, parent: 11, name: "gone", state: "Z", ticks: 50)
    try makeProcess(14, parent: 1, name: "other", ticks: 50)
    #expect(TreeLook(spawner: 10, tree: machine.tree).used() == .milliseconds(110))
    let sight = try #require(seen(since: 5))
    #expect(sight.processes == ["a (b) c", "child"])
    #expect(sight.used == .milliseconds(60))
    #expect(!sight.isAsleep)
    #expect(try #require(seen(since: 11)).isAsleep)
  }

  @Test(arguments: ["R", "D"])
  func `tells a thread at work from one that waits`(state: String) throws {
    try makeProcess(11, parent: 10, name: "app")
    #expect(try #require(seen()).isAsleep)
    try machine.write("12 (worker) \(state) 10", to: "proc/11/task/12/stat")
    #expect(!(try #require(seen()).isAsleep))
  }

  @Test func `sees nothing when all are gone`() throws {
    try makeProcess(10, parent: 1, name: "spawner")
    #expect(seen() == nil)
  }

  @Test func `names ports, sockets and files that are theirs`() throws {
    try makeProcess(11, parent: 10, name: "app")
    for (number, link) in [
      "/dev/null", "pipe:[7]", "socket:[500]", "socket:[501]", "socket:[502]", "/srv/data.db",
      "/tmp/gone (deleted)", "/proc/1/stat", "socket:[504]",
    ].enumerated() {
      try open(link, as: number, by: 11)
    }
    let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"
    func row(_ address: String, _ state: String, _ inode: Int) -> String {
      "   0: \(address) 00000000:0000 \(state) 00000000:00000000 00:00000000 00000000 0 0 \(inode) 1"
    }
    try machine.write(
      """
      \(head)
      \(row("0100007F:1F91", "0A", 500))
      \(row("0100007F:1F92", "01", 501))
      \(row("0100007F:1F93", "0A", 999))
      """,
      to: "proc/11/net/tcp"
    )
    try machine.write(
      "\(head)\n\(row("00000000000000000000000001000000:0050", "0A", 502))",
      to: "proc/11/net/tcp6"
    )
    try machine.write(
      """
      Num       RefCount Protocol Flags    Type St Inode Path
      0000000000000000: 00000002 00000000 00010000 0001 01 504 /run/my app.sock
      0000000000000000: 00000003 00000000 00000000 0001 03 504 /run/connected
      0000000000000000: 00000002 00000000 00010000 0001 01 999 /run/other
      """,
      to: "proc/11/net/unix"
    )
    let sight = try #require(seen())
    #expect(sight.ports == ["127.0.0.1:8081", "[::1]:80"])
    #expect(sight.sockets == ["/run/my app.sock"])
    #expect(sight.files == ["/srv/data.db"])
  }

  @Test func `is taken of a launch whose time runs out, and of no other`() throws {
    let bench = try LaunchBench()
    let source = """
      use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1');
      $| = 1; print $s->sockport, "\\n"; sleep 60
      """
    let late = try bench.perl(source, timeout: .seconds(4))
    #expect(late.outcome == .timedOut)
    let port = String(decoding: late.output.stdout.head, as: UTF8.self).dropLast()
    let sight = try #require(late.sight)
    #expect(sight.processes == ["perl"])
    #expect(sight.ports == ["127.0.0.1:\(port)"])
    #expect(sight.isAsleep)
    let busy = try bench.perl("1 while 1", timeout: .seconds(4))
    #expect(try #require(busy.sight).used > .zero)
    let ready = try bench.perl("select undef, undef, undef, 1.5", timeout: .seconds(4))
    #expect(ready.sight == nil)
  }
}
