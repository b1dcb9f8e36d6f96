import Foundation
import LabTestSupport
import LaunchCore
import Subprocess
import Testing

@testable import FleetEngines

extension FleetWork {
  /// A work that is a script of a shell, in the directory of the test.
  static func shell(
    _ script: String,
    name: String = "night." + UUID().uuidString,
    on host: String,
    environment: [String: String] = [:],
    timeLimit: Duration = .seconds(3600)
  ) -> FleetWork {
    FleetWork(
      name: name,
      host: host,
      command: ["/bin/sh", "-c", script],
      directory: TemporaryDirectory.path,
      environment: environment,
      timeLimit: timeLimit
    )
  }
}

/// What is in a file of the directory of the test; nil if there is none.
func content(_ name: String) -> String? {
  try? String(contentsOfFile: "\(TemporaryDirectory.path)/\(name)", encoding: .utf8)
}

extension FleetEngine {
  /// The job of a work, if there is one.
  func job(_ name: String) async throws -> FleetJob? {
    try await jobs().first { $0.name == name }
  }
}

/// A text with everything that shells, Slurm and lists of variables take for something else.
let oddText = "a,b='c' \"d\" $HOME `e` \\f é '\u{301}\n#SBATCH --time=1\n\t* & ; %j | ALL"

@Suite(
  SlurmTrait(),
  .enabled(if: SlurmCluster.obstacle == nil, "\(SlurmCluster.obstacle ?? "")"),
  .serialized,
  .temporaryDirectory
)
struct SlurmClusterTests {
  let cluster: SlurmCluster
  let engine: SlurmEngine

  init() throws {
    cluster = try #require(SlurmCluster.current)
    engine = cluster.engine()
  }

