import LaunchCore
import LaunchStatistics
package import Rendering
import Stages

/// An explanation as JSON, of schema `launchlab.explain/1`.
///
/// `docs/json.md` tells what each field means.
package struct ExplanationJSON: JSONDocument {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  private var explanation: LaunchExplanation { result.explanation }

  package var value: JSONValue {
    let isSingle = result.outcome == .single
    return [
      "schema": "launchlab.explain/1",
      "sentence": .string(ExplanationSentence(result).statement),
      "outcome": .string(result.outcome.name),
      "exit_code": JSONValue(Int(result.exitCode.rawValue)),
      "arms": .array(result.arms.map(arm)),
      "blocks": JSONValue(explanation.blocks),
      "dropped_blocks": JSONValue(explanation.droppedBlocks),
      "fresh_blocks": JSONValue(result.freshBlocks),
      "collectors": .array(result.collectors.map(collector)),
      "difference": difference,
      "floor_ns": .number(explanation.floor),
      "reasons": .array(explanation.reasons.map(reason)),
      "withdrawn": .array(explanation.withdrawn.map(reason)),
      "coverage": explanation.coverage.map { coverage in
        ["share": .number(coverage.share), "ci95": Self.interval(coverage.interval)]
      } ?? .null,
      "unattributed_ns": JSONValue(explanation.unattributed?.difference.count),
      "parts": isSingle ? .array(LaunchParts(result).parts.map(part)) : .null,
      "tree": .array(explanation.tree.map(node)),
      "resources": .array(explanation.resources.map(node)),
      "classes": .array(explanation.classes.map(timeClass)),
      "counts": .array(explanation.counts.map(count)),
      "page_ins": isSingle ? .array(explanation.pageIns.map(pageIn)) : .null,
      "libraries": [
        "new": .array(explanation.libraries.new.map(JSONValue.string)),
        "gone": .array(explanation.libraries.gone.map(JSONValue.string)),
      ],
      "static": code,
      "instructions": instructions,
      "modules": result.modules.map(modules) ?? .null,
      "stages": .array(result.stages.map(JSONValue.init(stage:))),
      "slow": result.slow.map(slow) ?? .null,
      "slow_ones": result.slowOnes.first.map { Self($0).value } ?? .null,
      "notes": .array(explanation.notes.map { JSONValue(diagnostic: Diagnostic(note: $0)) }),
      "warnings": .array(result.warnings.map(JSONValue.init(diagnostic:))),
      "store": JSONValue(result.store),
      "files": .array(result.files.map(JSONValue.string)),
    ]
  }

  private func slow(_ slow: SlowLaunches) -> JSONValue {
    func share(_ share: SlowShare) -> JSONValue {
      ["slow": JSONValue(share.slow), "launches": JSONValue(share.launches)]
    }
    return [
      "two_kinds": .bool(slow.gap != nil),
      "threshold_ns": slow.gap.map { .number($0.threshold) } ?? .null,
      "gap": slow.gap.map { .number($0.width) } ?? .null,
      "traced": share(slow.traced), "traced_by_clock": share(slow.tracedByClock),
      "plain": share(slow.plain), "sampled": share(slow.sampled),
      "share_p": .number(slow.shareProbability), "share_differs": .bool(slow.isShareDifferent),
      "hidden_by_tracing": .bool(slow.isHiddenByTracing),
      "runs_p": .number(slow.runsProbability), "in_runs": .bool(slow.areInRuns),
      "waker": JSONValue(slow.waker),
    ]
  }

  private func pageIn(_ count: PageInCount) -> JSONValue {
    [
      "file": JSONValue(count.file), "pages": JSONValue(count.pages),
      "read_ahead": JSONValue(count.readAhead),
    ]
  }

  // MARK: - Modules

  private func modules(_ comparison: ModuleComparison) -> JSONValue {
    [
      "runtime": .string(comparison.runtime.rawValue),
      "blocks": JSONValue(comparison.blocks),
      "launches": .object(Self.members(of: comparison.launches)),
      "total": .object(Self.members(of: comparison.total)),
      "modules": .array(
        comparison.modules.map { module in
          .object(
            [
              ("name", .string(module.name)), ("importer", JSONValue(module.importer)),
              ("novelty", JSONValue(module.novelty?.rawValue)),
              ("others", .array(module.others.map(JSONValue.string))),
            ] + Self.members(of: module.change) + [
              ("share", JSONValue(module.share)), ("significant", .bool(module.isSignificant)),
            ]
          )
        }
      ),
    ]
  }

  // MARK: - How it was measured

  private func arm(_ arm: ExplanationResult.Arm) -> JSONValue {
    ["name": .string(arm.name), "command": .array(arm.command.map(JSONValue.string))]
  }

  private func collector(_ collector: ExplanationResult.Collector) -> JSONValue {
    [
      "name": .string(collector.kind.rawValue),
      "launches": JSONValue(collector.launches),
      "cost_ratio": JSONValue(collector.costRatio),
      "cost_of": .string(collector.costsTime ? "launch" : "cpu_time"),
      "rights": collector.rights.map { rights in
        ["level": .string(rights.level), "obstacle": JSONValue(rights.obstacle)]
      } ?? .null,
      "missing": JSONValue(collector.missing),
    ]
  }

  // MARK: - Times

  private var difference: JSONValue {
    let whole = explanation.difference
    return [
      "plain_ns": JSONValue(whole.plain?.difference.count),
      "traced_ns": JSONValue(whole.traced.difference.count),
      "queue_ns": JSONValue(whole.queue.difference.count),
      "harness_ns": JSONValue(whole.harness.difference.count),
      "plain": whole.plain.map { .object(Self.members(of: $0)) } ?? .null,
      "traced": .object(Self.members(of: whole.traced)),
      "queue": .object(Self.members(of: whole.queue)),
      "harness": .object(Self.members(of: whole.harness)),
    ]
  }

  private static func members(of change: TimeChange) -> [(name: String, value: JSONValue)] {
    [
      ("before_ns", JSONValue(change.before.count)), ("after_ns", JSONValue(change.after.count)),
      ("difference_ns", JSONValue(change.difference.count)), ("ci95", interval(change.interval)),
    ]
  }

  private static func interval(_ interval: Interval?) -> JSONValue {
    interval.map { [.number($0.low), .number($0.high)] } ?? .null
  }

  private func node(_ node: LaunchExplanation.TreeNode) -> JSONValue {
    let label = node.label
    return .object(
      [
        ("id", JSONValue(node.id)), ("parent", JSONValue(node.parent)),
        ("name", JSONValue(label.map(ExplanationWords.name))),
        ("kind", JSONValue(label.map(\.kind) ?? "root")),
        ("file", JSONValue(label.flatMap(\.file))),
      ] + Self.members(of: node.change) + [("significant", .bool(node.isSignificant))]
    )
  }

  private func timeClass(_ item: LaunchExplanation.ClassChange) -> JSONValue {
    .object(
      [
        ("actor", .string(ExplanationWords.name(of: item.key.actor))),
        ("activity", .string(ExplanationWords.name(of: item.key.activity))),
      ] + Self.members(of: item.change)
    )
  }

  private func part(_ part: LaunchParts.Part) -> JSONValue {
    [
      "group": .string(part.group), "name": .string(part.name),
      "time_ns": JSONValue(part.time.count),
    ]
  }

  // MARK: - Reasons

  private func reason(_ reason: LaunchReason) -> JSONValue {
    .object(
      [
        ("rank", JSONValue(reason.rank)), ("kind", .string(reason.kind.rawValue)),
        ("text", .string(ExplanationWords.title(of: reason))),
        ("actor", JSONValue(reason.actor.map(ExplanationWords.name))),
        ("path", .array(reason.path.map(frame))),
        ("hot_path", .array(reason.hotPath.map(frame))), ("call", JSONValue(reason.call)),
        ("object", JSONValue(reason.object)),
      ] + Self.members(of: reason.change) + [
        ("share", JSONValue(reason.share)), ("novelty", .string(reason.novelty.rawValue)),
        ("specific", .bool(reason.isSpecific)), ("counts", .array(reason.counts.map(count))),
        ("confirmed_blocks", JSONValue(reason.confirmedBlocks)),
        ("instructions", instructions(of: reason)),
        ("path_from", .string(reason.isFromCounts ? "instructions" : "samples")),
        (
          "blame",
          reason.blame.map { blame in
            [
              "function": .string(blame.function), "file": .string(blame.file),
              "changed": .string(blame.change.rawValue),
            ]
          } ?? .null
        ),
      ]
    )
  }

  /// What was counted on the way to a reason.
  private func instructions(of reason: LaunchReason) -> JSONValue {
    guard let counted = reason.counted else { return .null }
    return [
      "before": JSONValue(counted.before.map(Int.init)),
      "after": JSONValue(counted.after.map(Int.init)),
      "calls": .array(
        counted.calls.map { call in
          [
            "function": .string(call.function.function), "file": .string(call.function.file),
            "before": JSONValue(Int(call.before)), "after": JSONValue(Int(call.after)),
          ]
        }
      ),
    ]
  }

  /// How the instructions of all functions differ.
  private var instructions: JSONValue {
    explanation.instructions.map { instructions in
      [
        "before": JSONValue(Int(instructions.before)), "after": JSONValue(Int(instructions.after)),
        "noise": JSONValue(Int(instructions.noise)),
        "different": .bool(instructions.isDifferent),
        "path": .array(instructions.path.map(frame)),
      ]
    } ?? .null
  }

  private func frame(_ frame: CodeFrame) -> JSONValue {
    ["function": .string(frame.function), "file": .string(frame.file)]
  }

  /// How the files differ.
  private var code: JSONValue {
    guard let code = explanation.code else { return .null }
    func libraries(_ names: [String], _ change: String) -> [JSONValue] {
      names.map { ["name": .string($0), "change": .string(change)] }
    }
    return [
      "functions_changed": .array(code.changed.map(frame)),
      "functions_new": .array(code.new.map(frame)),
      "functions_gone": .array(code.gone.map(frame)),
      "without_time": .array(explanation.changedWithoutTime.map { frame($0.frame) }),
      "libraries": .array(
        libraries(code.libraries.new, "new") + libraries(code.libraries.gone, "gone")
      ),
      "sections": .array(
        code.sections.map { section in
          [
            "file": .string(section.file), "name": .string(section.name),
            "before": JSONValue(section.before), "after": JSONValue(section.after),
          ]
        }
      ),
      "not_compared": .array(code.uncompared.map(JSONValue.string)),
    ]
  }

  private func count(_ count: CountChange) -> JSONValue {
    let (kind, name, object) = count.thing.parts
    return [
      "kind": .string(kind), "name": JSONValue(name), "object": JSONValue(object),
      "before": .number(count.before), "after": .number(count.after),
      "certain": .bool(count.isCertain),
    ]
  }
}

