import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite struct SpawnerStopTests {
  private static let up = Readiness.output(stream: .stdout, pattern: "^up")

  private func text(_ result: LaunchResult) -> String {
    String(decoding: result.output.stdout.head, as: UTF8.self)
  }

  @Test func `asks again when the target ignored the signal while it was starting`() throws {
    let source = """
      $| = 1; $SIG{TERM} = 'IGNORE'; print "up\\n"; select undef, undef, undef, 0.2;
      $SIG{TERM} = sub { print "stopped\\n"; exit 0 }; sleep 60 while 1
      """
    let result = try LaunchBench().perl(source, ready: Self.up)
    #expect(result.outcome == .ready)
    #expect(text(result) == "up\nstopped\n")
    #expect(result.flags == [])
  }

  @Test func `asks once where the target has a handler, or keeps the signal for later`() throws {
    let handled = """
      $| = 1; $SIG{TERM} = sub { print "asked\\n" }; print "up\\n";
      my $end = time + 2; sleep 1 while time < $end; exit 0
      """
    let first = try LaunchBench().perl(handled, ready: Self.up)
    #expect(text(first) == "up\nasked\n")
    let blocked = """
      use POSIX; $| = 1; my $set = POSIX::SigSet->new(SIGTERM); sigprocmask(SIG_BLOCK, $set);
      print "up\\n"; select undef, undef, undef, 0.2; $SIG{TERM} = sub { print "asked\\n" };
      sigprocmask(SIG_UNBLOCK, $set); my $end = time + 2; sleep 1 while time < $end; exit 0
      """
    let second = try LaunchBench().perl(blocked, ready: Self.up)
    #expect(text(second) == "up\nasked\n")
  }

  @Test func `lets a ready target go on before it is stopped`() throws {
    let source = """
      $| = 1; $SIG{TERM} = sub { print "stopped\\n"; exit }; print "up\\n";
      select undef, undef, undef, $ARGV[0]; print "later\\n"
      """
    let bench = try LaunchBench()
    let rested = try bench.perl(source, ["0.3"], ready: Self.up, after: .seconds(100))
    #expect(text(rested) == "up\nlater\n")
    #expect(rested.flags == [])
    #expect(text(try bench.perl(source, ["60"], ready: Self.up)) == "up\nstopped\n")
  }

  /// It prints `up`, and `settled` after a time, and says which of both it had when it was stopped.
  private static let settling = """
    $| = 1; $SIG{TERM} = sub { print "stopped\\n"; exit }; print "up\\n";
    select undef, undef, undef, $ARGV[0]; print "settled\\n"; sleep 60 while 1
    """

  @Test func `stops a target only when it has done what its stop waits for`() throws {
    let result = try LaunchBench().perl(
      Self.settling,
      ["3"],
      ready: Self.up,
      stopping: .output(stream: .stdout, pattern: "^settled")
    )
    #expect(text(result) == "up\nsettled\nstopped\n")
    #expect(result.flags == [])
    #expect(try #require(result.launch) < .seconds(3))
  }

  @Test func `knows what the target printed before it was ready`() throws {
    let source = """
      $| = 1; $SIG{TERM} = sub { print "stopped\\n"; exit }; print "settled\\nup\\n"; sleep 60 while 1
      """
    let result = try LaunchBench().perl(
      source,
      ready: Self.up,
      stopping: .output(stream: .stdout, pattern: "^settled$")
    )
    #expect(text(result) == "settled\nup\nstopped\n")
    #expect(result.flags == [])
  }

  @Test func `stops it in the end, and says that it did not wait longer`() throws {
    let result = try LaunchBench().perl(
      Self.settling,
      ["60"],
      ready: Self.up,
      timeout: .milliseconds(500),
      stopping: .output(stream: .stdout, pattern: "^settled")
    )
    #expect(result.outcome == .ready)
    #expect(text(result) == "up\nstopped\n")
    #expect(result.flags == [.stoppedEarly])
  }

  @Test func `waits for a port, and keeps the resolution of the launch`() throws {
    let bench = try LaunchBench()
    let port = try bench.freePort()
    let source = """
      use IO::Socket::INET; $| = 1; $SIG{TERM} = sub { print "stopped\\n"; exit }; print "up\\n";
      select undef, undef, undef, 0.2; print "listening\\n";
      my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => $ARGV[0],
        ReuseAddr => 1) or die $!;
      sleep 60 while 1
      """
    let result = try bench.perl(
      source,
      ["\(port)"],
      ready: Self.up,
      stopping: .tcp(host: "127.0.0.1", port: port)
    )
    #expect(text(result) == "up\nlistening\nstopped\n")
    #expect(result.flags == [])
    #expect(result.resolution == .zero)
  }

  @Test func `does not wait for a target that ends by itself`() throws {
    let source = "$| = 1; print qq(up\\n)"
    let result = try LaunchBench().perl(source, ready: Self.up, after: .seconds(100))
    #expect(result.outcome == .ready)
    #expect(result.flags == [])
  }
}
