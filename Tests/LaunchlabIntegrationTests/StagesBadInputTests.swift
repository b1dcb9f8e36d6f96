import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Options, texts and environments that `stages` cannot work with, and interruptions.
  @Suite struct StagesBadInputTests {
    /// Arguments of `stages`, and how they are refused.
    struct Refusal: CustomTestStringConvertible, Sendable {
      let arguments: [String]
      var code: Int32 = 64
      let texts: [String]
      var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
      Refusal(
        arguments: ["--collect", "guess", "--", "true"],
        texts: [
          "invalid value \"guess\" for --collect", "help: use one of auto, probe, breakpoints,",
        ]
      ),
      Refusal(
        arguments: ["--collect", "probe", "--collect", "probe", "--", "true"],
        texts: ["the collector \"probe\" is given twice"]
      ),
      Refusal(
        arguments: ["--collect", "text", "--pattern", "(", "--", "true"],
        texts: [
          "the pattern \"(\" cannot be used: there is no \")\" for the \"(\" at character 1",
          "help: ",
        ]
      ),
      Refusal(
        arguments: ["--pattern", "(?<stage>a)(?<value>1)(?<unit>s)", "--", "true"],
        texts: ["is for the collector text"]
      ),
      Refusal(
        arguments: ["--parse", "log", "--pattern", #"(?<stage>a)(?<unit>s)"#],
        texts: ["has no group `(?<value>…)`", "help: "]
      ),
      Refusal(
        arguments: ["--parse", "log", "--glibc", "newest"],
        texts: ["invalid value \"newest\" for --glibc", "help: give a version such as 2.36"]
      ),
      Refusal(
        arguments: ["--parse", "log", "--cycles-per-second", "0"],
        texts: ["for --cycles-per-second", "help: give a frequency above 0"]
      ),
      Refusal(
        arguments: ["--parse", "missing"],
        texts: ["cannot read \"missing\": there is no such file", "help: "]
      ),
      Refusal(
        arguments: ["--parse", "folder"],
        texts: ["cannot read \"folder\": it is a directory", "help: "]
      ),
      Refusal(
        arguments: ["--parse", "imitation", "--strict"],
        texts: ["error: no dyld prints this line like this", "at: imitation:1", "help: "]
      ),
      Refusal(arguments: ["--parse", "empty"], code: 125, texts: ["error: no output of a loader"]),
      Refusal(
        arguments: ["--collect", "statistics", "--env", "LD_DEBUG=libs", "--", "true"],
        code: 128,
        texts: ["sets LD_DEBUG, which the collector \"statistics\" needs", "help: "]
      ),
      Refusal(
        arguments: ["--json", "missing/file", "--", "true"],
        code: 128,
        texts: ["cannot write the file: no such file or directory", "at: missing/file"]
      ),
    ]) func `refuses what it cannot work with`(refusal: Refusal) async throws {
      let lab = Launchlab()
      try lab.write("Total pre-main time: 350ms\n", to: "imitation")
      try lab.write("", to: "empty")
      try lab.write("a line\n", to: "log")
      try lab.write("", to: "folder/file")

      let session = try lab.start(["stages"] + refusal.arguments)
      let output = try await session.finish()

      #expect(output.status == refusal.code, "\(output.stdout)\(output.stderr)")
      for text in refusal.texts { #expect(output.stderr.contains(text), "\(output.stderr)") }
      let lines = output.stderr.split(separator: "\n").filter { $0.hasPrefix("error: ") }
      #expect(Set(lines).count == lines.count)
      #expect(!output.stderr.contains("Fatal"))
      #expect(session.leftovers == [])
      #expect(!lab.exists(".launchlab"))
    }

    @Test func `refuses statistics when the loader is told to print something else`() async throws {
      var lab = Launchlab()
      lab.wrapper = ["env", "LD_DEBUG=statistics", "LD_DEBUG_OUTPUT=\(lab.path("loader"))"]

      let output = try await lab.run("stages", "--collect", "statistics", "--", "true")

      #expect(output.status == 128)
      #expect(output.stderr.contains("sets LD_DEBUG, which the collector"))
      #expect(output.stderr.contains("help: take LD_DEBUG out"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `leaves nothing when interrupted in a launch`(signal: Int32) async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        "$SIG{TERM} = $SIG{INT} = 'IGNORE'; open F, '>', 'begun'; close F; sleep 600 while 1"
      )
      let session = try lab.start([
        "stages", "--collect", "probe", "--collect", "breakpoints", "--collect", "statistics",
        "--collect", "marks", "--", "./program",
      ])
      try #require(try await eventually { lab.exists("begun") })
      #expect(session.probeDirectories.count == 1)

      session.send(signal)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(output.stderr.contains("interrupted"))
      #expect(!output.stderr.contains("--resume"))
      #expect(session.leftovers == [])
    }

    @Test func `lets the next one remove what a killed one left`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>', 'begun'; close F; sleep 600 while 1")
      let session = try lab.start(["stages", "--", "./program"])
      try #require(try await eventually { lab.exists("begun") })

      session.send(SIGKILL)
      _ = try await session.finish()

      #expect(try await eventually { session.processes.isEmpty })
      #expect(session.leftovers.contains { session.scratchDirectories.contains($0) })
      #expect(session.probeDirectories.count == 1)
      _ = try await lab.stages(of: ["/bin/true"])
      #expect(session.leftovers == [])
    }
  }
}
