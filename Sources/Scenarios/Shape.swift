/// What a value must look like; findings, the JSON Schema and the reference follow it.
indirect enum Shape: Sendable {
  /// The phrase says with an article what is asked for.
  case scalar(phrase: String, SchemaValue)

  /// A list with at least one element.
  case list(of: Shape)

  /// A map with fixed keys.
  case map([Key])

  /// A map with exactly one of the keys.
  case oneOf([Key])

  /// A map with keys of the user's own, at least one, which match the pattern.
  case named(pattern: String, Shape)

  /// At most one scalar, one list and one map to choose from.
  case choice([Shape])
}

/// A key of a scenario file.
struct Key: Sendable {
  var name: String

  /// One sentence or more for people, with the default where there is one.
  var summary: String

  var shape: Shape
  var isRequired: Bool
}

extension Shape {
  /// What is asked for, as a phrase with an article.
  var phrase: String {
    switch self {
    case .scalar(let phrase, _): phrase
    case .list(of: .scalar("a text", _)): "a list of texts"
    case .list(of: .scalar("a path", _)): "a list of paths"
    case .list: "a list"
    case .map(let keys): "a map with the keys \(keys.map(\.name).joined(separator: ", "))"
    case .oneOf(let keys): "a map with one of the keys \(keys.map(\.name).joined(separator: ", "))"
    case .named: "a map whose keys are names of your own"
    case .choice(let shapes): shapes.map(\.phrase).joined(separator: ", or ")
    }
  }

  /// The kind of value that is asked for, as a phrase with an article.
  var kind: String {
    switch self {
    case .scalar(let phrase, _): phrase
    case .list: "a list"
    case .map, .oneOf, .named: "a map"
    case .choice(let shapes): shapes.map(\.kind).joined(separator: " or ")
    }
  }

  /// Whether a value is of the kind, scalar or list or map, that the shape asks for.
  func admitsKind(of value: Value) -> Bool {
    switch (self, value.content) {
    case (.scalar, .scalar), (.list, .list), (.map, .map), (.oneOf, .map), (.named, .map): true
    case (.choice(let shapes), _): shapes.contains { $0.admitsKind(of: value) }
    default: false
    }
  }
}

// MARK: - Values

/// A line and a column of a scenario file, both from 1; columns count Unicode scalars.
struct Place: Hashable, Comparable {
  var line: Int
  var column: Int

  static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// One value of a scenario file and where it stands.
///
/// Scalars keep the text they were written with: `on`, `010` and `22:22` mean nothing but
/// themselves until a key says what it wants.
struct Value {
  var place: Place
  var content: Content

  enum Content {
    /// `isPlain` is false for a text in quotes or in block form.
    case scalar(String, isPlain: Bool)
    case list([Value])
    case map([Entry])
  }

  struct Entry {
    var key: String
    var place: Place
    var value: Value
  }

  /// The text of a scalar.
  var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return text
  }

  /// The elements of a list; none for anything else.
  var elements: [Value] {
    guard case .list(let elements) = content else { return [] }
    return elements
  }

  /// The entries of a map in the order they were written; none for anything else.
  var entries: [Entry] {
    guard case .map(let entries) = content else { return [] }
    return entries
  }

  /// The value of a key of a map.
  subscript(key: String) -> Value? { entries.first { $0.key == key }?.value }

  /// Whether nothing was written, or one of the words that YAML takes for nothing.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// What the value is, as a phrase for people.
  var phrase: String {
    switch content {
    case .scalar(let text, _): isNull ? "nothing" : quoted(text)
    case .list: "a list"
    case .map: "a map"
    }
  }
}

/// A text of the user in quotes, on one line and not longer than a line.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(60).map { scalar in
    scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : "\(scalar)"
  }
  return "\"\(shown.joined())\(text.unicodeScalars.count > 60 ? "…" : "")\""
}
