import Foundation
import Glibc
import LabTestSupport
import Subprocess
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct ExternalToolTests {
  @Test func `reserves no more memory than a tool prints`() async throws {
    let output = try await ExternalTool(executable: .path("/bin/echo")).run(["few"], limit: 1 << 45)
    #expect(output.isSuccess)
    #expect(output.stdout == "few\n")
  }

  @Test func `ends a tool that prints more than is read`() async {
    let tool = ExternalTool(executable: .path("/usr/bin/yes"))
    await #expect(throws: TooManyBytes(limit: 1_000)) { try await tool.run([], limit: 1_000) }
  }
}

@Suite(.temporaryDirectory) struct SideCommandTests {
  private func command(
    _ script: String,
    limit: Nanoseconds = .seconds(60),
    interrupt: InterruptFlag? = nil
  ) -> SideCommand {
    SideCommand(
      command: LaunchCommands.shell + [script],
      environment: ["PATH": "/usr/bin:/bin", "WORD": "given"],
      directory: TemporaryDirectory.path,
      limit: limit,
      interrupt: interrupt
    )
  }

  private func text(of name: String) -> String? {
    try? String(contentsOfFile: "\(TemporaryDirectory.path)/\(name)", encoding: .utf8)
  }

  @Test func `runs in the directory and the environment that it is given, and reads nothing`()
    throws
  {
    let failure = try command("cat; echo $WORD > here; grep SigBlk /proc/self/status > mask").run()
    #expect(failure == nil)
    #expect(text(of: "here") == "given\n")
    #expect(text(of: "mask") == "SigBlk:\t0000000000000000\n")
  }

  @Test func `tells how it failed, and what it printed last`() throws {
    let failed = try #require(try command("echo out; echo err >&2; exit 3").run())
    #expect(failed.fate == "exited with status 3")
    #expect(failed.tail == ["out", "err"])
    let ended = try #require(try command("kill -9 $$").run())
    #expect(ended.fate == "was ended by signal 9")
    #expect(ended.tail == [])
  }

  @Test func `tells that the program is not there`() throws {
    var missing = command("")
    missing.command = ["no-such-program"]
    let failure = try #require(try missing.run())
    #expect(failure.fate.hasSuffix("not found in PATH"))
  }

  @Test func `ends what takes too long, with what it has started`() throws {
    let script = "sleep 1000 & echo $! > child; echo waiting; wait"
    let failure = try #require(try command(script, limit: .milliseconds(500)).run())
    #expect(failure.fate == "was stopped after its time limit of 500 ms")
    #expect(failure.tail == ["waiting"])
    let child = try #require(text(of: "child").flatMap { pid_t($0.dropLast()) })
    #expect(LaunchBench.eventually { ProcessStatus(of: child) == nil })
  }

  @Test func `leaves alone what goes on after it`() throws {
    #expect(try command("sleep 1000 & echo $! > child").run() == nil)
    let child = try #require(text(of: "child").flatMap { pid_t($0.dropLast()) })
    #expect(ProcessStatus(of: child) != nil)
    kill(child, SIGKILL)
  }

  @Test func `learns of an end where the kernel has no pidfd`() throws {
    var failing = command("exit 3")
    failing.openProcess = { _ in -ENOSYS }
    #expect(try failing.run()?.fate == "exited with status 3")
    var endless = command("sleep 1000 & echo $! > child; wait", limit: .milliseconds(500))
    endless.openProcess = { _ in -ENOSYS }
    #expect(try endless.run()?.fate == "was stopped after its time limit of 500 ms")
    let child = try #require(text(of: "child").flatMap { pid_t($0.dropLast()) })
    #expect(LaunchBench.eventually { ProcessStatus(of: child) == nil })
  }

  @Test func `is ended by an interruption`() throws {
    let flag = try InterruptFlag()
    flag.set()
    #expect(throws: HostError.interrupted) { try command("sleep 1000", interrupt: flag).run() }
  }
}
