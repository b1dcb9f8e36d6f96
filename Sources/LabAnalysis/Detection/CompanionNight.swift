import LabModel

/// The night of the control or the floor, held against the nights that a judged series is held
/// against.
///
/// Its own newest nights would not do: after a machine change they lie on both sides of it
/// for weeks, and the control would seem to move with everything that happens in that time.
struct CompanionNight {
  let tonight: SeriesPoint

  /// The nights of the judged series' baseline that the control has a value of.
  let baseline: Baseline

  private let suspicion: Suspicion

  /// Nil when either has no value tonight, or the two have fewer than 5 nights of the baseline in
  /// common.
  ///
  /// - Parameters:
  ///   - chain: That of the control or the floor.
  ///   - judgement: The series that it stands beside.
  init?(_ chain: SeriesChain, beside judgement: SeriesJudgement) {
    guard chain.isTonight, let tonight = chain.points.last, let other = judgement.baseline else {
      return nil
    }
    let runs = Set(other.runs)
    let part = chain.points[chain.partStart...]
    guard let baseline = Baseline(part.filter { runs.contains($0.run) }) else { return nil }
    let earliest = judgement.chain.points[judgement.start].startedAt
    self.tonight = tonight
    self.baseline = baseline
    suspicion = Suspicion(
      chain,
      at: chain.points.count - 1,
      from: part.firstIndex { $0.startedAt >= earliest } ?? chain.points.count - 1,
      baseline: baseline,
      rule: judgement.rule
    )
  }

  /// Whether it is off this way tonight.
  func hasMoved(_ direction: Alert.Direction) -> Bool {
    suspicion.isCandidate && suspicion.direction == direction
  }
}
