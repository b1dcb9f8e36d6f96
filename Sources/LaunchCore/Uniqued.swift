extension [String] {
  /// Each text once, in the order they first occur.
  package var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
