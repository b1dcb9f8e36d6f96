import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

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
      let launches = Quantity.launches(arm.launches)
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

/// The files of an arm that stayed in the page cache, joined by the reason why.
struct PinnedFiles {
  /// Such as `libc.so.6, libm.so.6 (mapped by pid 1 and 41 others)`, in the order of the files.
  let phrases: [String]

  init(_ arms: [ArmSummary]) {
    var reasons: [String] = []
    var names: [String: [String]] = [:]
    for file in arms.flatMap(\.residency) {
      guard let reason = file.pinnedBy else { continue }
      let name = URL(filePath: file.path).lastPathComponent.printable
      if names[reason] == nil { reasons.append(reason) }
      if names[reason]?.contains(name) != true { names[reason, default: []].append(name) }
    }
    phrases = reasons.map { reason in
      let files = names[reason] ?? []
      let more = files.count > 6 ? " and \(files.count - 6) more" : ""
      return "\(files.prefix(6).joined(separator: ", "))\(more) (\(reason.printable))"
    }
  }
}

/// The disturbed and unsettled launches of an arm as a phrase.
struct DisturbanceText {
  let tally: DisturbanceTally
  let launches: Int

  /// Such as `3 of 43 launches, 2 repeated (foreign-cpu 3, at worst 4.10 ms of 0.2 ms)`; nil when
  /// there was none.
  var phrase: String? {
    guard tally.doubtful > 0 || tally.repeated > 0 else { return nil }
    let all = Quantity.launches(launches)
    let kinds = Disturbance.Kind.allCases.compactMap { kind in
      tally.kinds[kind].map { "\(kind.rawValue) \($0.launches), at worst \(words(of: $0.worst))" }
    }
    let phrases = [
      "\(tally.disturbed) of \(all) disturbed"
        + (kinds.isEmpty ? "" : " (\(kinds.joined(separator: "; ")))"),
      tally.unsettled > 0
        ? "\(tally.unsettled) unsettled" + (tally.obstacle.map { " (\($0))" } ?? "") : nil,
      tally.repeated > 0 ? "\(tally.repeated) repeated" : nil,
    ]
    return phrases.compactMap(\.self).joined(separator: ", ")
  }

  private func words(of disturbance: Disturbance) -> String {
    guard disturbance.kind.isTime else {
      let noun = disturbance.kind == .swapIn ? "page" : "time"
      return Quantity.count(Int(clamping: disturbance.amount), noun)
    }
    let amount = Quantity.text(Nanoseconds(disturbance.amount))
    // Where a clock tick is longer than what is tolerated, any tick is too much.
    guard disturbance.limit > 0 else { return amount }
    return "\(amount) where \(Quantity.text(Nanoseconds(disturbance.limit))) is tolerated"
  }
}

extension Disturbance.Kind {
  /// Whether amounts are nanoseconds; otherwise they are counts.
  var isTime: Bool { self == .steal || self == .foreignCPU }
}
