import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct BadTargetTests {
    /// A command that cannot be launched at all.
    struct Refusal: CustomTestStringConvertible {
      let command: String
      let problem: String
      let remedy: String
      var testDescription: String { command }
    }

    @Test(arguments: [
      Refusal(
        command: "/nowhere/program",
        problem: "there is no program \"/nowhere/program\"",
        remedy: "check the path"
      ),
      Refusal(
        command: "no-such-program",
        problem: "\"no-such-program\" not found in PATH",
        remedy: "give its path, such as ./no-such-program, or install it"
      ),
      Refusal(
        command: "./plain",
        problem: "plain\" is not executable",
        remedy: "make it executable with `chmod +x"
      ),
      Refusal(
        command: "./folder",
        problem: "folder\" is a directory, not a program",
        remedy: "name a program in it"
      ),
    ]) func `refuses what cannot be launched before the first launch`(refusal: Refusal) async throws
    {
      let lab = Launchlab()
      try lab.write("no program", to: "plain")
      try lab.write("", to: "folder/file")

      let output = try await lab.run("measure", "--launches", "3", "--", refusal.command)

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: "))
      #expect(output.stderr.contains(refusal.problem))
      #expect(output.stderr.contains("help: \(refusal.remedy)"))
      #expect(output.stdout.isEmpty)
      #expect(try await lab.runs().isEmpty)
    }

    /// A file that the kernel does not execute.
    struct Unexecutable: CustomTestStringConvertible {
      let content: String
      var mode = "755"
      let reason: String
      var testDescription: String { reason }
    }

    private static let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"

    @Test(arguments: [
      Unexecutable(
        content: "#!/bin/sh\r\necho one\r\n",
        reason: "its interpreter \"/bin/sh\\r\" does not exist: lines end with CR LF"
      ),
      Unexecutable(
        content: "#!/nowhere/python3\n",
        reason: "its interpreter \"/nowhere/python3\" does not exist"
      ),
      Unexecutable(content: pointer, reason: "it is a Git LFS pointer, not the file itself"),
      Unexecutable(
        content: pointer,
        mode: "644",
        reason: "program\" is a Git LFS pointer, not the file itself"
      ),
    ]) func `says why a file is not executed`(file: Unexecutable) async throws {
      let lab = Launchlab()
      try lab.write(file.content, to: "program")
      _ = try Tool.run("chmod", [file.mode, "program"], in: lab.path("."))
      let output = try await lab.run("measure", "--launches", "1", "--", "./program")
      #expect(output.status == 128)
      let text = output.stderr.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(text.contains(file.reason), "\(output.stderr)")
    }

    /// A target that fails.
    struct Failure: CustomTestStringConvertible {
      let source: String
      let name: String
      let outcome: String
      let remedy: String
      var testDescription: String { source }
    }

    @Test(arguments: [
      Failure(
        source: "kill 'SEGV', $$; sleep 100",
        name: "signalled",
        outcome: "ended by signal 11",
        remedy: "run the command by hand under a debugger"
      ),
      Failure(
        source: "print STDERR \"no licence\\n\"; exit 3",
        name: "exited",
        outcome: "exited with status 3",
        remedy: "run the command by hand"
      ),
    ]) func `stops after three failures in a row, and keeps them`(failure: Failure) async throws {
      let lab = Launchlab()
      try lab.writeProgram(failure.source)

      let output = try await lab.run("measure --launches 5 -- ./program")

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: \(failure.outcome), 3 times in a row"))
      #expect(output.stderr.contains("at: target \"program\", warm, block 2"))
      #expect(output.stderr.contains("help: \(failure.remedy)"))
      #expect(try await lab.runs().map(\.status) == ["failed"])
      let launches = try await lab.launches()
      #expect(launches.count == 3)
      #expect(launches.allSatisfy { $0.launchNs == nil })
      #expect(Set(launches.map(\.outcome)) == [failure.name])
    }

    /// A target that is never ready in time.
    struct Delay: CustomTestStringConvertible {
      let source: String
      var ready = "exit"
      let sight: String
      let remedy: String
      var testDescription: String { source }
    }

    @Test(arguments: [
      Delay(
        source: "sleep 100",
        sight: "waiting for exit; program is asleep: no processor time",
        remedy: "it does not exit by itself: set `ready`"
      ),
      Delay(
        source: "$SIG{TERM} = $SIG{INT} = 'IGNORE'; 1 while 1",
        sight: "waiting for exit; program is at work: ",
        remedy: "it is still computing: raise `timeout`"
      ),
      Delay(
        source: "close STDOUT; close STDERR; sleep 100",
        ready: "stdout:ready",
        sight: "asleep: no processor time",
        remedy: "raise `timeout`, or check `ready`"
      ),
      Delay(
        source: "use IO::Socket::UNIX; unlink 's'; "
          + "my $s = IO::Socket::UNIX->new(Listen => 1, Local => 's'); sleep 100",
        ready: "unix:other",
        sight: "listening on unix s",
        remedy: "it listens elsewhere: set `ready: {unix: s}`"
      ),
    ]) func `stops at the first launch that is not ready in time`(delay: Delay) async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        "open F, '>>', '\(lab.path("log"))'; syswrite F, qq(x\\n); \(delay.source)"
      )

      let output = try await lab.run(
        "measure --launches 80 --ready",
        delay.ready,
        "--timeout",
        "2s",
        "--stop-grace",
        "100ms",
        "--",
        "./program"
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: timed out at its first launch, so the run stops"))
      #expect(output.stderr.contains(delay.sight))
      #expect(output.stderr.contains("at: target \"program\", warm, block 0"))
      #expect(output.stderr.contains("help: \(delay.remedy)"))
      #expect(try await lab.runs().map(\.status) == ["failed"])
      #expect(try await lab.launches().map(\.outcome) == ["timed-out"])
      // The unmeasured launch that was to make it warm is the one that tells.
      #expect(lab.lineCount(of: "log") == 1)
    }
  }
}
