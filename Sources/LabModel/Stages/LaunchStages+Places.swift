/// The code that stages are about, and the names that are found for it later.
extension LaunchStages {
  /// The places that a symbol can be looked for: each once, in the order they occur.
  package var codePlaces: [CodePlace] {
    var seen: Set<CodePlace> = []
    var places: [CodePlace] = []
    visitStages { stage in
      guard let place = stage.place, place.offset != nil, place.symbol == nil else { return }
      if seen.insert(place).inserted { places.append(place) }
    }
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
    for index in others.indices {
      named.others[index].stages = others[index].stages.map { $0.naming(symbols) }
    }
    return named
  }

  private func visitStages(_ visit: (Stage) -> Void) {
    launch.visit(visit)
    for program in others {
      for stage in program.stages { stage.visit(visit) }
    }
  }
}

extension Stage {
  /// Calls a function with the stage and everything below it, parents first.
  package func visit(_ visit: (Stage) -> Void) {
    visit(self)
    for child in children { child.visit(visit) }
  }

  func naming(_ symbols: [CodePlace: String]) -> Self {
    var named = self
    if let place, let symbol = symbols[place] {
      named.place?.symbol = symbol
      if name == place.name { named.name = symbol }
    }
    named.children = children.map { $0.naming(symbols) }
    return named
  }
}

extension CodePlace {
  /// The symbol, or the file's name and the offset in it, such as `libfoo.so.1+0x1a2b`.
  ///
  /// A file as a whole is named by its path.
  package var name: String {
    if let symbol { return symbol }
    guard let offset else { return file }
    return "\(fileName)+0x\(String(offset, radix: 16))"
  }

  /// The last component of the path, or all of it where there is none.
  package var fileName: String {
    file.split(separator: "/").last.map(String.init) ?? file
  }
}