  @Test func `runs a job on its host, with its directory and variables`() async throws {
    let script = """
      echo "$SLURMD_NODENAME $0 $1 $(pwd) ${NOT_HANDED_ON-unset}"
      printf %s "$ODD" >odd
      until [ -e go ]; do sleep 0.05; done
      """
    var engine = engine
    engine.environment["NOT_HANDED_ON"] = "set"
    engine.environment["SQUEUE_STATES"] = "suspended"
    var work = FleetWork.shell(
      script,
      name: "2026-11-20.h2|%j.'fleet'",
      on: "h2",
      environment: ["ODD": oddText],
      timeLimit: .seconds(3601)
    )
    work.command += ["a  b", "it's"]
    try await engine.submit(work)
    try await eventually("start") { content("odd") == oddText }
    let job = try #require(try await engine.job(work.name))
    #expect(job.running != nil && job.reason == nil)
    #expect(try await cluster.run("squeue", "-h", "-j", job.id, "-o", "%l %m %h") == "1:01:00 0 NO")

    // Another one waits for the host.
    let second = FleetWork.shell("true", on: "h2")
    try await engine.submit(second)
    try await eventually("reason") { try await engine.job(second.name)?.reason == "Resources" }
    #expect(try await engine.job(second.name)?.running == nil)

    try "".write(toFile: TemporaryDirectory.path + "/go", atomically: false, encoding: .utf8)
    try await eventually("end") {
      let names = try await engine.jobs().map(\.name)
      return !names.contains(work.name) && !names.contains(second.name)
    }
    #expect(
      content(".launchlab/fleet/\(work.name.fileName).log")
        == "h2 a  b it's \(TemporaryDirectory.path) unset\n"
    )
  }

  @Test func `ends a job with the time to clean up`() async throws {
    let work = FleetWork.shell(
      "trap 'sleep 0.3; echo TERM >ended; exit' TERM; echo >began; while :; do sleep 0.05; done",
      on: "h1"
    )
    try await engine.submit(work)
    try await eventually("start") { content("began") != nil }
    let job = try #require(try await engine.job(work.name))
    // An id that was given out again is another job's.
    try await engine.cancel([FleetJob(id: job.id, name: "another")])
    #expect(try await engine.job(work.name) == job || content("ended") == nil)
    try await engine.cancel([job])
    try await eventually("end") { try await engine.job(work.name) == nil }
    #expect(content("ended") == "TERM\n")
    try await engine.cancel([job, FleetJob(id: "999999", name: "never")])
  }

  @Test func `keeps jobs from a drained host`() async throws {
    try await engine.drain("h3", because: "launchlab: slow on 3 nights,\n \"fan\"|it's")
    let host = try await engine.hosts().first { $0.name == "h3" }
    #expect(host?.obstacle == "drained: launchlab: slow on 3 nights,  \"fan\"|it's")
    let work = FleetWork.shell("echo >ran", on: "h3")
    try await engine.submit(work)
    try await eventually("reason") {
      try await engine.job(work.name)?.reason == "ReqNodeNotAvail, UnavailableNodes:h3"
    }
    let job = try #require(try await engine.job(work.name))
    try await engine.cancel([job])
    try await eventually("end") { try await engine.job(work.name) == nil }
    #expect(content("ran") == nil)
    try await cluster.run("scontrol", "update", "nodename=h3", "state=resume")
    try await cluster.isUp()
    // Another test kills the controller, which forgets what it has not saved yet, within 5 s.
    try await Task.sleep(for: .seconds(6))
  }

  @Test func `says what Slurm does not know or allow`() async throws {
    await #expect(throws: FleetEngineError.unknownHost("h9")) {
      try await engine.submit(.shell("true", on: "h9"))
    }
    await #expect(throws: FleetEngineError.unknownHost("h[1-2]")) {
      try await engine.submit(.shell("true", on: "h[1-2]"))
    }
    await #expect(throws: FleetEngineError.unknownHost("h9")) {
      try await engine.drain("h9", because: "no such host")
    }
    let nowhere = cluster.engine(partition: "nowhere")
    await #expect(throws: FleetEngineError.unknownPartition("nowhere")) {
      try await nowhere.submit(.shell("true", on: "h1"))
    }
    await #expect(throws: FleetEngineError.unknownPartition("nowhere")) {
      try await nowhere.hosts()
    }
    let build = cluster.engine(partition: "build")
    let host = try await build.hosts()[0]
    #expect(host.name == "h1" && host.obstacle == nil)
    #expect(host.up != nil)
    let reason = "Requested node configuration is not available"
    await #expect(throws: FleetEngineError.refused(reason: reason)) {
      try await build.submit(.shell("true", on: "h2"))
    }
    try await cluster.run("scontrol", "update", "partitionname=build", "state=down")
    #expect(try await build.hosts().map(\.obstacle) == ["partition build is down"])
    try await cluster.run("scontrol", "update", "partitionname=build", "state=up")
  }

  @Test func `says that the controller is away`() async throws {
    try await cluster.kill(.slurmctld)
    let job = FleetJob(id: "1", name: "any")
    let work = FleetWork.shell("true", on: "h1")
    let calls: [@Sendable (SlurmEngine) async throws -> Void] = [
      { _ = try await $0.hosts() }, { _ = try await $0.jobs() },
      { try await $0.submit(work) }, { try await $0.cancel([job]) },
      { try await $0.drain("h1", because: "away") },
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for call in calls {
        group.addTask {
          let error = await #expect(throws: FleetEngineError.self) { try await call(engine) }
          guard case .away(let reason) = error else { throw error ?? .noCommand("none") }
          #expect(reason.hasSuffix("Unable to contact slurm controller (connect failure)"))
        }
      }
      try await group.waitForAll()
    }
    try await cluster.start(.slurmctld)
    try await cluster.isUp()
  }

  @Test func `forgets the job of a host that was lost`() async throws {
    let work = FleetWork.shell("while :; do echo >>beats; sleep 0.02; done", on: "h4")
    try await engine.submit(work)
    try await eventually("start") { content("beats") != nil }
    try await cluster.lose("h4")
    let beats = content("beats")
    try await cluster.start(.slurmd("h4"))
    try await cluster.isUp()
    #expect(content("beats") == beats)
    // Slurm may show it as running for minutes, until it is cancelled.
    if let ghost = try await engine.job(work.name) { try await engine.cancel([ghost]) }
    try await eventually("end") { try await engine.job(work.name) == nil }
    try await cluster.isUp()
  }

  @Test func `brings a host back that Slurm has drained by mistake`() async throws {
    try await engine.drain("h2", because: "Duplicate jobid")
    try await engine.drain("h3", because: "Duplicate jobid of somebody")
    #expect(try await engine.mend(engine.hosts()))
    // For a moment it does not respond.
    try await eventually("h2") {
      let hosts = try await engine.hosts().filter { $0.obstacle != nil }
      return hosts.map(\.obstacle) == ["drained: Duplicate jobid of somebody"]
    }
    #expect(try await !engine.mend(engine.hosts()))
    try await cluster.run("scontrol", "update", "nodename=h3", "state=resume")
  }
}
