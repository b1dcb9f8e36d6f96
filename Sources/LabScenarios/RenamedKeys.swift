/// Keys that were renamed so that a text with duplicate keys can be parsed to its end.
///
/// The parser stops at the first map with a duplicate key and tells only where the key stands
/// first. Replacing the first character there, by one of a range without meaning, lets it go on
/// with all places as they were.
struct RenamedKeys {
  private static let maximumCount = 20

  /// Each renamed key costs another parse, so a large text gets no second one.
  private static let maximumBytes = 1 << 16

  private static let firstStandIn: UInt32 = 0xE000

  private var originals: [Place: String] = [:]

  /// The key that was written at a place, if it was renamed.
  func original(at place: Place) -> String? { originals[place] }

  /// Renames the key at a place of a text.
  ///
  /// - Returns: The new text, or nil when the key is not found there, or when looking for more
  ///   would cost too much.
  mutating func rename(_ key: String, at place: Place, in text: String) -> String? {
    var scalars = text.unicodeScalars
    let standIn = Self.firstStandIn + UInt32(originals.count)
    guard text.utf8.count <= Self.maximumBytes, originals.count < Self.maximumCount,
      originals[place] == nil,
      let character = Unicode.Scalar(standIn), let first = key.unicodeScalars.first,
      var index = scalars.index(of: place)
    else { return nil }
    if scalars[index] == "\"" || scalars[index] == "'" { index = scalars.index(after: index) }
    guard index < scalars.endIndex, scalars[index] == first else { return nil }
    scalars.replaceSubrange(index...index, with: CollectionOfOne(character))
    originals[place] = key
    return String(scalars)
  }
}

extension String.UnicodeScalarView {
  /// The index of a place, if the text has it.
  func index(of place: Place) -> Index? {
    var index = startIndex
    for _ in 1..<Swift.max(1, place.line) {
      guard let end = self[index...].firstIndex(of: "\n") else { return nil }
      index = self.index(after: end)
    }
    guard let found = self.index(index, offsetBy: place.column - 1, limitedBy: endIndex),
      found < endIndex
    else { return nil }
    return found
  }
}
