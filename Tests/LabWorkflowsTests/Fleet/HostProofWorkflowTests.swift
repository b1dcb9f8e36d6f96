import Foundation
import LabTestSupport
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

/// The proof of a night that hosts of a fleet make together, on laboratories without a machine.
@Suite(.temporaryDirectory) struct HostProofWorkflowTests {
  private let events = ToldEvents()

  private static func slot(_ day: Int, of host: String) -> FleetSlot {
    FleetSlot(night: (SampleNight.evening + 86_400 * Double(day)).utcDay, host: host)
  }

  private static let series = [
    SeriesKey(scenario: "app", target: "app", state: .warm, metric: .launch, fingerprint: "c0ffee")
  ]

  private func store(_ host: String) throws -> Store {
    let path = "\(TemporaryDirectory.path)/\(host)/.launchlab/launchlab.sqlite"
    return try Store(path: path, mode: .readWrite)
  }

  private func request(_ host: String, proof: String) throws -> RunRequest {
    let path = "\(TemporaryDirectory.path)/scenario.yml"
    let text = """
      scenario: app
      targets: {app: {command: [./app]}}
      states: [warm]
      launches: 10
      regression: {metrics: [launch], effect: 5%, \(proof)}
      """
    try Data(text.utf8).write(to: URL(filePath: path))
    return try RunRequest(
      scenarioPath: path,
      store: "\(TemporaryDirectory.path)/\(host)/.launchlab/launchlab.sqlite",
      seed: 1,
      revision: nil,
      resume: nil,
      reportDirectory: nil
    )
  }

  /// Runs nights of a host from a day on, one for each program.
  private func nights(
    _ programs: [String],
    from first: Int = 0,
    on host: String = "bench-1",
    proof: String = "proof: 40, hosts: 4",
    inFleet: Bool = true
  ) async throws {
    for (day, program) in zip(first..., programs) {
      try FakeProgram.write(program)
      var request = try request(host, proof: proof)
      if inFleet { request.slot = Self.slot(day, of: host) }
      let context = WorkflowContext.fake(at: SampleNight.evening + 86_400 * Double(day))
      _ = try await NightWorkflow(
        request,
        provesSuspicions: true,
        in: context.telling(events.add),
        bisect: nil
      ).run()
    }
  }

  /// Asks a host for its part of a proof.
  private func proof(
    _ day: Int,
    on host: String = "bench-1",
    lastGood: Int? = nil,
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory = {
      FakeLaboratory(launching: $0)
    }
  ) async throws -> HostProofWorkflow.Outcome {
    let wanted = HostProofRequest(
      slot: Self.slot(day, of: host),
      series: Self.series,
      pairs: 12,
      lastGood: lastGood.map { Self.slot($0, of: host).night }
    )
    let now = SampleNight.evening + 86_400 * Double(day) + 3_600
    let context = WorkflowContext.fake(at: now, launching: laboratory)
    return try await HostProofWorkflow(request(host, proof: "proof: 40"), of: wanted, in: context)
      .run()
  }

  private func together(_ day: Int, _ hosts: String...) throws -> FleetProof? {
    let night = Self.slot(day, of: "").night
    return try HostsProofs(of: "app", nights: night...night, in: hosts.map(store))
      .series[Self.series[0]]?.first
  }

  @Test func `hosts launch the last build before tonight's, and are read together`() async throws {
    for host in ["bench-1", "bench-2"] {
      try await nights(["40 ms", "40 ms", "60 ms", "60 ms"], on: host)
      guard case .proved(let id) = try await proof(3, on: host) else {
        Issue.record("there is no proof on \(host)")
        return
      }
      let run = try store(host).run(id)
      #expect(run.purpose == .proof && run.slot == Self.slot(3, of: host))
      #expect(run.plan.blockCount == 12 && run.plan.looks == [12])
      #expect(try store(host).sharedRuns(at: run.startedAt + 60).map(\.id).contains(id))
    }
    let proof = try #require(try together(3, "bench-2", "bench-1"))
    #expect(proof.hosts.map(\.host) == ["bench-1", "bench-2"])
    #expect(proof.hosts.map(\.pairs) == [12, 12])
    #expect(proof.verdict == .regression)
    #expect(abs(proof.ratio - 1.5) < 0.02)
    let night = try #require(try store("bench-1").nights(scenario: "app").last)
    #expect(try #require(night.artifacts["app"]).digest.hasPrefix(proof.hosts[0].bad))
    #expect(proof.hosts[0].good != proof.hosts[0].bad && !proof.hosts[0].good.isEmpty)
    #expect(try together(2, "bench-1", "bench-2") == nil)
  }

