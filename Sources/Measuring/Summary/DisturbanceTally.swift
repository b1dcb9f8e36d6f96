package import LaunchCore
import Rendering

/// How many launches of an arm were disturbed or began unsettled, and by what.
package struct DisturbanceTally: Hashable, Sendable {
  /// Launches that something got in the way of.
  package var disturbed: Int = 0

  /// Launches that were made although the machine had not settled.
  package var unsettled: Int = 0

  /// Launches that were disturbed, or unsettled, or both.
  package var doubtful: Int = 0

  /// Launches that were made because one before was disturbed.
  package var repeated: Int = 0

  /// Only kinds that occurred.
  package var kinds: [Disturbance.Kind: Kind] = [:]

  /// What had not settled at the last unsettled launch.
  package var obstacle: String?

  /// The launches that one kind disturbed.
  package struct Kind: Hashable, Sendable {
    package var launches: Int

    /// The one with the largest amount.
    package var worst: Disturbance

    package init(launches: Int, worst: Disturbance) {
      self.launches = launches
      self.worst = worst
    }
  }

  /// Takes in one launch.
  ///
  /// - Parameters:
  ///   - record: The launch.
  ///   - isRepeat: Whether it was made because one before was disturbed.
  package mutating func add(_ record: LaunchRecord, isRepeat: Bool) {
    if isRepeat { repeated += 1 }
    if record.isDoubtful { doubtful += 1 }
    if let obstacle = record.preparation.settling?.obstacle {
      unsettled += 1
      self.obstacle = obstacle
    }
    guard record.isDisturbed else { return }
    disturbed += 1
    for disturbance in record.result.disturbances { add(disturbance) }
  }

  private mutating func add(_ disturbance: Disturbance) {
    let known = kinds[disturbance.kind] ?? Kind(launches: 0, worst: disturbance)
    kinds[disturbance.kind] = Kind(
      launches: known.launches + 1,
      worst: known.worst.amount < disturbance.amount ? disturbance : known.worst
    )
  }

  /// The disturbed and unsettled launches as a share of those that the plan asked for by now.
  ///
  /// - Parameter launches: All that were made; repeats among them were not planned, and may be
  ///   disturbed themselves.
  /// - Returns: From 0 to 1.
  package func share(of launches: Int) -> Double {
    let planned = launches - repeated
    return planned > 0 ? min(1, Double(doubtful) / Double(planned)) : 0
  }

  /// The sum over several arms; of the obstacles the last one.
  package static func sum(of tallies: [Self]) -> Self {
    tallies.reduce(into: Self()) { sum, tally in
      sum.disturbed += tally.disturbed
      sum.unsettled += tally.unsettled
      sum.doubtful += tally.doubtful
      sum.repeated += tally.repeated
      sum.obstacle = tally.obstacle ?? sum.obstacle
      sum.kinds.merge(tally.kinds) { first, second in
        Kind(
          launches: first.launches + second.launches,
          worst: first.worst.amount < second.worst.amount ? second.worst : first.worst
        )
      }
    }
  }
}

extension LaunchRecord {
  /// Whether something got in the way of the launch.
  package var isDisturbed: Bool { !result.disturbances.isEmpty }

  /// Whether it was disturbed, or began although the machine had not settled.
  package var isDoubtful: Bool { isDisturbed || preparation.settling?.obstacle != nil }
}

extension Plan {
  /// The largest share of disturbed and unsettled launches that a result may have, from 0 to 1; nil
  /// when neither is looked for.
  package var tolerableShare: Double? {
    guard let controls = scenario.controls else { return nil }
    if let steal = controls.steal { return steal.share }
    return controls.settle == nil ? nil : DisturbanceLimits().share
  }

  /// Whether a launch was made because one before in its block was disturbed: its position comes
  /// after those of the order.
  package func isRepeat(_ record: LaunchRecord) -> Bool {
    record.position >= order(ofBlock: record.block).count
  }
}

