package import LabAnalysis

extension BisectSummary {
  /// The answer in one sentence without a full stop.
  package var headline: String { BisectSentence(self).answer.plain }

  /// The command that goes on with more than was allowed, or after an interruption; nil where the
  /// search has come to its end.
  package var resumption: String? {
    let commands = BisectCommands(self)
    let words = isInterrupted ? commands.resumption() : commands.prolongation
    return words.map { ShellQuoting.text($0).printable }
  }

  /// The limit that has ended the search, for a culprit or for others beside it.
  var limitReached: BisectObstacle? {
    let obstacle: BisectObstacle?
    switch answer.outcome {
    case .inconclusive(let reason): obstacle = reason
    case .found: obstacle = answer.unsearched.lazy.compactMap(\.limit).first
    case .refused(.notEstablished): return answer.launchesToGoOn == nil ? nil : .launchesSpent
    case .refused, .failed: obstacle = nil
    }
    return [.launchesSpent, .buildsSpent, .timeSpent].contains(obstacle) ? obstacle : nil
  }
}
