package import LabModel

/// A run that ended before it is stored, with everything that is stored of it.
package struct FinishedRun: Sendable {
  package var run: RunRecord

  /// In launch order.
  package var launches: [LaunchRecord]

  package var summaries: [MetricRow]

  package init(run: RunRecord, launches: [LaunchRecord], summaries: [MetricRow]) {
    self.run = run
    self.launches = launches
    self.summaries = summaries
  }
}
