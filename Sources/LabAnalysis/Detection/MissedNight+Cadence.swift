import Foundation
package import LabModel
import LabStatistics

extension MissedNight {
  /// How many of the newest nights tell how often there is one.
  private static let looked = 30

  /// The nights that are not there, or that failed, among the last 30 up to tonight.
  ///
  /// The median distance of complete nights says how often there should be one. Only for nightly
  /// runs, 0.5 to 1.5 days apart, days without any run are missed; a failed, interrupted or
  /// unfinished run is always told of, unless another one of that day was complete.
  ///
  /// - Parameters:
  ///   - nights: Those of the scenario, ascending by start.
  ///   - tonight: Later ones are not looked at; neither is this one.
  ///   - leftOut: Runs that somebody took out of history; a removed one is not told of.
  /// - Returns: Ascending by day.
  package static func missed(
    in nights: [Night],
    before tonight: Night,
    leftOut: [LeftOutRun] = []
  ) -> [Self] {
    let past = nights.filter { $0.startedAt <= tonight.startedAt }
    let complete = Array(
      past.filter { $0.status == .complete || $0.run == tonight.run }.suffix(looked + 1)
    )
    guard let first = complete.first else { return [] }
    let failed = past.filter {
      $0.status != .complete && $0.run != tonight.run && $0.startedAt >= first.startedAt
    }
    let days = Set(complete.map { day(of: $0.startedAt) })
    var reasons: [String: String] = [:]
    for day in daysWithoutRun(between: complete) where !days.contains(day) {
      reasons[day] = "no run"
    }
    for night in failed where !days.contains(day(of: night.startedAt)) {
      reasons[day(of: night.startedAt)] = "run \(night.run) \(night.status.phrase)"
    }
    for gone in leftOut where (first.startedAt...tonight.startedAt).contains(gone.startedAt) {
      let day = day(of: gone.startedAt)
      guard !days.contains(day) else { continue }
      let isHidden = gone.decision.standing == .removed
      reasons[day] = isHidden ? nil : "run \(gone.run) was excluded: \(gone.decision.reason)"
    }
    return reasons.sorted { $0.key < $1.key }.map { Self(day: $0.key, reason: $0.value) }
  }

  private static func daysWithoutRun(between nights: [Night]) -> [String] {
    let pairs = zip(nights, nights.dropFirst())
    let gaps = pairs.map { $1.startedAt.timeIntervalSince($0.startedAt) / DriftComparison.day }
    // Two runs on one day say nothing of how often there is one.
    guard let usual = (try? Sample(gaps.filter { $0 > 0.25 }))?.median, usual >= 0.5, usual <= 1.5
    else { return [] }
    return zip(pairs, gaps).flatMap { pair, gap in
      let count = Int((gap / usual).rounded()) - 1
      return (1..<max(1, count + 1)).map {
        day(of: pair.0.startedAt + Double($0) * usual * DriftComparison.day)
      }
    }
  }

  /// The day in UTC, such as `2026-11-20`.
  private static func day(of date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }
}

extension RunRecord.Status {
  fileprivate var phrase: String {
    switch self {
    case .unfinished: "is not finished"
    case .complete: "is complete"
    case .failed: "failed"
    case .interrupted: "was interrupted"
    }
  }
}
