import Foundation
import LabTestSupport
import Testing

@testable import LaunchHost

/// Programs of the user that are told of findings.
@Suite(.temporaryDirectory) struct NoticeCommandTests {
  private func sender(limit: Duration = .seconds(60)) -> NoticeSender {
    NoticeSender(
      directory: TemporaryDirectory.path,
      environment: ["PATH": "/usr/bin:/bin"],
      limit: limit
    )
  }

  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: "\(TemporaryDirectory.path)/\(name)", encoding: .utf8)
  }

  private func failure(
    _ script: String,
    input: String = "",
    limit: Duration = .seconds(60)
  ) async -> String? {
    do throws(NoticeFailure) {
      try await sender(limit: limit).run(["sh", "-c", script], input: input)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `gives a command the finding on its standard input`() async throws {
    let finding = "{\"id\":\"R-1\"}\n" + String(repeating: "é", count: 200_000)
    #expect(await failure("cat > got; pwd > where", input: finding) == nil)
    #expect(try file("got") == finding)
    #expect(try file("where") == TemporaryDirectory.path + "\n")
  }

  @Test func `does not mind a command that reads nothing`() async {
    #expect(await failure("exit 0", input: String(repeating: "x", count: 1 << 20)) == nil)
  }

  @Test func `takes a status other than 0 for a failure, with the last line`() async {
    let said = await failure("echo first; echo 'no such channel' >&2; exit 3")
    #expect(said == "it ended with status 3: no such channel")
    #expect(await failure("echo printed; exit 1") == "it ended with status 1: printed")
    #expect(await failure("kill -9 $$") == "it ended with signal 9")
  }

  @Test func `ends a command that takes too long, with all that it started`() async throws {
    // A busy machine may not even begin the command within the shortest limit.
    for limit in [0.25, 4, 64] where (try? file("child")) == nil {
      let said = await failure("sleep 1000 & echo $! > child; wait", limit: .seconds(limit))
      #expect(said == "it took longer than \(Duration.seconds(limit)), and was ended")
    }
    let child = try #require(Int32(file("child").trimmingCharacters(in: .newlines)))
    let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
    #expect(state == nil || state?.contains(" Z ") == true)
  }

  @Test func `ends a command that prints without end`() async {
    let said = await failure("yes")
    #expect(said == "it printed more than 1048576 bytes, and was ended")
  }

  @Test func `lets a command print no faster than it is read, so that it cannot fill the memory`()
    async throws
  {
    let program = """
      $SIG{PIPE} = "IGNORE";
      $SIG{TERM} = sub { open my $file, ">", "written"; print $file $sum; close $file; exit };
      while (1) { $sum += syswrite(STDOUT, "x" x 65536) // 0 }
      """
    #expect(await failure("exec perl -e '\(program)'")?.hasPrefix("it printed more") == true)
    let written = try #require(Int(file("written")))
    #expect((1 << 20...2 << 20).contains(written))
  }

  @Test func `ends a command when launchlab is interrupted`() async throws {
    let flag = try InterruptFlag()
    let sender = NoticeSender(
      directory: TemporaryDirectory.path,
      environment: ["PATH": "/usr/bin:/bin"],
      interrupt: flag
    )
    let told = Task { try await sender.run(["sleep", "1000"], input: "") }
    flag.set()
    #expect(sender.heedIfInterrupted())
    let reason = "it was still running when launchlab was interrupted, and was ended"
    await #expect(throws: NoticeFailure(reason)) { try await told.value }
  }

  @Test func `counts a command as told that succeeds while it is being ended`() async throws {
    let flag = try InterruptFlag()
    let sender = NoticeSender(
      directory: TemporaryDirectory.path,
      environment: ["PATH": "/usr/bin:/bin"],
      interrupt: flag
    )
    let script = "trap 'echo told > told; exit 0' TERM; touch begun; while :; do sleep 0.01; done"
    let told = Task { try await sender.run(["sh", "-c", script], input: "") }
    while (try? file("begun")) == nil { try await Task.sleep(for: .milliseconds(5)) }
    flag.set()
    try await told.value
    #expect(try file("told") == "told\n")
  }

  @Test func `says that there is no such program`() async {
    let sender = sender()
    let reason = "\"no-such-program\" is not a program that can be executed"
    await #expect(throws: NoticeFailure(reason)) {
      try await sender.run(["no-such-program"], input: "")
    }
  }
}
