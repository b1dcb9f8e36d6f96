import LabAnalysis
import LabModel
import LabStatistics

/// What lies behind the numbers of a run, as labelled phrases for people.
struct RunEvidence {
  struct Item {
    var label: String
    var phrases: [String]
  }

  private let summary: RunSummary

  init(_ summary: RunSummary) { self.summary = summary }

  /// Only items that have something to say, in the order they are shown.
  var items: [Item] {
    let facts = RunFacts(summary)
    let items = [
      Item(label: "ready", phrases: facts.readiness),
      Item(label: "outcomes", phrases: incomplete),
      Item(label: "disturbed", phrases: disturbed),
      Item(label: "pinned", phrases: PinnedFiles(summary.arms).phrases),
      Item(label: "counters", phrases: counters),
      Item(label: "flags", phrases: flags),
      Item(label: "warm-ups", phrases: warmUps),
      Item(label: "missing", phrases: missing),
    ]
    return items.filter { !$0.phrases.isEmpty }
  }

  /// Arms with launches that were not ready, but for those that the table itself calls failed.
  private var incomplete: [String] {
    summary.arms.filter { $0.outcomes.keys.contains { $0 != "ready" } }.map(ArmText.init)
      .filter { $0.failure == nil || $0.summary.arm.kind != .plain }
      .map { "\($0.name): \($0.outcomes)" }
  }

  private var disturbed: [String] {
    summary.arms.compactMap { arm in
      DisturbanceText(tally: arm.disturbances, launches: arm.launches).phrase
        .map { "\(ArmText(arm).name): \($0)".printable }
    }
  }

  private var counters: [String] {
    summary.arms.filter { !$0.counters.isEmpty }.map { arm in
      let values = arm.counters.sorted { $0.key < $1.key }.map { name, counter in
        switch counter {
        case .estimated(let estimates):
          "\(name) \(Quantity.text(estimates.median, CounterEvent.unit(of: name)))"
        case .missing(let reason): "\(name) not counted (\(reason))"
        }
      }
      let launches = Quantity.count(arm.launches, "launch", plural: "launches")
      let text = values.joined(separator: ", ").printable
      return "\(arm.arm.target.printable) \(arm.arm.state.rawValue), \(launches) apart: \(text)"
    }
  }

  private var flags: [String] {
    summary.arms.filter { !$0.flags.isEmpty }.map { arm in
      let texts = arm.flags.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue) in \($0.value) of \(arm.launches)" }
      return "\(ArmText(arm).name): \(texts.joined(separator: ", "))"
    }
  }

  private var warmUps: [String] {
    let texts = summary.arms.filter { $0.warmUps > 0 }
      .map { "\($0.warmUps) for \(ArmText($0).name)" }
    return texts.isEmpty ? [] : ["unmeasured launches: \(texts.joined(separator: ", "))"]
  }

  /// Figures that could not be had, each reason once.
  private var missing: [String] {
    var names: [String: Set<String>] = [:]
    for (name, reason) in summary.arms.flatMap(\.missing) {
      names[reason, default: []].insert(name)
    }
    return names.map { reason, names in
      "\(names.sorted().joined(separator: ", ")): \(reason)".printable
    }
    .sorted()
  }
}
