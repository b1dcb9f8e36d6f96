import Foundation
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// How often hosts that are judged together are wrong, on fleets of known truth.
///
/// Each case prints its line of the table in docs/fleet.md, there with more fleets.
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
    Case(hosts: 4, code: 0...0.01, named: 0...0, others: 0...0),
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
}
