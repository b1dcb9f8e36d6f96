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
        "measure",
        "--state",
        "reboot-cold",
        "--state",
        "reinstall-cold",
        "--state",
        "warm",
        "--launches",
        "12",
        "--json",
        "-",
        "--",
        "./perl",
        "-e",
        "0"
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
        "measure",
        "--launches",
        "4",
        "--ready",
        "tcp:127.0.0.1:\(port)",
        "--timeout",
        "60s",
        "--json",
        "-",
        "--",
        "redis-server",
        "--port",
        "\(port)",
        "--bind",
        "127.0.0.1",
        "--save",
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
        #expect(lines.count { $0.hasPrefix("warning: ") || $0.hasSuffix("see -v") } <= 3)
        #expect(!output.stderr.contains("  help: "))
      }
    }

    @Test func `launches a program as it was written`() async throws {
      let lab = Launchlab()
      try lab.copyProgram("/bin/sh", to: "shell")

      let output = try await lab.run(
        "measure",
        "--launches",
        "1",
        "--timeout",
        "5s",
        "--ready",
        "stdout:^[.]/shell$",
        "--",
        "./shell",
        "-c",
        "echo $0; sleep 100"
      )

      #expect(output.status == 0, "\(output.stderr)")
    }

    @Test func `prints the plan of a dry run and touches nothing`() async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 7)
      let before = lab.contents

      let run = try await lab.run("run", "scenario.yml", "--dry-run", "--seed", "4")
      let measurement = try await lab.run(
        "measure",
        "--dry-run",
        "--state",
        "reboot-cold",
        "--",
        "./program"
      )

      #expect(run.status == 0)
      #expect(run.stdout.contains("14 launches in 7 blocks"))
      #expect(run.stdout.contains("seed 4"))
      #expect(measurement.status == 0)
      #expect(measurement.stdout.contains("drop_caches"))
      #expect(lab.contents == before)
    }
  }
}
