import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Networks of their own for launches of a user without the right to make them.
@Suite(.temporaryDirectory) struct NetworkRightsTests {
  static let none = LaunchConditions(network: .none)

  /// Whether nobody may make user namespaces here.
  static let isPossible: Bool = {
    let change = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    return (try? TestMachine.shell("\(change) unshare -Un true", in: "/")) != nil
  }()

  private static let server = """
    use IO::Socket::INET; select undef,undef,undef,.02;
    my $l = IO::Socket::INET->new(Listen=>5, LocalAddr=>'127.0.0.1', LocalPort=>80) or exit 9;
    $l->accept while 1;
    """

  @Test(.enabled(if: isPossible, "users may make no user namespaces"))
  func `takes a user namespace, in which the user stays who it was`() throws {
    let bench = try LaunchBench()
    let script =
      "id -u; id -g; grep CapEff /proc/self/status; "
      + "sed -n 's/^ *\\(.*\\):.*/\\1/p' /proc/net/dev; readlink /proc/self/ns/net"
    let cpu = try #require(ProcessAffinity.available().last)
    let conditions = LaunchConditions(
      cpus: [cpu],
      randomizesAddresses: false,
      priority: LaunchPriority(nice: 2, policy: .batch),
      network: .none,
      padsEnvironment: true
    )
    let request = try bench.request(["/bin/sh", "-c", script], conditions: conditions)
    let results = try LimitedSpawner.nobody().launch([request, request])
    #expect(results.map(\.outcome) == [.ready, .ready])
    let lines = results.map {
      String(decoding: $0.output.stdout.head, as: UTF8.self).split(separator: "\n")
    }
    let user = geteuid() == 0 ? 65_534 : geteuid()
    let group = geteuid() == 0 ? 65_534 : getegid()
    for line in lines {
      #expect(line.prefix(4) == ["\(user)", "\(group)", "CapEff:\t0000000000000000", "lo"])
    }
    #expect(results.allSatisfy { $0.figures.missing.isEmpty })
  }

  @Test(.enabled(if: isPossible, "users may make no user namespaces"))
  func `gets ready and stops in a user namespace`() throws {
    let bench = try LaunchBench()
    let perl = "/usr/bin/perl"
    let notify =
      "use Socket; socket S, AF_UNIX, SOCK_DGRAM, 0;"
      + "send S, 'READY=1', 0, sockaddr_un($ENV{NOTIFY_SOCKET}); fork; sleep 60"
    let port = try bench.freePort()
    let server = Self.server.replacing("80", with: "\(port)")
    let requests = [
      try bench.request([perl, "-e", notify, bench.mark], ready: .notify, conditions: Self.none),
      try bench.request(
        [perl, "-e", server, bench.mark],
        ready: .tcp(host: "127.0.0.1", port: port),
        conditions: Self.none
      ),
      try bench.request(
        [perl, "-e", "use POSIX; exit if fork; POSIX::setsid(); sleep 60", bench.mark],
        conditions: Self.none
      ),
    ]
    let results = try LimitedSpawner.nobody().launch(requests + requests)
    #expect(results.map(\.outcome) == Array(repeating: .ready, count: 6))
    #expect(results.prefix(2).allSatisfy { $0.figures.missing.isEmpty })
    #expect(bench.marked.isEmpty)
  }

  @Test(.enabled(if: isPossible, "users may make no user namespaces"))
  func `takes a user namespace of its own in a container, which it could not come back from`()
    throws
  {
    let request = try LaunchBench().request(["/bin/true"], conditions: Self.none)
    let results = try LimitedSpawner.contained().launch([request, request])
    #expect(results.map(\.outcome) == [.ready, .ready])
  }

  @Test func `goes on without a network namespace where the machine refuses one`() throws {
    let bench = try LaunchBench()
    let host = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
    let refused = try bench.request(["/bin/true"], conditions: Self.none)
    let plain = try bench.request(["/bin/sh", "-c", "id -u; readlink /proc/self/ns/net"])
    let results = try LimitedSpawner.refusing([.namespaces]).launch([refused, plain, refused])
    let reason = ConditionRefusal(errno: EPERM).network
    #expect(
      results.map(\.outcome) == [.notStarted(reason: reason), .ready, .notStarted(reason: reason)]
    )
    let output = results.dropFirst().first?.output.stdout.head ?? []
    #expect(String(decoding: output, as: UTF8.self) == "\(geteuid())\n\(host)\n")
  }

  struct RemedyCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var errno = EPERM
    var name = "kernel/none"
    var value = ""
    var remedy: String
  }

  static let remedies = [
    RemedyCase(
      testDescription: "Debian's switch",
      name: "kernel/unprivileged_userns_clone",
      value: "0",
      remedy: "run as root, or allow user namespaces with"
        + " `sysctl kernel.unprivileged_userns_clone=1`"
    ),
    RemedyCase(
      testDescription: "AppArmor",
      name: "kernel/apparmor_restrict_unprivileged_userns",
      value: "1",
      remedy: "run as root, or allow user namespaces with"
        + " `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
    ),
    RemedyCase(
      testDescription: "no network namespaces",
      errno: ENOSPC,
      name: "user/max_net_namespaces",
      value: "0",
      remedy: "allow network namespaces with `sysctl user.max_net_namespaces=1000`"
    ),
    RemedyCase(
      testDescription: "too many namespaces",
      errno: ENOSPC,
      remedy: "raise the limits with `sysctl user.max_user_namespaces=1000"
        + " user.max_net_namespaces=1000`"
    ),
    RemedyCase(
      testDescription: "a container",
      remedy: "run as root, in a container with `--cap-add SYS_ADMIN`"
    ),
    RemedyCase(
      testDescription: "another kernel",
      errno: EINVAL,
      remedy: "needs a kernel with network namespaces (CONFIG_NET_NS)"
    ),
  ]

  @Test(arguments: remedies)
  func `names the remedy for`(_ refusal: RemedyCase) throws {
    let file = "\(TemporaryDirectory.path)/proc/sys/\(refusal.name)"
    let directory = URL(filePath: file).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try refusal.value.write(toFile: file, atomically: true, encoding: .utf8)
    let tree = HostTree(root: .init(TemporaryDirectory.path))
    let text = ConditionRefusal(errno: refusal.errno, tree: tree).network
    #expect(text.hasPrefix("cannot give it a network of its own: "))
    #expect(text.hasSuffix("; \(refusal.remedy)"))
  }
}
