import LabModel

/// Holds a value against a shape and reports everything that does not fit.
struct ShapeChecker {
  var findings: Findings

  /// Checks a value; `name` is what it is called in a finding, such as `key "targets"`.
  mutating func check(_ value: Value, against shape: Shape, name: String) {
    if case .choice(let shapes) = shape {
      guard let fitting = shapes.first(where: { $0.admitsKind(of: value) }) else {
        return reportKind(of: value, against: shape, name: name)
      }
      return check(value, against: fitting, name: name)
    }
    if case .anything = shape { return }
    guard !value.isNull else {
      return findings.report(
        "empty-value",
        "\(name) has no value",
        at: value.place,
        remedy: "give \(shape.phrase), or remove the key"
      )
    }
    guard shape.admitsKind(of: value) else {
      return reportKind(of: value, against: shape, name: name)
    }
    switch shape {
    case .scalar(let form): check(value, against: form)
    case .list(let element): checkList(value, of: element, name: name)
    case .map(let keys): checkMap(value, keys: keys, name: name)
    case .oneOf(let keys): checkOneOf(value, keys: keys, name: name)
    case .named(let form, let shape): checkNames(value, form, shape, name: name)
    case .choice, .anything: break
    }
  }

  private mutating func check(_ value: Value, against form: ScalarForm) {
    guard case .scalar(let text, let isPlain) = value.content else { return }
    do {
      try form.check(text, isPlain: isPlain)
    } catch {
      findings.report("invalid-value", error.problem, at: value.place, remedy: error.remedy)
    }
  }

  private mutating func checkList(_ value: Value, of element: Shape, name: String) {
    if value.elements.isEmpty {
      findings.report(
        "empty-value",
        "\(name) is an empty list",
        at: value.place,
        remedy: "give at least one element, or remove the key"
      )
    }
    for item in value.elements { check(item, against: element, name: "an element of \(name)") }
  }

  private mutating func checkMap(_ value: Value, keys: [Key], name: String) {
    for entry in value.entries {
      guard let key = keys.first(where: { $0.name == entry.key }) else {
        reportUnknown(entry, among: keys.map(\.name))
        continue
      }
      check(entry.value, against: key.shape, name: "\"\(key.name)\"")
    }
    let names = keys.map(\.name)
    // A key that is there but misspelt is told once.
    let meant = value.entries.compactMap { nearestWord(to: $0.key, in: names) }
    for key in keys where key.isRequired && !meant.contains(key.name) {
      findings.report(
        "missing-key",
        "\(name) lacks the key \"\(key.name)\"",
        at: value.place,
        remedy: "add `\(key.name):` with \(key.shape.phrase)"
      )
    }
  }

  private mutating func checkOneOf(_ value: Value, keys: [Key], name: String) {
    checkMap(value, keys: keys, name: name)
    guard value.entries.count != 1 else { return }
    findings.report(
      "contradiction",
      "\(name) has \(value.entries.count) keys instead of one",
      at: value.entries.dropFirst().first?.place ?? value.place,
      remedy: "keep one of: \(keys.map(\.name).joined(separator: ", "))"
    )
  }

  private mutating func checkNames(
    _ value: Value,
    _ form: ScalarForm,
    _ shape: Shape,
    name: String
  ) {
    if value.entries.isEmpty {
      findings.report(
        "empty-value",
        "\(name) is an empty map",
        at: value.place,
        remedy: "give at least one entry, or remove the key"
      )
    }
    for entry in value.entries {
      check(
        Value(place: entry.place, content: .scalar(entry.key, isPlain: true)),
        against: form
      )
      check(entry.value, against: shape, name: quoted(entry.key))
    }
  }

  private mutating func reportUnknown(_ entry: Value.Entry, among names: [String]) {
    findings.report(
      "unknown-key",
      "unknown key \(quoted(entry.key))",
      at: entry.place,
      remedy: entry.key == "<<"
        ? "repeat the keys, because merging is not done here"
        : spellingRemedy(for: entry.key, among: names)
    )
  }

  private mutating func reportKind(of value: Value, against shape: Shape, name: String) {
    findings.report(
      "wrong-type",
      "\(name) is \(value.phrase), not \(shape.phrase)",
      at: value.place,
      remedy: Self.remedy(for: value, shape)
    )
  }

  /// Shows the list form where one text was given for a list.
  private static func remedy(for value: Value, _ shape: Shape) -> String {
    guard case .list = shape, let text = value.text, !value.isNull else {
      return "give \(shape.phrase)"
    }
    let words = text.split(separator: " ").map { word in
      let isSafe = word.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || "/._-".contains(character))
      }
      return isSafe ? String(word) : "\"\(word)\""
    }
    return "write a list: [\(words.joined(separator: ", "))]"
  }
}

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
