import Foundation
import History
import LaunchCore
package import Rendering
import Stages

/// The result of a bisection as JSON, of schema `launchlab.bisect/1`.
///
/// `docs/json.md` tells what each field means. Ratios are those of times or counts, not their
/// logarithms.
package struct BisectJSON: JSONDocument {
  private let summary: BisectSummary
  private var start: BisectStart { summary.start }
  private var answer: BisectAnswer { summary.answer }

  package init(_ summary: BisectSummary) { self.summary = summary }

  package var value: JSONValue {
    let members: [(name: String, value: JSONValue)] =
      [("schema", "launchlab.bisect/1")] + conclusion + work + question + evidence
    return .object(members)
  }

  // MARK: - The answer

  private var conclusion: [(name: String, value: JSONValue)] {
    [
      ("outcome", .string(answer.outcome.name)), ("reason", JSONValue(answer.outcome.reason)),
      ("sentence", .string(BisectSentence(summary).answer.plain)),
      ("alert_share", JSONValue(summary.alertShare)),
      ("culprits", .array(answer.culprits.enumerated().map(culprit))),
      ("why", JSONValue(summary.explanation?.told.why)),
      ("explanation", summary.explanation?.document.map(JSONValue.document) ?? .null),
      ("interval", summary.interval.map(ends) ?? .null),
      ("interval_confidence", JSONValue(summary.interval == nil ? nil : intervalConfidence)),
      ("difference", answer.difference.map(difference) ?? .null),
      ("good_median", JSONValue(summary.medians?.good)),
      ("bad_median", JSONValue(summary.medians?.bad)),
      ("processor_time", summary.processorTime.map(processorTime) ?? .null),
      ("two_changes", .number(answer.twoChanges)), ("unexplained", unexplained),
      ("unsearched", .array(answer.unsearched.map(unsearched))),
      ("resume", JSONValue(summary.resumption)),
      ("interrupted", .bool(summary.isInterrupted)),
      ("exit_code", .integer(Int64(summary.exitCode.rawValue))),
    ]
  }

  /// How likely the interval holds the change.
  private var intervalConfidence: Double { answer.culprits.first?.probability ?? 0.95 }

  /// What the named changes leave of the difference, where all were asked for.
  private var unexplained: JSONValue {
    guard start.parameters.findsAll, let rest = answer.unexplained else { return .null }
    return ["ratio": .number(exp(rest.estimate)), "ci95": bounds(rest)]
  }

  private func culprit(_ index: Int, _ culprit: BisectCulprit) -> JSONValue {
    let last = start.revisions[culprit.newest]
    return .object(
      commit(culprit.newest) + [
        ("authored_at", JSONValue(last.authoredAt?.formatted(.iso8601))),
        ("candidates", .array(culprit.revisions.map { .string(start.revisions[$0].id) })),
        ("parent", .string(start.revisions[culprit.parent].id)),
        ("probability", .number(culprit.probability)),
        ("ratio", .number(exp(culprit.effect.estimate))), ("ci95", bounds(culprit.effect)),
        ("share", JSONValue(culprit.share)),
        ("side", .string(culprit.side.rawValue)),
      ] + details(index)
    )
  }

  private func details(_ index: Int) -> [(name: String, value: JSONValue)] {
    guard summary.details.indices.contains(index) else { return [] }
    let details = summary.details[index]
    let commands = BisectCommands(summary)
    return [
      ("files", details.files.map { .array($0.map(file)) } ?? .null),
      ("file_count", JSONValue(details.files.map { _ in details.fileCount })),
      ("merge", details.merge.map { merge($0, inside: commands.inside(index)) } ?? .null),
      ("parent_build", JSONValue(details.builds?.parent.place)),
      ("build", JSONValue(details.builds?.culprit.place)),
      ("compare", JSONValue(commands.comparison(index).map(ShellQuoting.text))),
      ("stage_changes", .array(details.stageChanges.map(JSONValue.init(stage:)))),
    ]
  }

  private func file(_ file: ChangedFile) -> JSONValue {
    [
      "path": .string(file.path), "added": JSONValue(file.added),
      "removed": JSONValue(file.removed),
    ]
  }

  private func merge(_ merge: MergeContents, inside commands: [[String]]) -> JSONValue {
    [
      "commits": .array(
        merge.commits.map { ["commit": .string($0.id), "subject": .string($0.subject)] }
      ),
      "count": JSONValue(merge.count),
      "bisect": .array(commands.map { .string(ShellQuoting.text($0)) }),
    ]
  }

  private func unsearched(_ stretch: UnsearchedStretch) -> JSONValue {
    [
      "range": ends(stretch.good...stretch.bad),
      "difference": JSONValue(stretch.difference.map(expm1)),
      "reason": .string(stretch.reason.name),
    ]
  }

  private func commit(_ revision: Int) -> [(name: String, value: JSONValue)] {
    let facts = start.revisions[revision]
    return [
      ("index", JSONValue(revision)), ("commit", .string(facts.id)),
      ("subject", .string(facts.subject)), ("author", JSONValue(facts.author)),
    ]
  }

  private func ends(_ range: ClosedRange<Int>) -> JSONValue {
    .array([range.lowerBound, range.upperBound].map { .string(start.revisions[$0].id) })
  }

  private func difference(_ interval: LogInterval) -> JSONValue {
    ["ratio": .number(exp(interval.estimate)), "ci99": bounds(interval)]
  }

  private func processorTime(_ time: ProcessorTimeDifference) -> JSONValue {
    [
      "ratio": .number(exp(time.difference.estimate)), "ci99": bounds(time.difference),
      "pairs": JSONValue(time.pairs),
    ]
  }

  private func bounds(_ interval: LogInterval) -> JSONValue {
    [.number(exp(interval.lower)), .number(exp(interval.upper))]
  }

  // MARK: - The work

  private var work: [(name: String, value: JSONValue)] {
    [
      ("builds", JSONValue(summary.builds)), ("failed_builds", JSONValue(summary.failedBuilds)),
      ("launches", JSONValue(summary.launches)), ("timed_out", JSONValue(summary.timeouts)),
      ("seconds", .number(summary.seconds)),
      ("skipped", .array(summary.skipped.map { .string(start.revisions[$0].id) })),
      ("broken", .array(summary.skipped.map(broken))),
    ]
  }

  private func broken(_ revision: Int) -> JSONValue {
    .object(
      commit(revision) + [
        ("by", .string(reasonName(of: revision))),
        ("reason", JSONValue(summary.failures[revision])),
      ]
    )
  }

  private func reasonName(of revision: Int) -> String {
    if start.skips.contains(revision) { return "user" }
    return summary.unlaunchable.contains(revision) ? "launch" : "build"
  }

  // MARK: - The question

  private var question: [(name: String, value: JSONValue)] {
    let target = start.scenario.targets.first?.name
    return [
      ("id", .string(start.id)), ("range", .string(start.range)),
      ("good", JSONValue(start.revisions.first?.id)), ("bad", JSONValue(start.revisions.last?.id)),
      ("commits", JSONValue(start.revisions.count - 1)),
      ("started_at", .string(start.startedAt.formatted(.iso8601))),
      ("scenario", .string(start.scenario.name)), ("target", JSONValue(target)),
      ("state", JSONValue(start.scenario.states.first?.rawValue)),
      ("measure", .string(start.measure.name)), ("unit", .string(start.measure.unit.rawValue)),
      ("counting", JSONValue(start.counting?.rawValue)), ("artifacts", JSONValue(start.artifacts)),
      ("alert", JSONValue(start.alert.map { "R-\($0)" })), ("limits", limits),
      ("fingerprint", .string(start.fingerprint)), ("tool", .string(start.launchlabVersion)),
      ("rules", JSONValue(start.rules)), ("log", .string(summary.log)),
    ]
  }

  private var limits: JSONValue {
    let parameters = start.parameters
    return [
      "launches": JSONValue(parameters.limits.launches),
      "builds": JSONValue(parameters.limits.builds),
      "seconds": JSONValue(parameters.limits.seconds),
      "min_effect": .number((expm1(parameters.minimumEffect) * 1e6).rounded() / 1e6),
      "confidence": .number(parameters.confidence),
      "find": .string(parameters.direction.rawValue),
      "all": .bool(parameters.findsAll),
    ]
  }

  // MARK: - The evidence

  private var evidence: [(name: String, value: JSONValue)] {
    [
      ("levels", .array(answer.levels.map(level))),
      ("launch_noise", JSONValue(answer.launchNoise)),
      ("build_noise", JSONValue(answer.buildNoise)), ("notes", .array(answer.notes.map(note))),
      (
        "stage_changes",
        .array((summary.details.first?.stageChanges ?? []).map(JSONValue.init(stage:)))
      ),
      ("conditions", summary.conditions.map(conditions) ?? .null),
      ("build_log", .array(summary.buildLogTail.map(JSONValue.string))),
      ("warnings", .array((summary.told + summary.warnings).map(JSONValue.init(diagnostic:)))),
    ]
  }

  private func level(_ level: BisectLevel) -> JSONValue {
    .object(
      commit(level.revision) + [
        ("ratio", .number(exp(level.level.estimate))), ("ci95", bounds(level.level)),
        ("rounds", JSONValue(level.rounds)), ("probability_bad", JSONValue(level.probabilityBad)),
      ]
    )
  }

  private func note(_ note: BisectNote) -> JSONValue {
    switch note {
    case .improvement(let revisions, let effect):
      [
        "kind": .string(effect.estimate < 0 ? "improvement" : "regression"),
        "interval": ends(revisions),
        "ratio": .number(exp(effect.estimate)), "bounds": bounds(effect),
      ]
    case .split(let revision):
      ["kind": "split", "commit": .string(start.revisions[revision].id)]
    case .layoutNoise(let size): ["kind": "layout-noise", "size": .number(size)]
    case .spread: ["kind": "spread"]
    case .slowLaunches(let good, let bad):
      ["kind": "slow-launches", "good_share": .number(good), "bad_share": .number(bad)]
    }
  }

  private func conditions(_ conditions: BisectConditions) -> JSONValue {
    [
      "compilers": .array(conditions.compilers.map(JSONValue.string)),
      "environment": JSONValue(conditions.variables, JSONValue.string),
      "load_before": JSONValue(conditions.loadBefore),
      "load_after": JSONValue(conditions.loadAfter),
      "processors": JSONValue(conditions.processors),
    ]
  }
}

extension BisectOutcome {
  /// The stable name of why nothing was found; nil where something was.
  fileprivate var reason: String? {
    switch self {
    case .found: nil
    case .refused(let refusal): refusal.rawValue
    case .inconclusive(let obstacle): obstacle.rawValue
    case .failed(let end): end == 0 ? "good-end" : "bad-end"
    }
  }
}