extension ArmSummary {
  /// Launches were disturbed, whose numbers are left out as long as there are others.
  var disturbedLaunches: Diagnostic? {
    let tally = disturbances
    guard tally.disturbed > 0 else { return nil }
    let isOne = tally.disturbed == 1
    let fate =
      isDisturbed
      ? "; the numbers are of disturbed launches" : " and \(isOne ? "is" : "are") excluded"
    let repeated = tally.repeated > 0 ? "; \(tally.repeated) repeated" : ""
    return Diagnostic(
      isDisturbed ? .warning : .note,
      id: "disturbed-launches",
      problem: "\(Quantity.launches(tally.disturbed, of: launches)) \(isOne ? "was" : "were") "
        + "disturbed\(fate): \(tally.causes)\(repeated)",
      remedy: tally.remedy
    )
  }

  /// Launches were made although the machine had not settled in time.
  var unsettledLaunches: Diagnostic? {
    let tally = disturbances
    guard tally.unsettled > 0 else { return nil }
    return Diagnostic(
      .note,
      id: "unsettled-launches",
      problem: "\(Quantity.launches(tally.unsettled, of: launches)) started before the machine had "
        + "settled, and still count: \(tally.obstacle ?? "no reason was recorded")",
      remedy: "stop the other work, or raise `within` or the limit under `settle`"
    )
  }
}

extension DisturbanceTally {
  /// Why a run is inconclusive.
  func inconclusive(share: Double, limit: Double) -> Diagnostic {
    let unsettled =
      unsettled > 0
      ? "\(self.unsettled) before the machine had settled (\(obstacle ?? "not recorded"))" : nil
    let causes = [disturbed > 0 ? self.causes : nil, unsettled].compactMap(\.self)
    return Diagnostic(
      .warning,
      id: "too-disturbed",
      problem:
        "inconclusive: \(Quantity.launches(doubtful)) were disturbed or "
        + "unsettled, \(Quantity.percent(share)) where \(Quantity.percent(limit)) is tolerated: "
        + causes.joined(separator: "; "),
      remedy: "\(remedy), or raise `share` under `steal`"
    )
  }

  /// What disturbed, the most frequent first, such as `foreign-cpu in 3, at worst 4.10 ms`.
  var causes: String {
    ordered.map { kind, tally in
      "\(kind.phrase) in \(tally.launches), at worst \(tally.worst.words)"
    }
    .joined(separator: ", ")
  }

  /// What helps against the most frequent kind.
  var remedy: String {
    switch ordered.first?.kind {
    case .steal: "measure when the hypervisor is less loaded, or on dedicated hardware"
    case .throttling: "let the machine cool down, and set `settle: {temperature: ...}`"
    case .swapIn: "free memory, or set `swap: off`"
    case .foreignCPU, nil:
      "stop the other work, or reserve processors for the targets with `cpus`"
    }
  }

  private var ordered: [(kind: Disturbance.Kind, tally: Kind)] {
    kinds.sorted { ($1.value.launches, $0.key.rawValue) < ($0.value.launches, $1.key.rawValue) }
      .map { ($0.key, $0.value) }
  }
}

extension Disturbance {
  /// The amount beside what is tolerated, such as `4.10 ms (0.20 ms is tolerated)`.
  fileprivate var words: String {
    switch kind {
    case .steal, .foreignCPU:
      Wording.time(Double(amount))
        + (limit > 0 ? " (\(Wording.time(Double(limit))) is tolerated)" : "")
    case .throttling: amount == 1 ? "once" : "\(amount) times"
    case .swapIn: amount == 1 ? "1 page" : "\(amount) pages"
    }
  }
}

extension Disturbance.Kind {
  fileprivate var phrase: String {
    switch self {
    case .steal: "stolen time"
    case .throttling: "throttling"
    case .swapIn: "swap-ins"
    case .foreignCPU: "other programs on the processors"
    }
  }
}
