import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What `init` finds out about a command, and what a launcher hides.
  @Suite struct InitTests {
    struct Trial: CustomTestStringConvertible {
      let source: String
      var file: [String] = []
      var message = ""
      var testDescription: String { source }
    }

    private static let socket =
      "use IO::Socket::UNIX; unlink 's'; "
      + "my $s = IO::Socket::UNIX->new(Listen => 1, Local => 's'); sleep 100"

    @Test(arguments: [
      Trial(source: "exit 0", file: ["scenario: program\n", "\n  program:\n    command: "]),
      Trial(source: socket, file: ["\n    ready: {unix: \""]),
      Trial(source: "sleep 100", message: "did not exit within 3 s"),
      Trial(source: "exit 3", message: "exited with status 3"),
    ])
    func `looks at what a command does`(trial: Trial) async throws {
      let lab = Launchlab()
      try lab.writeProgram(trial.source)
      let output = try await lab.run("init", "--", "./program")
      #expect(output.status == 0, "\(output.stderr)")
      let text = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
      for part in trial.file { #expect(text.contains(part), "\(text)") }
      #expect(trial.message.isEmpty || output.stderr.contains(trial.message))
      #expect(output.stderr.contains("warning: ") == !trial.message.isEmpty, "\(output.stderr)")
    }

    /// It becomes the program, or waits for it, as a wrapper does that has something to do afterwards.
    @Test(arguments: [
      "exec /usr/bin/perl \"$@\"",
      "eval \"$(echo PROGRAM=/usr/bin/perl | sed 's/x/y/')\"\n\"$PROGRAM\" \"$@\"\nexit $?",
    ])
    func `names the program that a shell script starts`(script: String) async throws {
      let lab = Launchlab()
      try lab.write("#!/bin/sh\n\(script)\n", to: "shim")
      _ = try Tool.run("chmod", ["755", "shim"], in: lab.path("."))
      // The second time what was seen is known.
      for _ in 1...2 {
        let output = try await lab.run("measure", "--launches", "3", "--", "./shim", "-e", "0")
        #expect(output.status == 0, "\(output.stderr)")
        let text = output.stderr.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("\"shim\" is a shell script that starts /usr/bin/perl"), "\(text)")
      }
    }

    @Test func `says that a run by hand counts as a night`() async throws {
      let lab = Launchlab()
      try lab.write(
        "scenario: few\ntargets: {one: {command: [/bin/true]}}\nstates: [warm]\nlaunches: 3\n",
        to: "scenario.yml"
      )
      let night = try await lab.run("run", "scenario.yml")
      #expect(night.stderr.contains("this run counts as a night of few"), "\(night.stderr)")
      let trial = try await lab.run("run", "scenario.yml", "--no-verdict")
      #expect(!trial.stderr.contains("counts as a night"))
    }
  }
}
