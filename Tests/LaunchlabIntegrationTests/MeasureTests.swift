import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct MeasureTests {
    @Test(
      .enabled(if: Machine.isRoot, "dropping caches takes root"),
      .enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory")
    )
    func `measures perl after a reboot, after a reinstallation and warm`() async throws {
      let lab = Launchlab()
      // A copy, because other tests use perl at the same time, which would warm it.
      try lab.copyProgram("/usr/bin/perl", to: "perl")

      let output = try await lab.run(
        "measure --state reboot-cold --state reinstall-cold --state warm --launches 12 --json - "
          + "-- ./perl -e 0"
      )

      #expect(output.status == 0)
      let result = try RunResult(output.stdout)
      #expect(result.schema == "launchlab.run/1")
      #expect(result.arms.map(\.state).sorted() == ["reboot-cold", "reinstall-cold", "warm"])
      for arm in result.arms { expectFields(of: arm, launches: 12) }
      for state in ["reboot-cold", "reinstall-cold"] {
        let arm = try #require(result.arm(state))
        #expect(arm.residency.residentPages == 0)
        #expect((arm.residency.totalPages ?? 0) > 0)
        #expect(!arm.residency.pinned.contains { $0.path == lab.path("perl") })
        let faults = try #require(arm.metrics["major_faults"] ?? nil)
        #expect(faults.min >= 1)
      }
      let warm = try #require(result.arm("warm"))
      #expect(warm.residency.residentPages == warm.residency.totalPages)
      #expect((warm.metrics["major_faults"] ?? nil)?.max == 0)
      #expect(!result.run.host.fingerprint.isEmpty)
      #expect(Set(result.run.controls.map(\.name)).isSuperset(of: ["proactive_reclaim"]))
      #expect(try await lab.runs().map(\.id) == [result.run.id])
    }

    private func expectFields(of arm: RunResult.Arm, launches: Int) {
      #expect(arm.launches == launches)
      #expect(arm.outcomes == ["ready": launches])
      #expect(arm.stateReached.reached == launches)
      let names = ["launch", "spawn", "peak_rss", "major_faults", "minor_faults", "bytes_read"]
      for name in names {
        #expect((arm.metrics[name] ?? nil)?.n == launches, "\(arm.state) \(name)")
      }
      guard let launch = arm.metrics["launch"] ?? nil else { return }
      #expect(launch.unit == "ns")
      #expect(launch.values.count == launches)
      #expect(launch.values.map(Double.init).min() == launch.min)
      #expect(launch.values.map(Double.init).max() == launch.max)
      let deviation = launch.stddev ?? .nan
      let variance = launch.variance ?? .nan
      #expect(abs(deviation * deviation - variance) <= variance / 1e6)
      #expect(launch.ci95?.count == 2)
      #expect((launch.min...launch.max).contains(launch.median))
    }

    @Test(.enabled(if: Machine.has("redis-server"), "redis-server is not installed"))
    func `measures redis until its port accepts, and leaves nothing of it`() async throws {
      let lab = Launchlab()
      let port = try Machine.freePort()

      let output = try await lab.run(
        "measure --launches 4 --ready tcp:127.0.0.1:\(port) --timeout 60s --json - -- "
          + "redis-server --port \(port) --bind 127.0.0.1 --save",
        "",
        "--appendonly",
        "no"
      )

      #expect(output.status == 0, "\(output.stderr)")
      let arm = try #require(try RunResult(output.stdout).arms.first)
      #expect(arm.outcomes == ["ready": 4])
      let launches = try await lab.launches()
      #expect(launches.allSatisfy { !$0.flags.contains("killed") })
    }

    @Test(arguments: [[], ["--verbose"], ["--quiet"]])
    func `shows the table and little else, or all, or nothing else`(options: [String]) async throws
    {
      var lab = Launchlab()
      lab.isVerbose = false

      let output = try await lab.run(
        arguments: ["measure"] + options + ["--launches", "5", "--", "/bin/true"]
      )

      #expect(output.status == 0)
      let isVerbose = options == ["--verbose"]
      #expect(output.stdout.contains("true") && output.stdout.contains("median"))
      #expect(output.stdout.contains("containment") == isVerbose)
      #expect(output.stdout.contains("peak RSS") == isVerbose)
      if options == ["--quiet"] { #expect(output.stderr.isEmpty) }
      if options.isEmpty {
        let lines = output.stderr.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("warning: ") || $0.contains("see -v, or") } <= 3)
        #expect(!output.stderr.contains("  help: "))
      }
    }

    @Test func `launches a program as it was written`() async throws {
      let lab = Launchlab()
      try lab.copyProgram("/bin/sh", to: "shell")

      let output = try await lab.run(
        "measure --launches 3 --timeout 5s --ready stdout:^[.]/shell$ -- ./shell -c",
        "echo $0; sleep 100"
      )

      #expect(output.status == 0, "\(output.stderr)")
    }

    @Test func `takes the exit statuses that are expected, and shows what others printed`()
      async throws
    {
      let lab = Launchlab()
      func measure(_ options: String..., exit status: Int) async throws -> Tool.Output {
        let script = "echo out; echo no match >&2; exit \(status)"
        return try await lab.run(
          arguments: ["measure", "-l", "2"] + options + ["--", "sh", "-c", script]
        )
      }

      let unexpected = try await measure(exit: 1)
      let expected = try await measure("--exit-status", "0,1", exit: 1)
      let other = try await measure("--exit-status", "0,1", "-l", "1", exit: 2)
      let any = try await measure("-i", exit: 2)

      #expect(unexpected.status == 128)
      #expect(
        unexpected.stderr.contains("stderr | no match") && unexpected.stderr.contains("| out")
      )
      #expect(unexpected.stderr.contains("--exit-status 0,1;"))
      #expect(expected.status == 0, "\(expected.stderr)")
      #expect(other.status == 128)
      #expect(other.stderr.contains("error: exited with status 2"))
      #expect(any.status == 0, "\(any.stderr)")
    }

    @Test func `refuses a pipe as standard input, and takes a file that is its own`() async throws {
      let lab = Launchlab()
      try lab.write("hello\n", to: "input")
      let measure = "measure -l 1 --exit-status 0"
      let program = "-- sh -c 'read line && test \"$line\" = hello'"
      func shell(_ script: String) throws -> Tool.Output {
        try Tool.run(
          "bash",
          ["-c", script, Launchlab.builtExecutable],
          in: lab.directory,
          environment: ["LAUNCHLAB_STATE_DIR": lab.path(lab.stateDirectory)]
        )
      }

      let pipes = [
        try shell("mkfifo fifo; $0 \(measure) --stdin fifo \(program)"),
        try shell("echo hello | $0 \(measure) --stdin - \(program)"),
        try shell("$0 \(measure) --stdin <(echo hello) \(program)"),
      ]
      let files = [
        try shell("$0 \(measure) --stdin - \(program) < input"),
        try shell("$0 \(measure) --stdin /dev/fd/5 \(program) 5< input"),
      ]

      for output in pipes {
        #expect(output.status == 64, "\(output.stderr)")
        #expect(output.stderr.contains("is a pipe or a terminal"), "\(output.stderr)")
        #expect(output.stderr.contains("> input"), "\(output.stderr)")
      }
      for output in files { #expect(output.status == 0, "\(output.stderr)") }
    }

    @Test(.enabled(if: Machine.has("bash"), "bash is not installed"))
    func `launches a shell in a terminal until its prompt`() async throws {
      let lab = Launchlab()
      let output = try await lab.run(
        "measure -l 3 --tty --env",
        "PS1=[$TERM] ",
        "--ready",
        "stdout:[[]xterm-256color[]]",
        "--",
        "bash",
        "--norc",
        "--noprofile"
      )
      #expect(output.status == 0, "\(output.stderr)")
    }
  }
}
