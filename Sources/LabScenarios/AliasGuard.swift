/// Finds aliases in keys before the parser sees them.
///
/// An alias costs the parser nothing, except in a key: keys are hashed, and nested aliases make
/// that take exponential time. Neither has a use in a scenario, so the test may be coarse: any
/// alias beside any key that could hold one is refused.
enum AliasGuard {
  /// Returns where a key is, or may be, made with an alias.
  static func aliasInKey(of text: String) -> Place? {
    var place = Place(line: 1, column: 1)
    var previous: Unicode.Scalar = "\n"
    var hasAlias = false
    var isInAliasName = false
    var isKeyPossible = false
    var suspect: Place?
    for scalar in text.unicodeScalars {
      if previous == "*", startsName(scalar) { isInAliasName = true }
      if isInAliasName { hasAlias = true }
      if opensKey(scalar, after: previous) || (scalar == ":" && isKeyPossible) {
        suspect = suspect ?? place
      }
      isKeyPossible = mayEndKey(scalar, isInAliasName, wasPossible: isKeyPossible)
      if isInAliasName, !startsName(scalar) { isInAliasName = false }
      place = scalar == "\n" ? Place(line: place.line + 1, column: 1) : place.next
      previous = scalar == "*" && !isBoundary(previous) ? "x" : scalar
    }
    return hasAlias ? suspect : nil
  }

  /// Whether a `?` begins an explicit key.
  private static func opensKey(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
    scalar == "?" && isBoundary(previous)
  }

  /// Whether a colon after this character would end a key that is an alias, a list or a map.
  private static func mayEndKey(
    _ scalar: Unicode.Scalar,
    _ isInAliasName: Bool,
    wasPossible: Bool
  ) -> Bool {
    switch scalar {
    case "]", "}": true
    case " ", "\t": wasPossible
    default: isInAliasName && startsName(scalar)
    }
  }

  private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || scalar == "_" || scalar == "-"
  }

  private static func isBoundary(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || "[{,:-?".unicodeScalars.contains(scalar)
  }
}

extension Place {
  /// The place one column further.
  fileprivate var next: Self { Self(line: line, column: column + 1) }
}
