import LabModel
import LabStatistics

/// The values of every metric and counter of some launches of one arm.
///
/// A launch without a value of a metric adds none, so arrays may differ in length.
struct MeasuredValues: Sendable {
  private let counters: [String]
  private let planned: Int
  private var launches = 0
  private var metricValues: [Metric: [Int64]] = [:]
  private var counterValues: [String: [Int64]] = [:]
  private var reasons: [String: String] = [:]

  /// Whether user and system time of a launch were only sampled: then those of the others, in which
  /// ticks fell into both, would be a selection.
  private var hasSampledSplit = false

  /// The most values that room is made for at once, whatever a plan claims.
  private static let mostReserved = 131_072

  init(counters: [String], planned: Int) {
    self.counters = counters
    self.planned = min(planned, Self.mostReserved)
  }

  var isEmpty: Bool { launches == 0 }

  mutating func add(_ result: LaunchResult) {
    launches += 1
    let planned = planned
    for metric in Metric.allCases {
      if let value = result.reliableValue(of: metric) {
        metricValues[metric, default: Self.room(for: planned)].append(value)
      } else {
        reasons[metric.rawValue] = result.missingReason(of: metric) ?? reasons[metric.rawValue]
      }
    }
    if result.figures.isSplitSampled { hasSampledSplit = true }
    for counter in counters {
      if let value = result.figures.counters[counter] {
        counterValues[counter, default: Self.room(for: planned)].append(value)
      } else {
        reasons[counter] = result.figures.missing[counter] ?? reasons[counter]
      }
    }
  }

  mutating func removeAll() { self = Self(counters: counters, planned: planned) }

  /// Per metric that has a value, in the order of `Metric.allCases`.
  func metricSummaries(withRemarks: Bool) -> [MetricSummary] {
    Metric.allCases.compactMap { metric in
      guard let values = values(of: metric), let sample = try? Sample(values.map(Double.init))
      else { return nil }
      let remarks = withRemarks && metric == .launch ? LaunchRemarks(sample).all : []
      return MetricSummary(
        metric: metric,
        values: values,
        estimates: sample.estimates,
        remarks: remarks
      )
    }
  }

  private func values(of metric: Metric) -> [Int64]? {
    let isSplit = metric == .userTime || metric == .systemTime
    return isSplit && hasSampledSplit ? nil : metricValues[metric]
  }

  /// Why a metric has no value in any launch, by its JSON name; the last reason seen.
  var missingMetrics: [String: String] {
    Metric.allCases.reduce(into: [:]) { missing, metric in
      if values(of: metric) == nil { missing[metric.rawValue] = reasons[metric.rawValue] }
    }
  }

  /// Per counter that was asked for; none before the first launch.
  func counterSummaries() -> [String: CounterSummary] {
    guard !isEmpty else { return [:] }
    return counters.reduce(into: [:]) { summaries, counter in
      if let sample = try? Sample(counterValues[counter, default: []].map(Double.init)) {
        summaries[counter] = .estimated(sample.estimates)
      } else {
        let reason = reasons[counter] ?? "no launch has a value"
        summaries[counter] = .missing(reason: reason)
      }
    }
  }

  private static func room(for count: Int) -> [Int64] {
    var values: [Int64] = []
    values.reserveCapacity(count)
    return values
  }
}
