/// What a value must look like; the validator, the JSON Schema and the reference follow it.
indirect enum Shape: Sendable {
  case scalar(ScalarForm)

  /// A list with at least one element.
  case list(of: Shape)

  /// A map with fixed keys.
  case map([Key])

  /// A map with exactly one of the keys.
  case oneOf([Key])

  /// A map with keys of the user's own, at least one.
  case named(ScalarForm, Shape)

  /// At most one scalar, one list and one map to choose from.
  case choice([Shape])

  case anything
}

/// A key of a scenario file.
struct Key: Sendable {
  var name: String

  /// One sentence or more for people, with the default where there is one.
  var summary: String

  var shape: Shape
  var isRequired: Bool

  init(_ name: String, _ shape: Shape, isRequired: Bool = false, _ summary: String) {
    self.name = name
    self.summary = summary
    self.shape = shape
    self.isRequired = isRequired
  }
}

extension Shape {
  /// What is asked for, as a phrase with an article.
  var phrase: String {
    switch self {
    case .scalar(let form): form.phrase
    case .list(of: .scalar(.text)): "a list of texts"
    case .list(of: .scalar(.path)): "a list of paths"
    case .list: "a list"
    case .map(let keys): "a map with the keys \(keys.map(\.name).joined(separator: ", "))"
    case .oneOf(let keys): "a map with one of the keys \(keys.map(\.name).joined(separator: ", "))"
    case .named(_, _): "a map with names of your own"
    case .choice(let shapes): shapes.map(\.phrase).joined(separator: ", or ")
    case .anything: "anything"
    }
  }

  /// Whether a value is of the kind, scalar or list or map, that the shape asks for.
  func admitsKind(of value: Value) -> Bool {
    switch (self, value.content) {
    case (.scalar, .scalar), (.list, .list), (.map, .map), (.oneOf, .map), (.named, .map): true
    case (.choice(let shapes), _): shapes.contains { $0.admitsKind(of: value) }
    case (.anything, _): true
    default: false
    }
  }
}

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
