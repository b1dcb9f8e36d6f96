import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// They bind every thread of this process for a while.
@Suite(.machineKnobs, .temporaryDirectory) struct HostLaboratoryControlTests {
  private let arm = Arm(target: "target", state: .warm)

  @Test(.enabled(if: ProcessAffinity.allowed().count > 1, "there is one processor only"))
  func `lets launchlab go again when a run cannot begin`() async throws {
    let before = ProcessAffinity.allowed()
    let cpu = try #require(before.last)
    let session = try session()
    defer { session.end() }
    await #expect(throws: HostError.self) {
      let controls = ControlPlan(cpus: [cpu], isShielded: false)
      _ = try await laboratory("/no/such/program", controls, session)
    }
    #expect(Self.affinities(of: getpid()) == [before])
  }

  @Test(.enabled(if: canMakeCgroup, "no cgroup v2 may be written to"))
  func `watches the cgroup of a spawner that replaces a lost one`() async throws {
    let session = try session()
    defer { session.end() }
    let controls = ControlPlan(steal: DisturbanceLimits())
    var laboratory = try await laboratory("/bin/true", controls, session)
    defer { laboratory.close() }
    _ = try laboratory.prepare(arm)
    _ = try laboratory.launch(arm)
    #expect(laboratory.meter?.sources.reading().launched != nil)
    let cgroup = try #require(laboratory.spawner.cgroupDirectory)
    let spawner = HostTree().text(at: "\(cgroup)/targets/cgroup.procs").flatMap { pid_t($0) }
    kill(try #require(spawner), SIGKILL)
    #expect(throws: HostError.self) { try laboratory.launch(arm) }
    _ = try laboratory.prepare(arm)
    _ = try laboratory.launch(arm)
    #expect(laboratory.meter?.sources.reading().launched != nil)
  }

  /// The different sets of processors that the threads of a process may run on.
  private static func affinities(of pid: pid_t) -> Set<[Int]> {
    let threads = HostTree().names(in: "proc/\(pid)/task")
    return Set(threads.compactMap { TaskStatus(of: $0, in: HostTree())?.cpus.sorted() })
  }

  private static var canMakeCgroup: Bool { RunCgroup.make().map { $0.remove() } != nil }

  private func session() throws(HostError) -> LabSession {
    let environment = [JournalDirectory.variable: "\(TemporaryDirectory.path)/state"]
    return try LabSession(command: ["test"], in: JournalDirectory(environment: environment))
  }

  private func laboratory(
    _ program: String,
    _ controls: ControlPlan,
    _ session: LabSession
  ) async throws(HostError) -> HostLaboratory {
    let directory = TemporaryDirectory.path
    let target = Target(name: "target", command: [program], directory: directory)
    var scenario = Scenario.sample("test", [target], launches: 2)
    scenario.controls = controls
    return try await HostLaboratory(
      plan: Plan(scenario: scenario, seed: 1, arms: [arm], blockCount: 2),
      directory: directory,
      session: session
    )
  }
}
