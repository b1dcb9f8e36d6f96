import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SpawnerReadinessTests {
  struct OutputCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var source: String
    var pattern: String
    var stream = OutputStream.stdout
  }

  static let outputCases = [
    OutputCase(
      testDescription: "a line of stdout",
      source: "$|=1; print qq(wait\\nready\\n); sleep 60",
      pattern: "^ready$"
    ),
    OutputCase(
      testDescription: "a line of stderr",
      source: "print STDERR qq(up\\n); sleep 60",
      pattern: "^up",
      stream: .stderr
    ),
    OutputCase(
      testDescription: "a prompt without a newline",
      source: "$|=1; print q(prompt> ); sleep 60",
      pattern: "prompt>"
    ),
    OutputCase(
      testDescription: "a line written byte by byte",
      source: "$|=1; for (split //, qq(all is ready\\n)) { print; select undef,undef,undef,.001 }"
        + "sleep 60",
      pattern: "is ready$"
    ),
    OutputCase(
      testDescription: "a line after NUL bytes",
      source: "$|=1; print qq(\\0\\0 ready \\0\\n); sleep 60",
      pattern: "ready"
    ),
    OutputCase(
      testDescription: "a line after a megabyte without newline",
      source: "$|=1; print q(x) x 1000000, q(ready); sleep 60",
      pattern: "ready"
    ),
    OutputCase(
      testDescription: "the last line of a program that exits",
      source: "print q(ready)",
      pattern: "^ready$"
    ),
  ]

  @Test(arguments: outputCases)
  func `is ready when the output matches`(_ output: OutputCase) throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      output.source,
      ready: .output(stream: output.stream, pattern: output.pattern)
    )
    #expect(result.outcome == .ready)
    #expect(result.resolution == .zero)
    #expect(try #require(result.launch) > .zero)
    #expect(bench.marked.isEmpty)
  }

  @Test func `does not take the beginning of a line for the line`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$|=1; print q(ready); select undef,undef,undef,.05; print qq( to fail\\n); exit 3",
      ready: .output(stream: .stdout, pattern: "^ready$")
    )
    #expect(result.outcome == .exited(code: 3))
  }

  @Test func `is ready when the target exits with status 0`() throws {
    let result = try LaunchBench().perl("print q(done)")
    #expect(result.outcome == .ready)
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "done")
    #expect(result.output.stdout.totalBytes == 4)
    #expect(result.flags == [])
  }

  @Test func `is ready when the target notifies`() throws {
    let source = """
      use Socket; socket(my $s, AF_UNIX, SOCK_DGRAM, 0);
      connect($s, sockaddr_un($ENV{NOTIFY_SOCKET})) or exit 9;
      send $s, qq(STATUS=still loading\\nREADY=10\\n), 0;
      send $s, qq(STATUS=done\\nREADY=1\\nMAINPID=1\\n), 0; sleep 60
      """
    let bench = try LaunchBench()
    let result = try bench.perl(source, ready: .notify)
    #expect(result.outcome == .ready)
    #expect(bench.marked.isEmpty)
  }

  private static let server = """
    use IO::Socket::INET; select undef,undef,undef,.02;
    my $l = IO::Socket::INET->new(Listen=>5, LocalAddr=>'127.0.0.1', LocalPort=>shift) or exit 9;
    while (1) { my $c = $l->accept or next; my $line = <$c>; print $c shift(@ARGV); }
    """

  @Test func `is ready when a port accepts, again and again`() throws {
    let bench = try LaunchBench()
    let port = try bench.freePort()
    for _ in 0..<3 {
      let result = try bench.perl(
        Self.server,
        ["\(port)"],
        ready: .tcp(host: "localhost", port: port)
      )
      #expect(result.outcome == .ready)
      #expect(result.resolution > .zero)
    }
    #expect(bench.marked.isEmpty)
  }

  @Test func `is ready when HTTP is answered with a status of 2xx only`() throws {
    let bench = try LaunchBench()
    let port = try bench.freePort()
    let ready = Readiness.http(host: "127.0.0.1", port: port, path: "/health")
    let answers = ["HTTP/1.1 503 Busy\r\n\r\n", "nonsense", "HTTP/1.1 204 No Content\r\n\r\n"]
    let good = try bench.perl(Self.server, ["\(port)"] + answers, ready: ready)
    #expect(good.outcome == .ready)
    let bad = try bench.perl(
      Self.server,
      ["\(port)"] + Array(repeating: answers[0], count: 2_000),
      ready: ready,
      timeout: .milliseconds(300)
    )
    #expect(bad.outcome == .timedOut)
  }

  @Test func `is ready when a Unix socket accepts`() throws {
    let bench = try LaunchBench()
    let path = "\(TemporaryDirectory.path)/socket"
    let source = """
      use IO::Socket::UNIX; select undef,undef,undef,.02;
      my $l = IO::Socket::UNIX->new(Listen=>5, Local=>shift) or exit 9; sleep 60
      """
    let result = try bench.perl(source, [path], ready: .unix(path: path))
    #expect(result.outcome == .ready)
  }

  @Test func `is ready when a file exists, even if the target has exited by then`() throws {
    let bench = try LaunchBench()
    let path = "\(TemporaryDirectory.path)/pid"
    let result = try bench.perl(
      "open my $f, '>', shift; print $f 1",
      [path],
      ready: .file(path: path)
    )
    #expect(result.outcome == .ready)
  }

  @Test func `waits for a daemon that has detached itself`() throws {
    let bench = try LaunchBench()
    let path = "\(TemporaryDirectory.path)/pid"
    let source = """
      use POSIX; exit if fork; POSIX::setsid(); exit if fork;
      select undef,undef,undef,.05; open my $f, '>', shift; close $f; sleep 60
      """
    let result = try bench.perl(source, [path], ready: .file(path: path))
    #expect(result.outcome == .ready)
    #expect(!result.flags.contains(.killed))
    #expect(bench.marked.isEmpty)
  }

  @Test func `gives a terminal when asked`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "open my $own, '+<', '/dev/tty' or die; my $size = `stty size < /dev/tty`;"
        + "print -t STDOUT && -t STDERR && -t STDIN ? qq(terminal $size) : qq(none\\n); sleep 60",
      ready: .output(stream: .stdout, pattern: "^terminal"),
      tty: true
    )
    #expect(result.outcome == .ready)
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "terminal 24 80\n")
  }

  struct Query: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var answer: String
  }

  /// The answers are those of xterm 379.
  static let queries = [
    Query(
      testDescription: "primary device attributes",
      text: "\\e[c",
      answer: "^[[?64;1;2;6;9;15;16;17;18;21;22;28c"
    ),
    Query(testDescription: "secondary ones", text: "\\e[>c", answer: "^[[>41;379;0c"),
    Query(testDescription: "the version", text: "\\e[>0q", answer: "^[P>|XTerm(379)^[\\"),
    Query(testDescription: "the status", text: "\\e[5n", answer: "^[[0n"),
    Query(testDescription: "the cursor", text: "\\e[7;3Hab\\e[1m\\e[6n", answer: "^[[7;5R"),
    Query(
      testDescription: "the color of text",
      text: "\\e]10;?\\a",
      answer: "^[]10;rgb:0000/0000/0000^G"
    ),
    Query(
      testDescription: "the color behind it, in two writes",
      text: "\\e]11;'; select undef,undef,undef,.01; print qq'?\\e\\\\",
      answer: "^[]11;rgb:ffff/ffff/ffff^[\\"
    ),
    Query(testDescription: "a mode", text: "\\e[?2026\\$p", answer: "^[[?2026;0$y"),
  ]

  @Test(arguments: queries)
  func `answers as a terminal`(_ query: Query) throws {
    let source = """
      $| = 1; system "stty raw -echo"; print qq'\(query.text)';
      sysread STDIN, my $answer, 100;
      $answer =~ s/([\\0-\\37])/"^" . chr(64 + ord $1)/ge; print "<$answer>";
      """
    let result = try LaunchBench().perl(
      source,
      ready: .output(stream: .stdout, pattern: "<.*>"),
      tty: true
    )
    #expect(result.outcome == .ready)
    #expect(
      String(decoding: result.output.stdout.head, as: UTF8.self).hasSuffix("<\(query.answer)>")
    )
    #expect(result.unansweredQuery == nil)
  }

  @Test func `keeps the first query of a terminal that has no answer`() throws {
    let result = try LaunchBench().perl(#"print "\e[?u\e[?996n""#, tty: true)
    #expect(result.outcome == .ready)
    #expect(result.unansweredQuery == "ESC[?u")
  }

  @Test(arguments: [("[]", 7), ("[0, 3]", 3), ("[200]", 200)])
  func `is ready with an expected status`(_ statuses: String, status: Int) throws {
    let expected = try JSONDecoder().decode([Int].self, from: Data(statuses.utf8))
    let bench = try LaunchBench()
    func launch(_ status: String) throws -> Outcome {
      let command = ["/bin/sh", "-c", status]
      return try bench.spawner.launch(bench.request(command, exitStatuses: expected)).outcome
    }
    #expect(try launch("exit \(status)") == .ready)
    #expect(try launch("kill -9 $$") == .signalled(signal: 9))
    guard !expected.isEmpty else { return }
    #expect(try launch("sleep 9 & exit 4") == .exited(code: 4))
  }

  @Test func `does not wait for a FIFO as standard input`() throws {
    let path = "\(TemporaryDirectory.path)/fifo"
    let bench = try LaunchBench()
    _ = try bench.output(of: ["/usr/bin/mkfifo", path])
    let result = try bench.spawner.launch(bench.request(["/bin/cat"], standardInput: path))
    guard case .notStarted(let reason) = result.outcome else {
      Issue.record("\(result.outcome)")
      return
    }
    #expect(reason.contains("cannot open the standard input"))
  }

  @Test func `refuses a condition that holds before the launch`() throws {
    let path = "\(TemporaryDirectory.path)/there"
    try Data().write(to: URL(filePath: path))
    let result = try LaunchBench().perl("1", ready: .file(path: path))
    #expect(
      result.outcome
        == .notStarted(
          reason: "file \(path) already exists; remove it, or let the target make another one"
        )
    )
  }

  @Test func `names the process that holds the port`() throws {
    let bench = try LaunchBench()
    let port = try bench.freePort()
    let holder = Process()
    holder.executableURL = URL(filePath: "/usr/bin/perl")
    holder.arguments = ["-e", "$|=1; print STDERR 1; " + Self.server, "\(port)"]
    let output = Pipe()
    holder.standardError = output
    try holder.run()
    defer { kill(holder.processIdentifier, SIGKILL) }
    _ = try output.fileHandleForReading.read(upToCount: 1)
    let request = try bench.request(["/bin/true"], ready: .tcp(host: "127.0.0.1", port: port))
    let expected =
      "port \(port) is in use by pid \(holder.processIdentifier) (perl); "
      + "stop it, or choose another port"
    #expect(
      LaunchBench.eventually {
        (try? bench.spawner.launch(request))?.outcome == .notStarted(reason: expected)
      }
    )
  }
}
