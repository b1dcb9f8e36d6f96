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
