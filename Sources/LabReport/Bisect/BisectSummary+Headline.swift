package import LabAnalysis

extension BisectSummary {
  /// The answer in one sentence without a full stop.
  package var headline: String { BisectSentence(self).answer.plain }
}
