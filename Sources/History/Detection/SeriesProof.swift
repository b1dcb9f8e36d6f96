import LaunchCore

/// What became of the proofs of one series.
struct SeriesProof {
  /// What the last one said that said anything.
  let answer: Answer

  /// The run of the night whose build was compared.
  let good: String?

  /// Whether one with a newer build of before found no difference.
  let isSecond: Bool

  /// Where nothing was asked for.
  static let none = SeriesProof(of: nil, kind: .step, in: [])

  enum Answer {
    case compared(Proof)
    case sameBuild
    case impossible(String)
    case none
  }

  init(of key: SeriesKey?, kind: Alert.Kind, in outcomes: [ProofOutcome]) {
    let own = outcomes.filter { outcome in
      outcome.request.kind == kind && key.map(outcome.request.series.contains) == true
    }
    let answers = own.map { Answer($0.answer, of: key) }
    let last = answers.indices.last { !answers[$0].isImpossible } ?? answers.indices.last
    answer = last.map { answers[$0] } ?? .none
    good = last.map { own[$0].request.good.run }
    isSecond = last.map { $0 > 0 } ?? false
  }

  var proof: Proof? {
    guard case .compared(let proof) = answer else { return nil }
    return proof
  }

  /// Whether it says that the code did not change this way.
  ///
  /// - Parameter direction: The way of the suspicion.
  /// - Returns: False also when it says nothing.
  func isNotCode(_ direction: Alert.Direction) -> Bool {
    switch answer {
    case .compared(let proof):
      proof.verdict != .inconclusive && proof.verdict != direction.verdict
    case .sameBuild: true
    case .impossible, .none: false
    }
  }

  /// Whether it finds a difference this way, though perhaps one that does not matter.
  ///
  /// - Parameters:
  ///   - direction: The way of the change.
  ///   - metric: What it is of.
  /// - Returns: False also when it says nothing.
  func isStillOff(_ direction: Alert.Direction, metric: Metric) -> Bool {
    guard let proof, let low = proof.low, let high = proof.high else { return false }
    return direction.sign(of: metric) > 0 ? low > 1 : high < 1
  }

  /// Everything that was looked at.
  func criteria(_ direction: Alert.Direction, metric: Metric) -> [Criterion] {
    switch answer {
    case .compared(let proof): proof.criteria(direction, metric: metric)
    case .sameBuild:
      [
        Criterion(
          id: CriterionID.sameBuild,
          text: "the last good build is the same as tonight's",
          value: 1,
          unit: .count
        )
      ]
    case .impossible(let reason):
      [
        Criterion(
          id: CriterionID.noProof,
          text: "no interleaved comparison: \(reason)",
          value: nil,
          unit: .ratio
        )
      ]
    case .none: []
    }
  }
}

extension SeriesProof.Answer {
  init(_ answer: ProofOutcome.Answer, of key: SeriesKey?) {
    switch answer {
    case .compared(let proofs):
      self =
        key.flatMap { proofs[$0] }.map { .compared($0) }
        ?? .impossible("the arm could not be compared")
    case .sameBuild: self = .sameBuild
    case .impossible(let reason): self = .impossible(reason)
    }
  }

  fileprivate var isImpossible: Bool {
    if case .impossible = self { true } else { false }
  }
}

extension Proof {
  /// The ratio and the two bounds of its interval, each with the limit that it is held against.
  func criteria(_ direction: Alert.Direction, metric: Metric) -> [Criterion] {
    let isLarger = direction.sign(of: metric) > 0
    let upper = 1 + effectLimit
    let limit = isLarger ? upper : 1 / upper
    return [
      Criterion(
        id: CriterionID.proofRatio,
        text: "\(bad) / \(good), launched interleaved: \(verdict.rawValue)",
        value: ratio,
        limit: limit,
        isMet: verdict == direction.verdict,
        n: pairs,
        unit: .ratio,
        runs: [run]
      ),
      Criterion(
        id: CriterionID.proofLow,
        text: "lower bound of its interval",
        value: low,
        limit: limit,
        isMet: (low ?? 0) > upper,
        n: pairs,
        unit: .ratio,
        runs: [run]
      ),
      Criterion(
        id: CriterionID.proofHigh,
        text: "upper bound of its interval",
        value: high,
        limit: limit,
        isMet: (high ?? .infinity) < 1 / upper,
        n: pairs,
        unit: .ratio,
        runs: [run]
      ),
    ]
  }
}
