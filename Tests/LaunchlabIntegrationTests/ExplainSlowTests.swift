import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// `launchlab explain --slow` on programs of which some launches wait.
  @Suite(
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: geteuid() == 0, "tracing takes root")
  )
  struct ExplainSlowTests {
    /// A program that takes a lock, and with `HOLDS` one that holds it at times.
    private static let source = """
      #include <fcntl.h>
      #include <stdlib.h>
      #include <sys/file.h>
      #include <unistd.h>
      int main(int count, char **words) {
        int lock = open(words[1], O_RDWR | O_CREAT, 0600);
        flock(lock, LOCK_EX);
      #ifdef HOLDS
        for (;;) {
          usleep(60000);
          flock(lock, LOCK_UN);
          usleep(20000 + rand() % 40000);
          flock(lock, LOCK_EX);
        }
      #endif
        volatile unsigned long sink = 1;
        for (long i = 0; i < 1000000; i++) sink = sink * 3 + 1;
        return 0;
      }
      """

    private struct Explained: Decodable {
      var sentence: String
      var slow: Slow
      var reasons: [Reason]

      struct Slow: Decodable {
        var hasTwoKinds: Bool

        enum CodingKeys: String, CodingKey { case hasTwoKinds = "two_kinds" }
      }
      struct Reason: Decodable {
        var kind: String
        var object: String?
      }
    }

    @Test func `names the lock that a neighbour holds at times`() async throws {
      let lab = Launchlab()
      let lock = lab.path("app.lock")
      let program = try CompiledProgram(Self.source, name: "app", in: lab.directory).path
      let updater = Process()
      updater.executableURL = URL(
        filePath: try CompiledProgram(
          Self.source,
          name: "updater",
          in: lab.directory,
          options: ["-DHOLDS"]
        ).path
      )
      updater.arguments = [lock]
      try updater.run()
      defer {
        kill(updater.processIdentifier, SIGKILL)
        updater.waitUntilExit()
      }

      let output = try await lab.run(
        "explain --slow --json e.json --markdown e.md -- \(program)",
        lock
      )

      #expect([0, 125].contains(output.status), "\(output.stderr)")
      let json = try Data(contentsOf: URL(filePath: lab.path("e.json")))
      let result = try JSONDecoder().decode(Explained.self, from: json)
      #expect(result.slow.hasTwoKinds, "\(output.stdout)")
      #expect(result.reasons.first?.kind == "lock", "\(output.stdout)")
      #expect(result.reasons.first?.object?.hasSuffix("app.lock") == true, "\(output.stdout)")
      #expect(result.sentence.contains("because they wait for flock("), "\(output.stdout)")
      #expect(result.sentence.contains("app.lock) held by updater"), "\(output.stdout)")
      let markdown = try String(contentsOfFile: lab.path("e.md"), encoding: .utf8)
      #expect(markdown.contains("held by updater"))
    }

    @Test func `takes one command, also without the dashes before it`() async throws {
      let lab = Launchlab()
      let output = try await lab.run("explain", "--slow", "--launches", "20", "sh", "-c", ":")
      #expect([0, 125].contains(output.status), "\(output.stderr)")
      let none = try await lab.run("explain", "--slow", "--alert", "R-1")
      #expect(none.status == 64 && none.stderr.contains("--slow needs one command"))
    }
  }
}
