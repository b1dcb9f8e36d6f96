import LabAnalysis
import LabModel

/// The disturbed and unsettled launches of an arm as a phrase.
struct DisturbanceText {
  let tally: DisturbanceTally
  let launches: Int

  /// Such as `3 of 43 launches, 2 repeated (foreign-cpu 3, at worst 4.10 ms of 0.2 ms)`; nil when
  /// there was none.
  var phrase: String? {
    guard tally.doubtful > 0 || tally.repeated > 0 else { return nil }
    let all = Quantity.count(launches, "launch", plural: "launches")
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
