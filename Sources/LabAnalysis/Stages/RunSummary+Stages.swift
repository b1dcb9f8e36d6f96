extension RunSummary {
  /// The same result with the shortest parts of stages summed, since a run reports many arms.
  package func foldingStages() -> Self {
    var folded = self
    for index in arms.indices { folded.arms[index].stages = arms[index].stages.map { $0.folded() } }
    return folded
  }
}
