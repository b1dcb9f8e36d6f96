import LaunchCore
import LaunchStatistics
import Rendering
import Stages

/// One element of `arms` in the JSON of a run.
struct ArmJSON {
  private let summary: ArmSummary

  /// The share of disturbed launches that the run may have; nil where that is not watched.
  private let tolerated: Double?

  init(_ summary: ArmSummary, tolerated: Double? = nil) {
    self.summary = summary
    self.tolerated = tolerated
  }

  var value: JSONValue {
    [
      "target": .string(summary.arm.target),
      "state": .string(summary.arm.state.rawValue),
      "kind": .string(summary.arm.kind.rawValue),
      "launches": JSONValue(summary.launches),
      "outcomes": JSONValue(summary.outcomes) { JSONValue($0) },
      "state_reached": stateReached,
      "disturbed": disturbed,
      "metrics_from": metricsFrom,
      "metrics": metrics,
      "missing": JSONValue(missing, JSONValue.string),
      "floor_multiple": JSONValue(summary.floorMultiple),
      "counters": .object(counters),
      "stages": summary.stages.first.map(JSONValue.init(stagesOf:)) ?? [],
      "collectors": .array(summary.stages.map(JSONValue.init(summary:))),
      "page_ins": pageIns,
      "residency": residency,
      "flags": flags,
      "resolution_ns": .integer(summary.resolution.count),
      "preparation_ns": .integer(summary.preparation.count),
      "warm_ups": JSONValue(summary.warmUps),
    ]
  }

  private var stateReached: JSONValue {
    [
      "reached": JSONValue(summary.state.reached),
      "not_reached": JSONValue(summary.state.notReached),
      "not_verified": JSONValue(summary.state.notVerified),
      "reasons": JSONValue(summary.state.reasons) { JSONValue($0) },
    ]
  }

  private var disturbed: JSONValue {
    let tally = summary.disturbances
    let kinds = Disturbance.Kind.allCases.compactMap { kind in
      tally.kinds[kind].map { (name: kind.rawValue, value: self.kind($0)) }
    }
    return [
      "launches": JSONValue(tally.disturbed),
      "unsettled": JSONValue(tally.unsettled),
      "repeated": JSONValue(tally.repeated),
      "share": .number(tally.share(of: summary.launches)),
      "limit": JSONValue(tolerated),
      "by_kind": .object(kinds),
      "obstacle": JSONValue(tally.obstacle),
    ]
  }

  private func kind(_ tally: DisturbanceTally.Kind) -> JSONValue {
    [
      "launches": JSONValue(tally.launches),
      "worst": .integer(tally.worst.amount),
      "limit": .integer(tally.worst.limit),
      "unit": tally.worst.kind.isTime ? "ns" : "1",
    ]
  }

  /// Which launches the metrics come from, so that no reader takes a warm time for a cold one.
  private var metricsFrom: JSONValue {
    guard !summary.metrics.isEmpty else { return nil }
    if summary.isDisturbed { return "disturbed-launches" }
    return summary.isUnreached ? "unreached-launches" : "accepted-launches"
  }

  // MARK: - Metrics

  /// Those of windows only where a launch saw one.
  private var metricsOfArm: [Metric] {
    Metric.allCases.filter { metric in
      metric != .slowShare && !metric.isOfWindows || summary.summary(of: metric) != nil
    }
  }

  /// Every metric that there is; one without a value is null, and `missing` has the reason.
  private var metrics: JSONValue {
    .object(
      metricsOfArm.map { metric in
        (name: metric.rawValue, value: summary.summary(of: metric).map(self.metric) ?? nil)
      }
    )
  }

  private var missing: [String: String] {
    let absent = metricsOfArm.filter { summary.summary(of: $0) == nil }.map(\.rawValue)
    let reason = summary.metrics.isEmpty ? "no launch was ready" : "no launch has it"
    var missing = absent.reduce(into: summary.missing) { $0[$1] = $0[$1] ?? reason }
    for case (let name, .missing(let reason)) in summary.counters { missing[name] = reason }
    return missing
  }

  private func metric(_ metric: MetricSummary) -> JSONValue {
    guard case .object(let estimates) = JSONValue(estimates: metric.estimates) else { return nil }
    return .object(
      [
        (name: "unit", value: .string(metric.metric.unit.rawValue)),
        (name: "direction", value: .string(metric.metric.direction.rawValue)),
      ] + estimates + [
        (name: "remarks", value: .array(metric.remarks.map(JSONValue.init(diagnostic:)))),
        (name: "values", value: .integers(metric.values)),
      ]
    )
  }

  /// The estimates of each event, or null; `missing` then has the reason.
  private var counters: [(name: String, value: JSONValue)] {
    summary.counters.sorted { $0.key < $1.key }.map { name, counter in
      guard case .estimated(let estimates) = counter,
        case .object(let members) = JSONValue(estimates: estimates)
      else { return (name, nil) }
      let unit = JSONValue.string(CounterEvent.unit(of: name).rawValue)
      return (name, .object([(name: "unit", value: unit)] + members))
    }
  }

  // MARK: - Evidence

  private var residency: JSONValue {
    let own = OwnPages(summary)
    return [
      "resident_pages": JSONValue(own?.resident),
      "total_pages": JSONValue(own?.total),
      "pinned": .array(summary.residency.compactMap(pinned)),
      "files": .array(summary.residency.map(file)),
    ]
  }

  private func pinned(_ file: ResidencySummary) -> JSONValue? {
    file.pinnedBy.map { reason in
      [
        "path": .string(file.path), "pages": JSONValue(file.maximumResidentPages),
        "by": .string(reason),
      ]
    }
  }

  private func file(_ file: ResidencySummary) -> JSONValue {
    [
      "path": .string(file.path),
      "is_own": .bool(file.isOwn),
      "resident_pages": JSONValue(file.maximumResidentPages),
      "mean_resident_share": .number(file.meanResidentShare),
      "total_pages": JSONValue(file.totalPages),
    ]
  }

  /// Medians over the cold collector launches; null without any.
  private var pageIns: JSONValue {
    guard let pageIns = summary.pageIns else { return nil }
    return [
      "launches": JSONValue(pageIns.launches),
      "pages": JSONValue(pageIns.pages),
      "faulted": JSONValue(pageIns.faulted),
      "read_ahead": JSONValue(pageIns.readAhead),
      "wait_ns": JSONValue(pageIns.wait?.count),
      "metadata": JSONValue(metadata: pageIns.metadata),
      "files": .array(pageIns.files.map(JSONValue.init(pageIn:))),
      "notes": .array(pageIns.notes.map(JSONValue.string)),
    ]
  }

  private var flags: JSONValue {
    let counts = summary.flags.map { ($0.key.rawValue, $0.value) }
    return JSONValue(Dictionary(uniqueKeysWithValues: counts)) { JSONValue($0) }
  }
}

extension JSONValue {
  init(estimates: Estimates) {
    self = [
      "n": JSONValue(estimates.n),
      "mean": .number(estimates.mean),
      "variance": JSONValue(estimates.variance),
      "stddev": JSONValue(estimates.standardDeviation),
      "cv": JSONValue(estimates.coefficientOfVariation),
      "median": .number(estimates.median),
      "mad": .number(estimates.medianAbsoluteDeviation),
      "min": .number(estimates.minimum),
      "max": .number(estimates.maximum),
      "p90": .number(estimates.p90),
      "p95": .number(estimates.p95),
      "ci95": estimates.medianInterval.map { [.number($0.low), .number($0.high)] } ?? nil,
    ]
  }
}
