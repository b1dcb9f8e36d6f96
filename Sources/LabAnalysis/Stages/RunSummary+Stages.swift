package import LabModel

extension RunSummary {
  /// The places of functions that stages are about.
  package var codePlaces: Set<CodePlace> {
    arms.flatMap(\.stages).reduce(into: []) { $0.formUnion($1.codePlaces) }
  }

  /// Gives the functions of every stage the names that were found for them.
  ///
  /// - Parameter symbols: Demangled symbols by ``codePlaces``.
  /// - Returns: The same result with the symbols.
  package func naming(_ symbols: [CodePlace: String]) -> Self {
    changingStages { $0.naming(symbols) }
  }

  /// The same result with the shortest parts of stages summed, since a run reports many arms.
  package func foldingStages() -> Self { changingStages { $0.folded() } }

  private func changingStages(_ change: (StagesSummary) -> StagesSummary) -> Self {
    var changed = self
    for index in arms.indices { changed.arms[index].stages = arms[index].stages.map(change) }
    return changed
  }
}
