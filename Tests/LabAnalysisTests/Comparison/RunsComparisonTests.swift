import Foundation
import LabTestSupport
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct RunsComparisonTests {
  private func row(_ median: Double, spread: Double = 0.004) -> MetricRow {
    let interval = median * (1 - spread)...median * (1 + spread)
    let arm = Arm(target: "server", state: .warm)
    return .sample(run: "r", arm: arm, n: 40, median: median, interval: interval)
  }

  private func comparison(
    _ ratio: Double,
    nights: [Double],
    obstacle: PairedComparison.Doubt? = nil
  ) -> RunsComparison {
    RunsComparison(
      pair: ComparedPair(name: "server", baseline: "server", candidate: "server"),
      state: .warm,
      metric: .launch,
      baseline: .init(row: row(100), nights: nights),
      candidate: .init(row: row(100 * ratio), nights: nights),
      rule: ComparisonRule(),
      obstacle: obstacle
    )
  }

  private let quiet = [100.0, 100.5, 99.5, 100.2, 99.8, 100.1, 99.9, 100.3, 99.7, 100]

  @Test func `knows nothing without the scatter of nights`() {
    let finding = comparison(1.5, nights: Array(quiet.prefix(4))).finding
    #expect(finding.verdict == .inconclusive)
    #expect(finding.doubt == .notInterleaved)
    #expect(finding.interval == nil)
    #expect(finding.ratio == 1.5)
  }

  @Test func `tells a change that is larger than nights differ`() {
    #expect(comparison(1.1, nights: quiet).finding.verdict == .regression)
    #expect(comparison(0.9, nights: quiet).finding.verdict == .improvement)
    #expect(comparison(1, nights: quiet).finding.verdict == .same)
  }

  @Test func `nights that scatter widen the interval`() throws {
    let restless = quiet.map { 100 + 20 * ($0 - 100) }
    let finding = comparison(1.1, nights: restless).finding
    #expect(finding.verdict == .inconclusive)
    #expect(finding.doubt == .wideInterval)
    let detectable = try #require(finding.smallestDetectable)
    #expect(detectable > 0.15)
  }

  /// With equal logarithms of the medians of 5 nights, so that only the runs' own errors are left:
  /// t(0.975, 4) = 2.776445, and each error is log(1.004 / 0.996) / 3.92.
  @Test func `the interval is that of the formula`() throws {
    let finding = comparison(1.1, nights: [100, 100, 100, 100, 100]).finding
    let error = log(1.004 / 0.996) / 3.92 * 2.0.squareRoot()
    let interval = try #require(finding.interval)
    #expect(abs(log(interval.high / 1.1) - 2.776445 * error) < 1e-5)
    #expect(abs(log(1.1 / interval.low) - 2.776445 * error) < 1e-5)
  }

  @Test func `different hosts allow no verdict`() {
    let finding = comparison(1.5, nights: quiet, obstacle: .differentHosts).finding
    #expect(finding.verdict == .inconclusive)
    #expect(finding.doubt == .differentHosts)
  }

  @Test func `runs of one level are rarely called different`() throws {
    var generator = SeededGenerator(seed: 3)
    var alarms = 0
    let count = 2_000
    for _ in 0..<count {
      let nights = (0..<12).map { _ in 100 * exp(0.02 * generator.nextGauss()) }
      let ratio = exp(0.02 * 2.0.squareRoot() * generator.nextGauss())
      let verdict = comparison(ratio, nights: nights).finding.verdict
      if verdict == .regression || verdict == .improvement { alarms += 1 }
    }
    #expect(Double(alarms) / Double(count) <= 0.02)
  }

  // MARK: - Likeness

  private func record(
    fingerprint: String = "f00d",
    kernel: String = "6.18",
    reclaim: String? = nil,
    controls: [ControlReceipt] = []
  ) -> RunRecord {
    var run = PairedRun().run
    run.host = HostFacts(
      architecture: "x86_64",
      kernel: kernel,
      proactiveReclaim: reclaim,
      fingerprint: fingerprint
    )
    run.controls = controls
    return run
  }

  @Test func `names what is different of two hosts`() {
    let likeness = RunLikeness(record(), record(fingerprint: "beef", kernel: "6.19"))
    #expect(likeness.obstacle == .differentHosts)
    #expect(likeness.warnings.map(\.id) == ["different-hosts"])
    #expect(likeness.warnings[0].problem.contains("kernel 6.18 and 6.19"))
  }

  @Test func `runs of two equal machines are not compared`() {
    var (one, other) = (record(), record())
    one.host.identity = "a"
    #expect(RunLikeness(one, other).obstacle == nil)
    other.host.identity = "b"
    #expect(RunLikeness(one, other).obstacle == .differentHosts)
    (one.host.name, other.host.name) = ("bench-1", "bench-2")
    let text = RunLikeness(one, other).warnings[0].problem
    #expect(text.hasSuffix("on different hosts: bench-1 and bench-2, which are alike"))
  }

  @Test func `names what is different of two sets of controls`() {
    let pinned = ControlReceipt(name: "cpus", wanted: "[1]", status: .applied)
    let refused = ControlReceipt(name: "boost", wanted: "off", status: .failed)
    let likeness = RunLikeness(record(controls: [pinned]), record(controls: [refused]))
    #expect(likeness.obstacle == .differentControls)
    #expect(likeness.warnings[0].problem.hasSuffix("different controls: cpus"))
    #expect(RunLikeness(record(), record(controls: [refused])).obstacle == nil)
  }

  @Test func `names what drops idle pages`() {
    let likeness = RunLikeness(record(), record(reclaim: "DAMON pageout"))
    #expect(likeness.warnings.map(\.id) == ["different-reclaim"])
  }
}
