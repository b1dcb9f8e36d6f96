import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// What the script of the dashboard draws, as JSON.
///
/// Nights are places on a common axis. Points are columns of integers, so that 60,000 of them take
/// about 2 MB: intervals are written as distances from the median, -1 standing for none.
struct DashboardData {
  private let summary: TrendSummary
  private let slots: DashboardSlots

  init(_ summary: TrendSummary) {
    self.summary = summary
    slots = DashboardSlots(summary)
  }

  /// The text on one line; it cannot end the script element that it stands in.
  var json: String {
    let value: JSONValue = [
      "schema": "launchlab.dashboard/1",
      "scenario": .string(summary.scenario.name),
      "slots": slots.value(source: summary.scenario.source),
      "series": .array(summary.series.map(series)),
    ]
    return Markup.scriptSafe(json: JSONText.line(value)).trimmingCharacters(in: .newlines)
  }

  private func series(_ trend: SeriesTrend) -> JSONValue {
    let assessment = trend.assessment
    let unit = trend.key.metric.unit
    let hasMoved = TrendLead(summary).hasMoved(trend)
    return .object([
      ("target", .string(trend.key.target)),
      ("state", .string(trend.key.state.rawValue)),
      ("metric", .string(trend.key.metric.rawValue)),
      ("unit", .string(unit.rawValue)),
      ("outcome", .string(hasMoved ? "moved" : assessment.outcome.rawValue)),
      ("word", .string(hasMoved ? "moved" : TrendWords.word(assessment.outcome))),
      ("ratio", JSONValue(assessment.ratio)),
      ("over1", JSONValue(assessment.overOneNight)),
      ("over7", JSONValue(assessment.overSevenNights)),
      ("over30", JSONValue(assessment.overThirtyNights)),
      ("noise", .string(trend.noise.rawValue)),
      ("at", .integers(trend.points.map { Int64(slots.index(of: $0)) })),
      ("median", column(trend.points.map(\.median), unit)),
      ("below", column(trend.points.map { below($0) }, unit)),
      ("above", column(trend.points.map { above($0) }, unit)),
      ("n", .integers(trend.points.map { Int64($0.n) })),
      (
        "segments",
        .array(
          trend.segments.map { segment in
            [
              "from": JSONValue(segment.range.lowerBound),
              "to": JSONValue(segment.range.upperBound),
              "level": .number(segment.level),
            ]
          }
        )
      ),
      ("far", .integers(ChartWindow.far(of: trend).map { Int64($0) })),
      ("marks", .array(marks(of: trend))),
      ("alerts", .array(alerts(of: trend).compactMap { value(of: $0, in: trend) })),
    ])
  }

  private func alerts(of trend: SeriesTrend) -> [Alert] {
    (summary.alerts + summary.pastAlerts).filter { alert in
      let key = alert.series
      return key.target == trend.key.target && key.state == trend.key.state
        && key.metric == trend.key.metric
    }
  }

  /// An alert whose onset is among the points of the series, with the levels that its proof allows.
  private func value(of alert: Alert, in trend: SeriesTrend) -> JSONValue? {
    guard let index = trend.points.firstIndex(where: { $0.run == alert.onset }) else { return nil }
    let proved = alert.measure.flatMap { proof in
      proof.low.flatMap { low in
        proof.high.map { high in
          [low, high].map { alert.series.metric.value(alert.before, changedBy: $0) }
        }
      }
    }
    return [
      "id": .string(alert.id), "state": .string(alert.state.rawValue), "index": JSONValue(index),
      "cause": .string(TrendAnswer.cause(alert).plain),
      "proved": proved.map { .array($0.map(JSONValue.number)) } ?? .null,
    ]
  }

  /// What stands at a point, in the order of the points.
  private func marks(of trend: SeriesTrend) -> [JSONValue] {
    let breaks = trend.breaks.map { mark in
      ChartFlag(point: mark.index, text: "◆ \(mark.text)", kind: .broken)
    }
    let known = alerts(of: trend)
    let told = known.filter { $0.state != .refuted }
    return (ChartFlag.marks(of: trend, told, known: known) + breaks).sorted { $0.point < $1.point }
      .map { mark in
        [
          "index": JSONValue(mark.point), "kind": .string(mark.kind.rawValue),
          "text": .string(mark.text),
        ]
      }
  }

  private func below(_ point: SeriesPoint) -> Double {
    point.intervalLow.map { max(0, point.median - $0) } ?? -1
  }

  private func above(_ point: SeriesPoint) -> Double {
    point.intervalHigh.map { max(0, $0 - point.median) } ?? -1
  }

  /// Times and sizes to the whole unit, which nobody can see the rest of; counts as they are.
  private func column(_ values: [Double], _ unit: Metric.Unit) -> JSONValue {
    guard unit != .count, unit != .percent else { return .array(values.map(JSONValue.number)) }
    return .integers(values.map { Int64(exactly: $0.rounded()) ?? -1 })
  }
}

/// The common axis of all charts of the dashboard: every night of the line of tonight's host, and every day
/// that lacks one.
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
      let reason = missed[night.startedAt.utcDay]
      return Slot(
        time: night.startedAt,
        night: night,
        problem: night.status == .complete ? nil : reason ?? "run \(night.status.rawValue)"
      )
    }
    let days = Set(nights.map { $0.startedAt.utcDay })
    slots += summary.missed.filter { !days.contains($0.day) }.compactMap { missed in
      ImportedTime.day(missed.day).map { Slot(time: $0, night: nil, problem: missed.reason) }
    }
    slots.sort { ($0.time, $0.night?.run ?? "") < ($1.time, $1.night?.run ?? "") }
    self.slots = slots
    let runs = slots.enumerated().compactMap { index, slot in slot.night.map { ($0.run, index) } }
    places = Dictionary(runs) { first, _ in first }
  }

  /// The place of a point on the axis.
  func index(of point: SeriesPoint) -> Int { places[point.run] ?? 0 }

  /// The columns of the axis; a build stands once, however many nights launched it.
  ///
  /// - Parameter source: That of the scenario, for links to its commits.
  /// - Returns: An object of arrays with one element per night or build.
  func value(source: Source?) -> JSONValue {
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
          let url = source?.url(ofCommit: build.commit)
          return .object(
            [
              ("commit", .string(TrendWords.short(build.commit))),
              ("subject", .string(build.subject)),
            ] + (url.map { [("url", .string($0))] } ?? [])
          )
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
    var nights = summary.hostNights.line
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
}
