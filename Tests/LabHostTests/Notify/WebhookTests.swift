import Foundation
import LabTestSupport
import Testing

@testable import LaunchHost

/// Webhooks, with curl and a server of the test's own.
@Suite(
  .temporaryDirectory,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is missing")
)
struct WebhookTests {
  /// Answers one request, and keeps it in the file `request`.
  private static let server = #"""
    use IO::Socket::INET;
    my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
    open(my $port, ">", "port.new"); print $port $server->sockport; close($port);
    rename("port.new", "port");
    my $client = $server->accept; my $head = "";
    while (my $line = <$client>) { $head .= $line; last if $line eq "\r\n"; }
    my ($count) = $head =~ /Content-Length: (\d+)/i; my $body = "";
    read($client, $body, $count);
    open(my $file, ">", "request"); print $file $head . $body; close($file);
    my $said = $ARGV[1]; my $length = length($said);
    print $client "HTTP/1.1 $ARGV[0]\r\nContent-Length: $length\r\nConnection: close\r\n\r\n$said";
    """#

  /// Starts a server, sends to it, and gives what it got and why the sending failed.
  private func posted(
    _ json: String,
    to path: String,
    answer: String,
    saying said: String = "invalid_token\n",
    variables: [String: String] = [:]
  ) async throws -> (request: String, failure: String?) {
    let directory = TemporaryDirectory.path
    let server = Process()
    server.executableURL = URL(filePath: "/usr/bin/perl")
    server.arguments = ["-e", Self.server, answer, said]
    server.currentDirectoryURL = URL(filePath: directory)
    try server.run()
    var port = ""
    while port.isEmpty, server.isRunning {
      port = (try? String(contentsOfFile: "\(directory)/port", encoding: .utf8)) ?? ""
      await Task.yield()
    }
    let base = "http://127.0.0.1:\(port)"
    let environment = variables.mapValues { $0.replacing("BASE", with: base) }
      .merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
    let failure = await failure(
      json,
      to: path.replacing("BASE", with: base),
      environment: environment
    )
    server.waitUntilExit()
    let request = try String(contentsOfFile: "\(directory)/request", encoding: .utf8)
    return (request, failure)
  }

  private func failure(
    _ json: String,
    to address: String,
    environment: [String: String]
  ) async -> String? {
    let sender = NoticeSender(directory: TemporaryDirectory.path, environment: environment)
    do throws(NoticeFailure) {
      try await sender.post(json, to: address)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `posts the JSON as it is`() async throws {
    let json = #"{"text":"a \"quoted\" \\ back\nslash & <é> $HOME %{http_code} @/etc/passwd"}"#
    let (request, failure) = try await posted(json, to: "BASE/hook?a=[1]", answer: "200 OK")
    #expect(failure == nil)
    #expect(request.hasPrefix("POST /hook?a=[1] HTTP/1.1\r\n"))
    #expect(request.contains("Content-Type: application/json\r\n"))
    #expect(request.hasSuffix("\r\n\r\n" + json))
  }

  @Test func `does not take the body for the name of a file`() async throws {
    let (request, failure) = try await posted("@/etc/passwd", to: "BASE/", answer: "204 No Content")
    #expect(failure == nil)
    #expect(request.hasSuffix("\r\n\r\n@/etc/passwd"))
  }

  @Test func `takes the address from the environment`() async throws {
    let (request, failure) = try await posted(
      "{}",
      to: "$HOOK/$TOKEN",
      answer: "201 Created",
      variables: ["HOOK": "BASE", "TOKEN": "secret"]
    )
    #expect(failure == nil)
    #expect(request.hasPrefix("POST /secret HTTP/1.1\r\n"))
  }

  @Test(arguments: ["403 Forbidden", "302 Found", "500 Oops"])
  func `takes any other answer than 2xx for a failure`(answer: String) async throws {
    let (_, failure) = try await posted("{}", to: "BASE/", answer: answer)
    #expect(failure == "it answered with status \(answer.prefix(3)): invalid_token")
  }

  @Test func `keeps what the server repeats of the address to itself`() async throws {
    let (_, failure) = try await posted(
      "{}",
      to: "BASE/services/T0/hunter2secret?key=letmein",
      answer: "404 Not Found",
      saying: "Cannot POST /services/T0/hunter2secret?key=letmein (hunter2secret, letmein)\n"
    )
    #expect(failure == "it answered with status 404: Cannot POST … (…, …)")
    #expect(
      NoticeSender.redacted(
        "no route for me:hunter2 to a.example",
        of: "http://me:hunter2@a.example/"
      )
        == "no route for … to a.example"
    )
  }

  @Test func `names the variable and not its content`() async throws {
    let environment = ["PATH": "/usr/bin:/bin", "HOOK": "http://127.0.0.1:1/secret"]
    let said = try #require(await failure("{}", to: "$HOOK", environment: environment))
    #expect(said.hasPrefix("it ended with status 7: curl: (7) "))
    #expect(!said.contains("secret"))
    #expect(
      await failure("{}", to: "$MISSING/a", environment: environment)
        == "the variable MISSING is not set"
    )
    let wrong = ["PATH": "/usr/bin:/bin", "HOOK": "file:///etc/passwd"]
    #expect(
      await failure("{}", to: "$HOOK", environment: wrong)
        == "$HOOK is not a URL of http or https"
    )
    let injected = ["PATH": "/usr/bin:/bin", "HOOK": "http://a/\noutput = \"x\""]
    #expect(
      await failure("{}", to: "$HOOK", environment: injected)
        == "$HOOK is not a URL of http or https"
    )
  }

  @Test func `keeps everything off the command line`() {
    let config = NoticeSender.config(url: "http://a/\"b\\", body: "{\"a\":\"\t\"}")
    #expect(config.contains(#"url = "http://a/\"b\\""#))
    #expect(config.contains(#"data-raw = "{\"a\":\"\t\"}""#))
  }

  @Test func `says that curl is missing`() async {
    let environment = ["PATH": TemporaryDirectory.path]
    #expect(
      await failure("{}", to: "http://127.0.0.1:1/", environment: environment)
        == "curl is not installed"
    )
  }
}
