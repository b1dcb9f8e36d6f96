import Foundation
import LabModel
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

/// Launches on the real machine, with and without another program on their processor.
@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler"),
  .enabled(if: geteuid() == 0, "only root can make the cgroup of a run")
)
struct DisturbedLaunchTests {
  /// Spins on processor 0 until it has used as much processor time as its argument says, in
  /// milliseconds.
  private static let spinner = """
    #define _GNU_SOURCE
    #include <sched.h>
    #include <stdlib.h>
    #include <time.h>
    int main(int count, char **arguments) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(0, &set);
      if (sched_setaffinity(0, sizeof set, &set)) return 1;
      double wanted = count > 1 ? atof(arguments[1]) : 0;
      struct timespec used;
      do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
      while (used.tv_sec * 1e3 + used.tv_nsec / 1e6 < wanted);
      return 0;
    }
    """

  @Test func `a burner on the target's processor marks launches, and its end unmarks them`() throws
  {
    let program = try CompiledProgram(Self.spinner, in: TemporaryDirectory.path).path
    let bench = try LaunchBench()
    let cgroup = try cgroup(of: bench)
    var meter = DisturbanceMeter(
      limits: DisturbanceLimits(),
      cpus: [0],
      cgroup: cgroup,
      tree: HostTree()
    )
    let request = try bench.request([program, "20"])
    func launch() throws -> [Disturbance.Kind] {
      meter.begin()
      let result = try bench.spawner.launch(request)
      #expect(result.outcome == .ready)
      return meter.end(result: result).map(\.kind)
    }

    let burner = Process()
    burner.executableURL = URL(filePath: program)
    burner.arguments = ["20000"]
    try burner.run()
    defer {
      burner.terminate()
      burner.waitUntilExit()
    }
    for _ in 0..<5 { #expect(try launch().contains(.foreignCPU)) }

    burner.terminate()
    burner.waitUntilExit()
    // Other tests use the processor now and then.
    let isQuiet = try (0..<500).contains { _ in
      guard try launch().isEmpty else {
        _ = InterruptFlag.sleep(.milliseconds(20))
        return false
      }
      return true
    }
    #expect(isQuiet)
  }

  @Test func `a real machine that others use has not settled`() throws {
    let program = try CompiledProgram(Self.spinner, in: TemporaryDirectory.path).path
    let limits = SettleLimits(cpuIdle: 0.9, within: .milliseconds(150))
    let gate = SettleGate(limits: limits, cpus: [0], tree: HostTree())
    #expect(gate.missing().isEmpty)
    let burner = Process()
    burner.executableURL = URL(filePath: program)
    burner.arguments = ["20000"]
    try burner.run()
    defer {
      burner.terminate()
      burner.waitUntilExit()
    }
    _ = InterruptFlag.sleep(.milliseconds(50))
    let settling = gate.wait()
    #expect(settling.obstacle?.hasPrefix("cpu idle ") == true)
    #expect(settling.waited >= .milliseconds(150))
  }

  /// The cgroup that the spawner of a bench has made, by what a target says of itself.
  private func cgroup(of bench: LaunchBench) throws -> FilePath {
    let result = try bench.spawner.launch(bench.request(["/bin/cat", "/proc/self/cgroup"]))
    let text = String(decoding: result.output.stdout.head, as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("0::") })
    let path = String(line.dropFirst(3)).replacing("/targets", with: "")
    let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
    let mount = try #require(
      mounts.split(separator: "\n").map { $0.split(separator: " ") }.first { $0[2] == "cgroup2" }
    )
    return FilePath(String(mount[1]) + path)
  }
}
