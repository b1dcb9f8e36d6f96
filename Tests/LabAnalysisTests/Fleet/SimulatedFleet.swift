import Foundation
import LabTestSupport

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// Nights of many hosts with known truth.
///
/// In logarithms the levels of hosts scatter by 10 %, nights by 1.5 %, the whole laboratory by 0.2 %; 3 % of
/// nights are slower by the size of a normal number of 10 %.
struct SimulatedFleet {
  /// Where the nights of an average host lie, in nanoseconds.
  static let level = 4e8

  static let key = SeriesKey.sample("test", "app", "kind")

  /// Before the change: a baseline, and what is left out of it.
  static let before = 31

  var hosts = 5

  /// How much slower the new code is, and how much that scatters between hosts.
  var change = 0.0
  var interaction = 0.005

  /// How much slower the first host has become.
  var machine = 0.0

  /// How many nights follow the change.
  var after = 3

  /// How many nights the last two hosts have.
  var lateNights: Int?

  static func label(_ night: Int) -> String { "night-\(1_000 + night)" }

  static let labels = (0..<400).map(label)

  func series(seed: UInt64) -> [HostSeries] {
    var generator = SeededGenerator(seed: seed)
    let nights = Self.before + after
    let lab = (0..<nights).map { _ in 0.002 * generator.nextGauss() }
    return (0..<hosts).map { host in
      let level = 0.1 * generator.nextGauss()
      let effect = change == 0 ? 0 : change + interaction * generator.nextGauss()
      let own = effect + (host == 0 ? machine : 0)
      let values = (0..<nights).map { night in
        var value = level + lab[night] + 0.015 * generator.nextGauss()
        if generator.nextUniform() < 0.03 { value += abs(0.1 * generator.nextGauss()) }
        return Self.level * exp(value + (night < Self.before ? 0 : own))
      }
      let first = host < hosts - 2 ? 0 : nights - (lateNights ?? nights)
      return HostSeries(
        host: "h\(host)",
        nights: values.indices.dropFirst(first).map {
          HostNight(night: Self.labels[$0], median: values[$0])
        }
      )
    }
  }

  /// The pool of a night, counted from the change.
  func pool(_ series: [HostSeries], night: Int) -> HostPool {
    HostPool(Self.key, of: series, tonight: Self.labels[Self.before + night])
  }

  /// How often something was said of many such fleets.
  struct Tally: CustomStringConvertible {
    let labs: Int

    /// That the code has changed, within the nights after the change, and on the first of them.
    var code = 0
    var codeFirstNight = 0

    /// On the last night, that the first host, or any other, is off the others.
    var named = 0
    var others = 0

    func share(_ count: Int) -> Double { Double(count) / Double(labs) }

    var description: String {
      func percent(_ count: Int) -> String { String(format: "%6.2f %%", 100 * share(count)) }
      return "code \(percent(code)), first night \(percent(codeFirstNight)), "
        + "host 0 named \(percent(named)), another \(percent(others)) of \(labs)"
    }
  }

  func tally(_ labs: Int, seed: UInt64) -> Tally {
    var tally = Tally(labs: labs)
    for lab in 0..<labs {
      let series = series(seed: seed &* 1_000_003 &+ UInt64(lab) &* 7_919)
      let pools = (0..<after).map { pool(series, night: $0) }
      let named = pools[after - 1].peers.filter(\.isNamed).map(\.host)
      tally.code += pools.contains { $0.suspected != nil } ? 1 : 0
      tally.codeFirstNight += pools[0].suspected != nil ? 1 : 0
      tally.named += named.contains("h0") ? 1 : 0
      tally.others += named.contains { $0 != "h0" } ? 1 : 0
    }
    return tally
  }
}
