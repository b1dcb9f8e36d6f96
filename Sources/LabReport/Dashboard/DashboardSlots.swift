import Foundation
import LabAnalysis
import LabModel

/// The common axis of all charts of the dashboard: every night, and every day that lacks one.
struct DashboardSlots {
  private struct Slot {
    var time: Date
    var night: Night?

    /// Why there is no result; nil for a complete night.
    var problem: String?
  }

  private let slots: [Slot]
  private let places: [String: Int]

  init(_ summary: TrendSummary) {
    let missed = Dictionary(summary.missed.map { ($0.day, $0.reason) }) { first, _ in first }
    let nights = Self.nights(of: summary)
    var slots = nights.map { night in
      let reason = missed[Self.day(of: night.startedAt)]
      return Slot(
        time: night.startedAt,
        night: night,
        problem: night.status == .complete ? nil : reason ?? "run \(night.status.rawValue)"
      )
    }
    let days = Set(nights.map { Self.day(of: $0.startedAt) })
    slots += summary.missed.filter { !days.contains($0.day) }.compactMap { missed in
      (try? Date("\(missed.day)T00:00:00Z", strategy: .iso8601))
        .map { Slot(time: $0, night: nil, problem: missed.reason) }
    }
    slots.sort { ($0.time, $0.night?.run ?? "") < ($1.time, $1.night?.run ?? "") }
    self.slots = slots
    let runs = slots.enumerated().compactMap { index, slot in slot.night.map { ($0.run, index) } }
    places = Dictionary(runs) { first, _ in first }
  }

  /// The place of a point on the axis.
  func index(of point: SeriesPoint) -> Int { places[point.run] ?? 0 }

  /// The columns of the axis; a build stands once, however many nights launched it.
  var value: JSONValue {
    var builds: [Night.Build] = []
    var numbers: [Night.Build: Int] = [:]
    let build = slots.map { slot -> Int64 in
      guard let build = slot.night?.build else { return -1 }
      if let number = numbers[build] { return Int64(number) }
      numbers[build] = builds.count
      builds.append(build)
      return Int64(builds.count - 1)
    }
    return [
      "time": .integers(slots.map { Int64($0.time.timeIntervalSince1970.rounded()) }),
      "run": .array(slots.map { JSONValue($0.night?.run) }),
      "host": .array(slots.map { JSONValue($0.night.map { String($0.fingerprint.prefix(8)) }) }),
      "build": .integers(build),
      "builds": .array(
        builds.map { build in
          ["commit": .string(String(build.commit.prefix(10))), "subject": .string(build.subject)]
        }
      ),
      "problems": .array(
        slots.indices.compactMap { index in
          slots[index].problem.map { [.integer(Int64(index)), .string($0)] }
        }
      ),
    ]
  }

  /// The nights, and those that only points tell of.
  private static func nights(of summary: TrendSummary) -> [Night] {
    var nights = summary.nights
    var known = Set(nights.map(\.run))
    for trend in summary.series {
      for point in trend.points where known.insert(point.run).inserted {
        nights.append(
          Night(run: point.run, startedAt: point.startedAt, fingerprint: trend.key.fingerprint)
        )
      }
    }
    return nights
  }

  private static func day(of date: Date) -> String {
    String(date.formatted(.iso8601).prefix(10))
  }
}
