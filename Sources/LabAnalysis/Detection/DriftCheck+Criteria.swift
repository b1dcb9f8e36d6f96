import LabModel

extension DriftCheck {
  /// Everything that was looked at, in the order of the rule.
  func criteria(rule: RegressionRule, unit: Criterion.Unit) -> [Criterion] {
    let explained = ratio / unexplained
    let upper = 1 + rule.effect
    let low = low.map { $0 / explained }
    let high = high.map { $0 / explained }
    func level(_ id: String, _ text: String, _ value: Double, _ runs: [String]) -> Criterion {
      Criterion(
        id: id,
        text: text,
        value: value,
        isMet: false,
        n: runs.count,
        unit: unit,
        runs: runs
      )
    }
    func share(
      _ id: String,
      _ text: String,
      _ value: Double?,
      _ limit: Double? = nil,
      _ isMet: Bool = false
    ) -> Criterion {
      Criterion(
        id: id,
        text: text,
        value: value,
        limit: limit,
        isMet: isMet,
        n: nights.count + newest.count,
        unit: .ratio,
        runs: nights + newest
      )
    }
    return [
      level(CriterionID.driftThen, "median of the nights of \(against)", before, nights),
      level(CriterionID.driftNow, "median of the newest nights", now, newest),
      share(
        CriterionID.driftExplained,
        "product of the ratios of steps that have an alert",
        explained
      ),
      share(
        CriterionID.driftLow,
        "lower bound of now / then / explained",
        low,
        upper,
        (low ?? 0) > upper
      ),
      share(
        CriterionID.driftHigh,
        "upper bound of now / then / explained",
        high,
        1 / upper,
        (high ?? .infinity) < 1 / upper
      ),
    ]
  }
}
