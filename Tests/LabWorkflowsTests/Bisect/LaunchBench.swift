import Foundation
import LabTestSupport

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost

/// A launcher of builds on a laboratory without a machine, and what became of it.
final class LaunchBench {
  /// What the last laboratory was asked, such as `launch 7 warm`.
  var log: [String] { laboratories.last?.log ?? [] }

  var closed: Int { laboratories.count(where: \.isClosed) }

  private(set) var plan: Plan?
  private var laboratories: [FakeLaboratory] = []
  private(set) var rows: [BisectRow] = []

  private let start: BisectStart
  private let valgrind: ValgrindCount?
  private let result: (Arm, Int) throws -> LaunchResult
  private let preparation: (Arm) -> Preparation

  /// Makes a bench on which nothing was launched yet.
  init(
    _ start: BisectStart = .sample(),
    valgrind: ValgrindCount? = nil,
    result: @escaping (Arm, Int) throws -> LaunchResult = { arm, _ in .taking(arm) },
    preparation: @escaping (Arm) -> Preparation = { _ in Preparation() }
  ) {
    self.start = start
    self.valgrind = valgrind
    self.preparation = preparation
    self.result = result
  }

  /// Launches the builds of revisions, of which some are new.
  func launch(
    _ revisions: [Int],
    rows: Range<Int>,
    new: Set<Int> = []
  ) async throws -> (revision: Int, reason: String)? {
    var launcher = BuildLauncher(start: start, valgrind: valgrind) { [self] plan in
      self.plan = plan
      laboratories.append(FakeLaboratory(preparation: preparation, result: result))
      return laboratories[laboratories.count - 1]
    }
    defer { launcher.close() }
    return try await launcher.launch(
      revisions.map { ($0, .build($0)) },
      rows: rows,
      isNew: { new.contains($0) },
      take: { self.rows.append($0) }
    )
  }

  /// The revisions in the order of their launches, discarded ones too.
  var launches: [String] {
    log.filter { $0.hasPrefix("launch ") }.map { String($0.split(separator: " ")[1]) }
  }
}

extension BisectStart {
  static func sample(
    _ measure: BisectMeasure = .metric(.launch),
    counting: CountingMethod? = nil,
    state: LaunchState = .warm,
    controls: ControlPlan? = nil,
    stages: StagePlan? = nil
  ) -> Self {
    Self(
      id: "20261121T043000Z-3fa2",
      startedAt: Date(timeIntervalSince1970: 0),
      revisions: (0...20).map { BisectRevision(id: "\($0)", subject: "change \($0)") },
      range: "0..20",
      scenario: Scenario(
        name: "sample",
        targets: [Target(name: "app", command: ["/bin/app"], directory: "/")],
        states: [state],
        launches: 30,
        directory: "/",
        stages: stages,
        controls: controls
      ),
      measure: measure,
      counting: counting,
      parameters: BisectParameters(),
      fingerprint: "host",
      launchlabVersion: "1"
    )
  }
}

extension Target {
  static func build(_ revision: Int) -> Self {
    Self(
      name: "app",
      command: ["/builds/\(revision)/app"],
      timeout: .seconds(9),
      directory: "/builds/\(revision)"
    )
  }
}

extension LaunchResult {
  /// A launch that takes as many milliseconds as the revision is high.
  static func taking(_ arm: Arm) -> Self {
    Self(
      outcome: .ready,
      launch: .milliseconds(Int64(arm.target) ?? 0),
      figures: Figures(majorFaults: 0)
    )
  }

  static func ended(_ outcome: Outcome, stderr: String = "") -> Self {
    let stream = CapturedStream(head: Array(stderr.utf8), totalBytes: Int64(stderr.utf8.count))
    return Self(outcome: outcome, output: CapturedOutput(stderr: stream))
  }

  /// A launch that something got in the way of.
  static func disturbed(_ arm: Arm) -> Self {
    var result = taking(arm)
    result.launch = .seconds(1)
    result.disturbances = [Disturbance(kind: .steal, amount: 9, limit: 1)]
    return result
  }
}