  @Test func `a host that is asked twice launches once`() async throws {
    try await nights(["40 ms", "60 ms"])
    guard case .proved(let run) = try await proof(1) else {
      Issue.record("there is no proof")
      return
    }
    let again = try await proof(1) { _ in throw HostError.interrupted }
    #expect(again == .stored(run: run))
  }

  @Test func `a stored proof whose outcome is missing gets one`() async throws {
    try await nights(["40 ms", "60 ms"])
    let store = try store("bench-1")
    var run = try store.run(try #require(store.nights(scenario: "app").last?.run))
    run.id = "20270101T000000Z-3fa2"
    run.startedAt += 7_200
    run.finishedAt = nil
    run.status = .unfinished
    run.purpose = .proof
    run.plan.scenario.targets = ["app@1a2b3c4", "app@5d6e7f8"].map {
      Target(name: $0, command: ["/bin/true"], directory: "/")
    }
    run.plan = Plan(
      scenario: run.plan.scenario,
      seed: 1,
      arms: run.plan.scenario.targets.map { Arm(target: $0.name, state: .warm) },
      blockCount: 12
    )
    try store.begin(run).finish(status: .complete, at: run.startedAt + 60)
    #expect(try !store.sharedRuns(at: run.startedAt).map(\.id).contains(run.id))
    #expect(try await proof(1) == .stored(run: run.id))
    #expect(try store.sharedRuns(at: run.startedAt).map(\.id).contains(run.id))
  }

  @Test func `the build is that of the night that was good for all hosts`() async throws {
    try await nights(["40 ms", "50 ms", "60 ms"])
    _ = try await proof(2, lastGood: 0)
    #expect(abs(try #require(try together(2, "bench-1")).ratio - 1.5) < 0.02)
    try await nights(["40 ms", "50 ms", "60 ms"], on: "bench-2")
    _ = try await proof(2, on: "bench-2")
    #expect(abs(try #require(try together(2, "bench-2")).ratio - 1.2) < 0.02)
  }

  @Test func `says why there is no proof`() async throws {
    try await nights(["40 ms"])
    #expect(
      try await proof(1) == .impossible(reason: "host bench-1 has no complete night 2026-11-22")
    )
    guard case .impossible(let reason) = try await proof(0) else {
      Issue.record("there is a proof without a night before")
      return
    }
    #expect(reason.hasPrefix("there is no earlier night to compare run "))
    try await nights(["40 ms", "40 ms"], from: 1)
    #expect(try await proof(2) == .sameBuild)
    try await nights(["60 ms"], from: 3)
    #expect(try await proof(3) { _ in throw HostError.interrupted } == .interrupted)
    #expect(try together(3, "bench-1") == nil)
  }

  @Test func `a build is not held against one of long ago`() async throws {
    try await nights(["40 ms"] + [String](repeating: "60 ms", count: 8))
    #expect(try await proof(7) != .sameBuild)
    #expect(try await proof(8) == .sameBuild)
  }

  @Test(arguments: [true, false])
  func `a host proves for itself unless its fleet does`(inFleet: Bool) async throws {
    try await nights([String](repeating: "40 ms", count: 6) + ["60 ms"], inFleet: inFleet)
    #expect(events.proofs == (inFleet ? [] : ["app warm"]))
    #expect(
      try store("bench-1").alerts(scenario: "app").map(\.state)
        == [inFleet ? .suspected : .confirmed]
    )
    guard inFleet else { return }
    try await nights(
      [String](repeating: "40 ms", count: 6) + ["60 ms"],
      on: "b",
      proof: "proof: 40"
    )
    #expect(events.proofs == ["app warm"])
  }
}
