import Foundation
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// How often hosts that are judged together are wrong, on fleets of known truth.
///
/// Each case prints its line of the table in Tests/CALIBRATION.md.
@Suite struct FleetCalibrationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var hosts = 5
    var change = 0.0
    var machine = 0.0
    var lateNights: Int?

    /// The share that is called code within three nights.
    var code = 0.0...1

    /// The share in which the first host is named on the third night, and another one.
    var named = 0.0...1
    var others = 0.0...1

    var testDescription: String {
      "\(hosts) hosts, code \(change), machine \(machine)"
        + (lateNights.map { ", two of them since \($0) nights" } ?? "")
    }
  }

  static let scale = ComparisonCalibrationTests.scale

  static let cases = [
    Case(code: 0...0.002, others: 0...0.02),
    Case(change: 0.03, code: 0.93...1, others: 0...0.03),
    Case(change: 0.05, code: 0.995...1, others: 0...0.03),
    Case(machine: 0.04, code: 0...0.015, others: 0...0.03),
    Case(machine: 0.08, code: 0...0.02, named: 0.9...1, others: 0...0.03),
    Case(hosts: 4, code: 0...0.01, others: 0...0.02),
    Case(hosts: 4, machine: 0.08, code: 0...0.1, named: 0.9...1, others: 0...0.05),
    Case(hosts: 4, change: 0.03, code: 0.92...1),
    Case(hosts: 8, code: 0...0.001, others: 0...0.02),
    Case(hosts: 8, change: 0.03, code: 0.97...1),
    Case(lateNights: 10, code: 0...0.005),
  ]

  @Test(arguments: cases)
  func `calls the code when most hosts have changed, and names a host that has`(test: Case) {
    let fleet = SimulatedFleet(
      hosts: test.hosts,
      change: test.change,
      machine: test.machine,
      lateNights: test.lateNights
    )
    let tally = fleet.tally((test.hosts == 5 ? 2_000 : 500) * Self.scale, seed: 2_609)
    print("fleet: \(test.testDescription): \(tally)")
    #expect(test.code.contains(tally.share(tally.code)))
    #expect(test.named.contains(tally.share(tally.named)))
    #expect(test.others.contains(tally.share(tally.others)))
  }

  /// How many pairs each of some hosts launches, and what is true of them.
  struct Proofs: Sendable {
    var hosts: Int
    var pairs: Int
    var change: Double
    var interaction: Double

    /// The share that is called a regression.
    func regressions(_ count: Int, seed: UInt64) throws -> Double {
      var generator = SeededGenerator(seed: seed)
      let found = try (0..<count).count { _ in
        let ratios = try (0..<hosts).map { host in
          let truth = change + interaction * generator.nextGauss()
          let logs = (0..<pairs).map { _ in
            let spike = generator.nextUniform() < 0.03 ? 0.5 * generator.nextGauss() : 0
            return truth + 0.05 * generator.nextGauss() + spike
          }
          let ratio = PairedRatio(logRatios: try Sample(logs))
          return HostRatio(
            host: "h\(host)",
            pairs: pairs,
            ratio: ratio.ratio,
            interval: ratio.interval()
          )
        }
        return FleetProof(ratios)?.verdict == .regression
      }
      let share = Double(found) / Double(count)
      let line = "fleet: proof of \(hosts) x \(pairs) pairs, true \(change), tau \(interaction)"
      print(line, String(format: "%6.2f %% regressions", 100 * share))
      return share
    }
  }

  @Test(arguments: [0.0, 0.005])
  func `a proof on four hosts finds as much as one with all pairs on one`(tau: Double) throws {
    let count = 1_000 * Self.scale
    let one = try Proofs(hosts: 1, pairs: 160, change: 0.03, interaction: tau)
      .regressions(count, seed: 11)
    let four = try Proofs(hosts: 4, pairs: 40, change: 0.03, interaction: tau)
      .regressions(count, seed: 12)
    #expect(abs(one - four) <= 0.03)
  }

  @Test func `hosts that take a change differently do not make a regression of it`() throws {
    let count = 2_000 * Self.scale
    let one = try Proofs(hosts: 1, pairs: 160, change: 0.01, interaction: 0.01)
      .regressions(count, seed: 13)
    let four = try Proofs(hosts: 4, pairs: 40, change: 0.01, interaction: 0.01)
      .regressions(count, seed: 14)
    #expect(four <= 0.005)
    #expect(one > 3 * four)
  }
}
