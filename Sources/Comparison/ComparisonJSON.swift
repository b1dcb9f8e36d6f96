import Foundation
import LaunchCore
import LaunchStatistics
import Measuring
package import Rendering

/// The result of a comparison as JSON, of schema `launchlab.compare/1`.
///
/// The deciding comparison stands at the top, and all of them in `comparisons`. `docs/json.md` tells
/// what each field means.
package struct ComparisonJSON: JSONDocument {
  private let findings: [ComparisonFinding]
  private let method: String
  private let runs: [RunRecord]
  private let extras: [Extra]
  private let warnings: [Diagnostic]

  /// What only one kind of comparison knows of an arm.
  private struct Extra {
    var nights: Int?
  }

  /// Writes targets that were launched in the same blocks.
  package init(_ summary: ComparisonSummary) {
    findings = summary.findings
    method = "interleaved"
    runs = [summary.run.run]
    extras = summary.arms.map { _ in Extra() }
    warnings = summary.run.warnings
  }

  /// Writes two runs that were made before.
  package init(_ comparison: StoredComparison) {
    findings = comparison.findings
    method = "stored-runs"
    runs = [comparison.baseline, comparison.candidate]
    extras = comparison.arms.map { Extra(nights: $0.nights) }
    warnings = comparison.warnings
  }

  package var value: JSONValue {
    let deciding = findings.deciding
    return [
      "schema": "launchlab.compare/1",
      "verdict": .string(findings.verdict.rawValue),
      "ratio": JSONValue(deciding?.ratio),
      "ci95": Self.interval(deciding?.interval95),
      "effect_limit": JSONValue(deciding?.rule.effectLimit),
      "smallest_detectable": JSONValue(deciding?.smallestDetectable),
      "method": .string(method),
      "power": .number(PairedRatio.power),
      "runs": .array(runs.map(run)),
      "comparisons": .array(zip(findings, extras).map(comparison)),
      "warnings": .array(warnings.map(JSONValue.init(diagnostic:))),
    ]
  }

  private func run(_ run: RunRecord) -> JSONValue {
    [
      "id": .string(run.id),
      "scenario": .string(run.plan.scenario.name),
      "started_at": .string(run.startedAt.formatted(.iso8601)),
      "status": .string(run.status.rawValue),
      "tool": .string(run.tool),
      "seed": .unsigned(run.plan.seed),
      "commit": JSONValue(run.build?.commit),
      "looks": .array(run.plan.looks.map { JSONValue($0) }),
      "targets": .array(
        run.plan.scenario.targets.map { target in
          [
            "name": .string(target.name),
            "command": .array(target.command.map(JSONValue.string)),
          ]
        }
      ),
      "host": JSONValue(host: run.host),
    ]
  }

  private func comparison(_ finding: ComparisonFinding, _ extra: Extra) -> JSONValue {
    [
      "name": .string(finding.pair.name),
      "baseline": .string(finding.pair.baseline),
      "candidate": .string(finding.pair.candidate),
      "state": .string(finding.state.rawValue),
      "metric": .string(finding.metric.rawValue),
      "unit": .string(finding.metric.unit.rawValue),
      "direction": .string(finding.metric.direction.rawValue),
      "baseline_median": JSONValue(finding.baselineMedian),
      "candidate_median": JSONValue(finding.candidateMedian),
      "ratio": JSONValue(finding.ratio),
      "ci95": Self.interval(finding.interval95),
      "estimator": JSONValue(finding.estimator?.rawValue),
      "confidence": .number(finding.rule.confidence),
      "interval": Self.interval(finding.interval),
      "verdict": .string(finding.verdict.rawValue),
      "doubt": JSONValue(finding.doubt?.rawValue),
      "count": JSONValue(finding.count),
      "unpaired": JSONValue(finding.unpaired),
      "nights": JSONValue(extra.nights),
      "effect_limit": .number(finding.rule.effectLimit),
      "noise_floor": JSONValue(finding.rule.noiseFloor),
      "smallest_detectable": JSONValue(finding.smallestDetectable),
      "pairs_needed": JSONValue(finding.pairsNeeded),
      "tail_limit": JSONValue(finding.rule.tailLimit),
      "tail": finding.tail.map(Self.tail) ?? .null,
    ]
  }

  private static func tail(_ tail: TailComparison) -> JSONValue {
    let (shares, mean) = (tail.shares, tail.mean)
    return [
      "pairs": JSONValue(tail.pairs.count),
      "threshold": .number(tail.threshold),
      "baseline_share": .number(shares.baseline),
      "candidate_share": .number(shares.candidate),
      "difference": .number(shares.candidate - shares.baseline),
      "difference_interval": interval(shares.difference),
      "slowness": JSONValue(tail.slowness.flatMap { $0.isFinite ? $0 : nil }),
      "more_slow": evidence(tail.worse),
      "fewer_slow": evidence(tail.better),
      "at_most": .number(tail.atMost),
      "at_most_of_baseline": .number(tail.atMostOfBaseline),
      "slow_from": JSONValue(tail.pairs.slowFrom),
      "smallest_excess": .number(tail.pairs.smallestExcess),
      "mean_ratio": JSONValue(mean?.ratio),
      "mean_interval": interval(mean?.interval),
    ]
  }

  private static func evidence(_ evidence: PairedTail.Evidence) -> JSONValue {
    [
      "probability": .number(evidence.probability),
      "threshold": .number(evidence.threshold),
      "only_slow": JSONValue(evidence.onlyCandidate),
      "only_other": JSONValue(evidence.onlyBaseline),
    ]
  }

  private static func interval(_ interval: Interval?) -> JSONValue {
    interval.map { [.number($0.low), .number($0.high)] } ?? .null
  }
}
