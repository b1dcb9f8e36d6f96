import LabModel

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
      problem: "\(Wording.launches(tally.disturbed, of: launches)) \(isOne ? "was" : "were") "
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
      problem: "\(Wording.launches(tally.unsettled, of: launches)) started before the machine had "
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
        "inconclusive: \(Wording.launches(doubtful)) were disturbed or "
        + "unsettled, \(Wording.percent(share)) where \(Wording.percent(limit)) is tolerated: "
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
