package import LabModel

extension StagesSummary {
  /// The places that a symbol can be looked for.
  package var codePlaces: Set<CodePlace> {
    var places: Set<CodePlace> = []
    for stage in [launch] + others { stage.collectPlaces(into: &places) }
    return places
  }

  /// Gives code the names that were found for it; a place without one keeps its name.
  ///
  /// - Parameter symbols: Demangled symbols by ``codePlaces``.
  /// - Returns: The same stages with the symbols.
  package func naming(_ symbols: [CodePlace: String]) -> Self {
    guard !symbols.isEmpty else { return self }
    var named = self
    named.launch = launch.naming(symbols)
    named.others = others.map { $0.naming(symbols) }
    return named
  }
}

extension StageSummary {
  fileprivate func collectPlaces(into places: inout Set<CodePlace>) {
    if let place, place.offset != nil, place.symbol == nil { places.insert(place) }
    for child in children { child.collectPlaces(into: &places) }
  }

  fileprivate func naming(_ symbols: [CodePlace: String]) -> Self {
    var named = self
    if let place, let symbol = symbols[place] {
      named.place?.symbol = symbol
      if name == place.name { named.name = symbol }
    }
    named.children = children.map { $0.naming(symbols) }
    return named
  }
}
