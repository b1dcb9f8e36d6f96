import Foundation
import Glibc
import Testing

@testable import LaunchCore
@testable import LaunchHost

struct SpawnerLifeTests {
  @Test func `leaves no file open after a thousand launches`() throws {
    let bench = try LaunchBench()
    let program = try EmbeddedHelper.empty.unpacked()
    let request = try bench.request([program])
    let sleeper = try bench.request(
      ["/bin/sh", "-c", "ls /proc/$PPID/fd | wc -l", bench.mark])
    let before = try bench.spawner.launch(sleeper)
    for _ in 0..<1_000 { #expect(try bench.spawner.launch(request).outcome == .ready) }
    let after = try bench.spawner.launch(sleeper)
    #expect(before.output.stdout.totalBytes > 0)
    #expect(before.output.stdout == after.output.stdout)
  }

  @Test func `gives the target nothing but its three standard files`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "opendir D, '/proc/self/fd'; print join q( ), sort grep /\\d/ && $_ != fileno(D), readdir D"
    )
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "0 1 2")
  }

  @Test func `gives the target default signals in a session of its own`() throws {
    let bench = try LaunchBench()
    let signals = try bench.spawner.launch(
      bench.request(["/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
    )
    #expect(
      String(decoding: signals.output.stdout.head, as: UTF8.self)
        == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
    )
    let session = try bench.perl("use POSIX; print getpgrp == $$ ? q(own) : q(other)")
    #expect(String(decoding: session.output.stdout.head, as: UTF8.self) == "own")
  }

  @Test func `throws when the spawner is killed, and goes on with another one`() throws {
    let bench = try LaunchBench()
    bench.killSpawner(times: 1, whenMarked: 2)
    let source = "use POSIX; fork or POSIX::setsid(); sleep 60"
    let request = try bench.request(["/usr/bin/perl", "-e", source, bench.mark])
    #expect(throws: HostError.spawnerLost(status: "signal 9")) {
      try bench.spawner.launchOnce(request)
    }
    #expect(LaunchBench.eventually { bench.marked.isEmpty })
    #expect(try bench.perl("1").outcome == .ready)
  }

  @Test(arguments: [1, 3])
  func `launches again when the spawner is killed`(times: Int) throws {
    let bench = try LaunchBench()
    let tally = "\(NSTemporaryDirectory())\(bench.mark)"
    defer { try? FileManager.default.removeItem(atPath: tally) }
    // A launch that is killed before it has written is one more than those that wait to be killed.
    bench.killSpawner(times: times, whenMarked: 1) { kills in
      FileManager.default.contents(atPath: tally)?.count == kills + 1
    }
    let source = """
      open F, '>>', $ARGV[0]; syswrite F, 'x'; sleep 60 if -s F <= $ARGV[1]
      """
    #expect(try bench.perl(source, [tally, "\(times)"]).outcome == .ready)
    #expect(FileManager.default.contents(atPath: tally)?.count == times + 1)
    #expect(bench.marked.isEmpty)
    #expect(bench.spawner.starts == times + 1)
  }

  @Test func `gives up when the spawner ends at every launch`() throws {
    let bench = try LaunchBench()
    bench.killSpawner(times: Spawner.toleratedLosses, whenMarked: 1)
    #expect(
      throws: HostError.spawnerLost(status: "signal 9", times: Spawner.toleratedLosses)
    ) {
      try bench.perl("sleep 60")
    }
    #expect(bench.marked.isEmpty)
  }

  @Test func `stops the target of a spawner that was killed as at the end of a launch`() throws {
    let bench = try LaunchBench()
    let file = "\(NSTemporaryDirectory())\(bench.mark)"
    bench.killSpawner(times: 1, whenMarked: 1) { _ in FileManager.default.fileExists(atPath: file) }
    let source = "$SIG{TERM} = sub { unlink $f; exit }; $f = shift; open F, '>', $f; sleep 60"
    let request = try bench.request(["/usr/bin/perl", "-e", source, file, bench.mark])
    #expect(throws: HostError.spawnerLost(status: "signal 9")) {
      try bench.spawner.launchOnce(request)
    }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `learns of the end of a spawner whose socket somebody still holds`() throws {
    // What is launched holds it until it executes its program, which may take for ever.
    let process = try HelperProcess(
      program: "/bin/sh",
      arguments: ["-c", "sleep 60 & kill -9 $$"]
    )
    let pid = process.pid
    let reply = process.receive(within: .seconds(50), interrupt: -1)
    var hasEnded = false
    if case .ended = reply { hasEnded = true }
    #expect(hasEnded)
    kill(-pid, SIGKILL)
  }

  @Test func `ends a launch that is stuck, and goes on with another spawner`() throws {
    let bench = try LaunchBench(patience: .milliseconds(300))
    let stuck = Outcome.notStarted(
      reason: "the launch was stuck, before the program began or when it was to end"
    )
    // The target stops its spawner; a busy machine may not even begin it within the shortest limit.
    let isStuck = try [Int64(500), 8_000, 60_000].contains { limit in
      let stop = "kill STOP, getppid; sleep 60"
      let result = try bench.perl(stop, timeout: .milliseconds(limit), grace: .zero)
      return result.outcome == stuck
    }
    #expect(isStuck)
    #expect(bench.marked.isEmpty)
    #expect(try bench.perl("1").outcome == .ready)
  }

  @Test func `takes an answer that came before the limit, however late it looks`() throws {
    let answer = "printf '\\004\\000\\000\\000done' >&3"
    let process = try HelperProcess(program: "/bin/sh", arguments: ["-c", answer])
    let status = waitid(P_PID, id_t(process.pid), nil, WEXITED | WNOWAIT)
    #expect(status == 0)
    let reply = process.receive(within: .zero, interrupt: -1)
    var message: [UInt8]?
    if case .message(let bytes) = reply { message = bytes }
    #expect(message == [4, 0, 0, 0] + Array("done".utf8))
  }

  @Test func `returns at once when it is interrupted`() throws {
    let flag = try InterruptFlag()
    let bench = try LaunchBench(interrupt: flag)
    let mark = bench.mark
    Thread.detachNewThread {
      _ = LaunchBench.eventually { LaunchBench.processes(marked: mark).count == 2 }
      flag.set()
    }
    #expect(throws: HostError.interrupted) {
      try bench.perl("$SIG{TERM}='IGNORE'; fork; sleep 60 while 1", timeout: .seconds(600))
    }
    #expect(bench.marked.isEmpty)
    #expect(throws: HostError.interrupted) { try bench.perl("1") }
  }

  @Test func `ends everything when the controller is gone`() throws {
    let bench = try LaunchBench()
    let mark = bench.mark
    let request = try bench.request(
      ["/usr/bin/perl", "-e", "use POSIX; fork or POSIX::setsid(); sleep 60 while 1", mark])
    let directory = NSTemporaryDirectory()
    let process = try HelperProcess(
      program: EmbeddedHelper.spawner.unpacked(),
      arguments: [directory, ""]
    )
    let pid = process.pid
    let isSent = process.send(request.bytes())
    #expect(isSent)
    #expect(LaunchBench.eventually { bench.marked.count == 2 })
    let status = process.abandon()
    #expect(status == "status 0")
    #expect(bench.marked.isEmpty)
    #expect(kill(pid, 0) != 0)
  }

  @Test(.enabled(if: RunCgroup.make().map { $0.remove() } != nil, "no cgroup v2 to write to"))
  func `removes its cgroup`() throws {
    let cgroup = try #require(RunCgroup.make())
    cgroup.remove()
    #expect(!FileManager.default.fileExists(atPath: "\(cgroup.directory)"))
  }
}
