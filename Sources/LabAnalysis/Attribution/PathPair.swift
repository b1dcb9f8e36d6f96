/// A value before and after, of two sets of values that are told apart by their paths.
struct PathPair<Value> {
  let path: String

  /// Nil where that side has no such path.
  let before: Value?
  let after: Value?

  /// Pairs the values of both sides: the paths of `after` in order, then those that are gone.
  ///
  /// - Parameters:
  ///   - before: Values with their paths, of which each occurs once.
  ///   - after: The other side.
  /// - Returns: One pair per path.
  static func pairs(
    from before: [(path: String, value: Value)],
    to after: [(path: String, value: Value)]
  ) -> [Self] {
    let old = Dictionary(before.map { ($0.path, $0.value) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.path, $0.value) }) { first, _ in first }
    let gone = before.map(\.path).filter { new[$0] == nil }
    return (after.map(\.path) + gone).map { Self(path: $0, before: old[$0], after: new[$0]) }
  }
}