extension ExplanationResult.Outcome {
  /// The name in JSON.
  var name: String {
    switch self {
    case .single: "single"
    case .different: "different"
    case .same: "same"
    case .notSignificant: "not-significant"
    }
  }
}

extension TreeLabel {
  /// What kind of step it is; the name in JSON.
  fileprivate var kind: String {
    switch self {
    case .actor: "actor"
    case .frame: "function"
    case .notSampled: "not-sampled"
    case .resource: "resource"
    case .leaf(let leaf):
      switch leaf {
      case .ownCode: "own-code"
      case .pageFaults: "page-faults"
      case .call: "call"
      case .wait: "wait"
      case .diskWait: "disk-wait"
      case .faultWait: "fault-wait"
      }
    }
  }

  fileprivate var file: String? { if case .frame(let frame) = self { frame.file } else { nil } }
}

extension CountedThing {
  /// The kind in JSON, the name, and what it is done to.
  fileprivate var parts: (kind: String, name: String?, object: String?) {
    switch self {
    case .call(let name, let object): ("call", name, object)
    case .missing(let name, let object): ("missing", name, object)
    case .threads: ("threads", nil, nil)
    case .processes(let program): ("process", program, nil)
    case .faults(let file): ("page-faults", nil, file)
    case .pageIns(let file): ("page-ins", nil, file)
    case .readAhead(let file): ("read-ahead", nil, file)
    }
  }
}
