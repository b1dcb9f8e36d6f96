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
