import LabModel
import LabStatistics

extension [SeriesJudgement] {
  /// The same judgements, with what the false-discovery control makes of each judged series.
  ///
  /// The more series a scenario has, the more of them are beyond a limit by chance; the method of
  /// Benjamini and Hochberg keeps the expected share of false ones among all suspicions at 5 %.
  func controllingFalseDiscoveries() -> Self {
    let places = indices.filter { self[$0].isJudged && self[$0].suspicion != nil }
    let probabilities = places.map { self[$0].suspicion?.probability ?? 1 }
    let rate = DetectionLimits.falseDiscoveries
    let accepted = BenjaminiHochberg.accepted(probabilities, rate: rate)
    let limits = BenjaminiHochberg.limits(count: places.count, rate: rate)
    let taken = accepted.count { $0 }
    var controlled = self
    for (rank, place) in places.enumerated() {
      // The largest limit that is kept decides for all below it.
      let limit = limits[Swift.max(taken, 1) - 1]
      controlled[place].discovery = Criterion(
        id: CriterionID.falseDiscovery,
        text: "probability against the limit of the false-discovery control over all series",
        value: probabilities[rank],
        limit: limit,
        isMet: accepted[rank],
        n: places.count,
        unit: .probability
      )
    }
    return controlled
  }
}
