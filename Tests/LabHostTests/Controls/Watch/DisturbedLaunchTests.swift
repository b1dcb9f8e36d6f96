import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Launches on the real machine, with and without another program on their processor.
@Suite(
  .serialized,
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler"),
  .enabled(if: geteuid() == 0, "only root can make the cgroup of a run")
)
struct DisturbedLaunchTests {
  /// Spins on processor 0 until it has used as much processor time as its argument says, in
  /// milliseconds; with another argument nobody can take the processor from it.
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
      struct sched_param level = {.sched_priority = 1};
      if (count > 2 && sched_setscheduler(0, SCHED_FIFO, &level)) return 2;
      double wanted = count > 1 ? atof(arguments[1]) : 0;
      struct timespec used;
      do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
      while (used.tv_sec * 1e3 + used.tv_nsec / 1e6 < wanted);
      return 0;
    }
    """

  @Test func `a burner marks launches on its processor, but not those that it cannot push aside`()
    throws
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
    func launch(_ arguments: String...) throws -> [Disturbance.Kind] {
      let request = try bench.request([program] + arguments)
      meter.begin()
      let result = try bench.spawner.launch(request)
      #expect(result.outcome == .ready)
      return meter.end(result: result).map(\.kind)
    }

    // A burner may not be at work yet, or be kept from it by tests beside this one.
    var marked = 0
    for _ in 0..<100 where marked < 5 {
      if try besideBurner(program, { try launch("20").contains(.foreignCPU) }) { marked += 1 }
    }
    #expect(marked == 5)
    // Others may be in the way until the program has its priority.
    #expect(
      try (0..<100).contains { _ in
        try besideBurner(program) { try !launch("20", "alone").contains(.foreignCPU) }
      }
    )
  }

  @Test func `a real machine that others use has not settled`() throws {
    let program = try CompiledProgram(Self.spinner, in: TemporaryDirectory.path).path
    let limits = SettleLimits(cpuIdle: 0.9, within: .milliseconds(150))
    let gate = SettleGate(limits: limits, cpus: [0], tree: HostTree())
    #expect(gate.missing().isEmpty)
    let isSeen = try (0..<100).contains { _ in
      let settling = try besideBurner(program) { gate.wait() }
      return settling.obstacle?.hasPrefix("cpu idle ") == true
        && settling.waited >= .milliseconds(150)
    }
    #expect(isSeen)
  }

  /// Does something while a program spins on processor 0.
  ///
  /// That one ends after 2 s of processor time, because tests beside this one may wait for the ends of
  /// pipes that it has inherited.
  private func besideBurner<Value>(_ program: String, _ body: () throws -> Value) throws -> Value {
    let burner = Process()
    burner.executableURL = URL(filePath: program)
    burner.arguments = ["2000"]
    try burner.run()
    defer {
      burner.terminate()
      burner.waitUntilExit()
    }
    return try body()
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
