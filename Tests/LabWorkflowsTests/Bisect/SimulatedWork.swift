import Foundation
import LabTestSupport

@testable import Bisection
@testable import LaunchCore

/// What a simulated bisection is about: a step of some size at one revision.
struct SimulatedRange {
  var count = 24
  var culprit = 17
  var effect = 0.08
  var noise = 0.02
  var broken: Set<Int> = []
  var unlaunchable: Set<Int> = []

  /// From which row on those can be launched no more.
  var unlaunchableFrom = 0

  /// Whether no launch is ever over.
  var hangs = false

  func start(_ parameters: BisectParameters = BisectParameters()) -> BisectStart {
    BisectStart(
      id: "20261121T043000Z-3fa2",
      startedAt: Date(timeIntervalSince1970: 1_795_000_000),
      revisions: (0...count).map { BisectRevision(id: "c\($0)", subject: "commit \($0)") },
      range: "c0..c\(count)",
      scenario: .sample(
        "simulated",
        [Target(name: "app", command: ["/bin/true"], directory: "/")]
      ),
      measure: .metric(.launch),
      parameters: parameters,
      fingerprint: "here",
      launchlabVersion: "1"
    )
  }

  /// The nanoseconds of a launch; the same number of a launch gives the same time.
  func time(of revision: Int, launch: Int) -> Double {
    var generator = SplitMix64(seed: UInt64(launch), part: revision)
    let first = Double(generator.next(below: 1 << 30) + 1) / Double(1 << 30)
    let second = Double(generator.next(below: 1 << 30)) / Double(1 << 30)
    let normal = (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
    let level = revision >= culprit ? effect : 0
    return (5e6 * exp(level + noise * normal)).rounded()
  }
}

/// Builds at once, and counts how often.
struct SimulatedBuilder: BisectBuilder {
  let range: SimulatedRange
  var buildsAhead: Int { 0 }

  /// The seconds that each build was given.
  var timesLeft: [Double?] = []

  /// The revisions that were built, in order.
  var built: [Int] = []

  /// Builds that are not there any more until they are built again.
  var gone: Set<Int> = []

  /// How long a build takes that fails.
  var failureSeconds = 2.0

  /// What the digests of builds end with.
  var version = ""

  /// What a build holds that differs every time, such as its date.
  var stamp = ""

  mutating func build(
    _ revision: Int,
    ahead: [Int],
    within seconds: Double?
  ) async throws -> BisectBuilt {
    timesLeft.append(seconds)
    built.append(revision)
    gone.remove(revision)
    let isBroken = range.broken.contains(revision)
    return BisectBuilt(
      revision: revision,
      failure: isBroken ? "it does not build" : nil,
      seconds: isBroken ? failureSeconds : 2,
      digest: isBroken ? nil : "digest \(revision)\(stamp)",
      target: isBroken ? nil : Target(name: "app\(version)", command: ["/bin/true"], directory: "/")
    )
  }

  func isLaunchable(_ built: BisectBuilt) -> Bool { !gone.contains(built.revision) }
}

/// Gives times at once, and is interrupted after some rows.
struct SimulatedLauncher: BisectLauncher {
  let range: SimulatedRange

  /// How many rows were launched, those of former processes included.
  var rows: Int

  var rowsUntilInterrupt = Int.max

  /// How often what it holds was given back.
  var closed = 0

  mutating func close() { closed += 1 }

  mutating func launch(
    _ arms: [(revision: Int, target: Target)],
    rows: Range<Int>,
    isNew: (Int) -> Bool,
    take: (BisectRow) throws -> Void
  ) async throws -> (revision: Int, reason: String)? {
    for _ in rows {
      let arm = arms.first { range.unlaunchable.contains($0.revision) }
      if let arm, self.rows >= range.unlaunchableFrom {
        return (arm.revision, "it ended with status 1")
      }
      guard rowsUntilInterrupt > 0 else { throw Interruption() }
      rowsUntilInterrupt -= 1
      let values = arms.map { range.time(of: $0.revision, launch: self.rows) }
      self.rows += 1
      let names = arms.map(\.revision)
      let late = range.hangs ? names : []
      try take(BisectRow(arms: names, values: values, timedOut: late, seconds: 0.01))
    }
    return nil
  }
}

struct Interruption: LabError {
  var diagnostics: [Diagnostic] { [Diagnostic(.error, id: "interrupted", problem: "stop")] }
  var exitCode: LabExitCode { .interrupted }
}
