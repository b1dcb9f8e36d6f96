import LaunchCore

/// What a value looks like, and how it is read: checked and made into what it stands for in one go.
struct Form<Output>: Sendable {
  let shape: Shape

  /// Reads a value, and reports everything that does not fit; nil when it stands for nothing.
  ///
  /// The text is what the value is called in a finding, such as `"targets"`.
  let read: @Sendable (Value, String, inout Reading) -> Output?

  private init(
    as shape: Shape,
    _ read: @escaping @Sendable (Value, String, inout Reading) -> Output?
  ) {
    self.shape = shape
    self.read = read
  }

  /// Reads values of the kind, scalar or list or map, that the shape asks for, and reports others.
  private init(
    _ shape: Shape,
    _ read: @escaping @Sendable (Value, String, inout Reading) -> Output?
  ) {
    self.init(as: shape) { value, name, reading in
      guard !value.isNull else {
        reading.report(
          "empty-value",
          "\(name) has no value",
          at: value.place,
          remedy: "give \(shape.phrase), or remove the key"
        )
        return nil
      }
      guard shape.admitsKind(of: value) else {
        reading.reportKind(of: value, named: name, shape)
        return nil
      }
      return read(value, name, &reading)
    }
  }

  /// Reads a value; throws all findings if there is any, also an earlier one.
  func output(of value: Value, _ name: String, _ reading: Reading) throws(ScenarioError) -> Output {
    var reading = reading
    let output = read(value, name, &reading)
    guard let output, reading.findings.isEmpty else {
      throw .invalid(reading.findings.diagnostics)
    }
    return output
  }

  /// The form whose values are made into something else, or reported when that cannot be done.
  func then<New>(
    _ next: @escaping @Sendable (Output, Value, inout Reading) -> New?
  ) -> Form<New> {
    Form<New>(as: shape) { value, name, reading in
      read(value, name, &reading).flatMap { next($0, value, &reading) }
    }
  }

  /// The form whose values stand for something else, or for nothing.
  func map<New>(_ transform: @escaping @Sendable (Output) -> New?) -> Form<New> {
    then { output, _, _ in transform(output) }
  }

  /// Reports values that are wrong, and keeps them; `{}` in the problem is the value as written.
  func refusing(
    _ problem: String,
    remedy: String,
    id: String = "invalid-value",
    when isWrong: @escaping @Sendable (Output) -> Bool
  ) -> Self {
    refusing(problem, remedy: remedy, id: id, at: nil) { output, _, _ in isWrong(output) }
  }

  /// Reports values that contradict others, and keeps them.
  ///
  /// The finding is at the value of a key, which `{}` shows, if the map has it; nil means at the map.
  func refusing(
    _ problem: String,
    remedy: String,
    id: String = "contradiction",
    at key: String?,
    when isWrong: @escaping @Sendable (Output, Value, Reading) -> Bool
  ) -> Self {
    then { output, value, reading in
      let found: Value? = if let key { value[key] } else { value }
      if let found, isWrong(output, value, reading) {
        let problem = problem.replacing("{}", with: found.phrase)
        reading.report(id, problem, at: found.place, remedy: remedy)
      }
      return output
    }
  }
}

// MARK: - Scalars

extension Form {
  /// A scalar, of which the phrase says what is asked for.
  static func scalar(
    _ phrase: String,
    _ schema: SchemaValue,
    _ parse: @escaping @Sendable (String) throws(FormProblem) -> Output
  ) -> Self {
    scalar(phrase, schema) { text, _ throws(FormProblem) in try parse(text) }
  }

  /// A scalar that may not be a text in quotes; the flag says that it is plain.
  static func scalar(
    _ phrase: String,
    _ schema: SchemaValue,
    _ parse: @escaping @Sendable (String, Bool) throws(FormProblem) -> Output
  ) -> Self {
    Self(.scalar(phrase: phrase, schema)) { value, _, reading in
      guard case .scalar(let text, let isPlain) = value.content else { return nil }
      return reading.attempt(at: value.place) { () throws(FormProblem) in
        try parse(text, isPlain)
      }
    }
  }

  /// A scalar that can have one problem only, in which `{}` is the text.
  static func scalar(
    _ phrase: String,
    _ schema: SchemaValue,
    else problem: String,
    remedy: String,
    _ parse: @escaping @Sendable (String) -> Output?
  ) -> Self {
    scalar(phrase, schema) { text throws(FormProblem) in
      if let output = parse(text) { return output }
      throw FormProblem(problem: problem.replacing("{}", with: quoted(text)), remedy: remedy)
    }
  }
}

// MARK: - Lists and choices

extension Form {
  /// A list with at least one element; what stands for nothing is left out.
  ///
  /// `twice` says what an element is called that is among the earlier ones already, and nil for any
  /// other; it is reported with the id.
  static func list<Element>(
    of element: Form<Element>,
    id: String = "contradiction",
    twice: @escaping @Sendable (Element, [Element]) -> String? = { _, _ in nil }
  ) -> Self where Output == [Element] {
    Self(.list(of: element.shape)) { value, name, reading in
      if value.elements.isEmpty {
        reading.reportEmpty("\(name) is an empty list", at: value.place, "one element")
      }
      var elements: [Element] = []
      for item in value.elements {
        guard let read = element.read(item, "an element of \(name)", &reading) else { continue }
        if let what = twice(read, elements) {
          reading.reportTwice(what, at: item.place, id: id)
        } else {
          elements.append(read)
        }
      }
      return elements
    }
  }

  /// A list of words or texts, each at most once; the noun is what one of them is called.
  static func list<Element: Equatable & SendableMetatype>(
    of element: Form<Element>,
    each noun: String,
    id: String = "contradiction"
  ) -> Self where Output == [Element] {
    list(of: element, id: id) { new, earlier in
      guard earlier.contains(new) else { return nil }
      return "\(noun) \(quoted((new as? any RawRepresentable<String>)?.rawValue ?? "\(new)"))"
    }
  }

  /// At most one scalar, one list and one map to choose from.
  static func choice(_ forms: [Self]) -> Self {
    let shape = Shape.choice(forms.map(\.shape))
    return Self(as: shape) { value, name, reading in
      guard let fitting = forms.first(where: { $0.shape.admitsKind(of: value) }) else {
        reading.reportKind(of: value, named: name, shape)
        return nil
      }
      return fitting.read(value, name, &reading)
    }
  }
}

// MARK: - Maps

/// A key of a map: what is said of it, what its value looks like, and what becomes of that.
struct Field<Root>: Sendable {
  let key: Key
  let read: @Sendable (Value, inout Root, inout Reading) -> Void

  /// The summary is one sentence or more for people, with the default where there is one.
  init<Output>(
    _ name: String,
    _ form: Form<Output>,
    isRequired: Bool = false,
    summary: String,
    set: @escaping @Sendable (inout Root, Output) -> Void
  ) {
    key = Key(name: name, summary: summary, shape: form.shape, isRequired: isRequired)
    read = { value, root, reading in
      if let output = form.read(value, "\"\(name)\"", &reading) { set(&root, output) }
    }
  }

  init<Output>(
    _ name: String,
    _ form: Form<Output>,
    _ property: any WritableKeyPath<Root, Output> & Sendable,
    isRequired: Bool = false,
    summary: () -> String
  ) {
    self.init(name, form, isRequired: isRequired, summary: summary()) {
      $0[keyPath: property] = $1
    }
  }

  init<Output>(
    _ name: String,
    _ form: Form<Output>,
    _ property: any WritableKeyPath<Root, Output?> & Sendable,
    isRequired: Bool = false,
    summary: () -> String
  ) {
    self.init(name, form, isRequired: isRequired, summary: summary()) {
      $0[keyPath: property] = $1
    }
  }

  /// A key whose value is all there is.
  init<Output>(_ name: String, _ form: Form<Output>, summary: () -> String) where Root == Output? {
    self.init(name, form, summary: summary()) { $0 = $1 }
  }
}

extension Form {
  /// A map with fixed keys, whose values change what is there without them.
  ///
  /// The fields are read in their order, but for those whose names come first.
  static func section(
    _ fields: [Field<Output>],
    of start: @autoclosure @escaping @Sendable () -> Output,
    first: [String] = []
  ) -> Self {
    let ordered =
      fields.filter { first.contains($0.key.name) } + fields.filter { !first.contains($0.key.name) }
    return Self(.map(fields.map(\.key))) { value, name, reading in
      var output = start()
      reading.read(value, named: name, ordered, into: &output, among: fields.map(\.key))
      return output
    }
  }

  /// Reports a section without keys, or with only one that means nothing alone.
  func refusingEmpty(_ problem: String, besides other: String? = nil) -> Self {
    guard case .map(let keys) = shape else { return self }
    let names = keys.map(\.name).filter { $0 != other }
    return refusing(
      problem,
      remedy: "give at least one of \(names.joined(separator: ", "))",
      id: "empty-value",
      at: nil
    ) { _, value, _ in value.entries.allSatisfy { $0.key == other } }
  }

  /// A map with exactly one of the keys.
  static func oneOf(_ fields: [Field<Output?>]) -> Self {
    let keys = fields.map(\.key)
    return Self(.oneOf(keys)) { value, name, reading in
      var output: Output?
      reading.read(value, named: name, fields, into: &output, among: keys)
      guard value.entries.count != 1 else { return output }
      reading.report(
        "contradiction",
        "\(name) has \(value.entries.count) keys instead of one",
        at: value.entries.dropFirst().first?.place ?? value.place,
        remedy: "keep one of: \(keys.map(\.name).joined(separator: ", "))"
      )
      return output
    }
  }

  /// A map with keys of the user's own, at least one; what stands for nothing is left out.
  static func named<Element>(_ names: Form<String>, _ element: Form<Element>) -> Self
  where Output == [(entry: Value.Entry, value: Element)] {
    Self(.named(pattern: names.shape.pattern ?? ".", element.shape)) { value, name, reading in
      if value.entries.isEmpty {
        reading.reportEmpty("\(name) is an empty map", at: value.place, "one entry")
      }
      return value.entries.compactMap { entry in
        let key = Value(place: entry.place, content: .scalar(entry.key, isPlain: false))
        _ = names.read(key, name, &reading)
        return element.read(entry.value, quoted(entry.key), &reading).map { (entry, $0) }
      }
    }
  }
}

extension Reading {
  fileprivate mutating func read<Root>(
    _ value: Value,
    named name: String,
    _ fields: [Field<Root>],
    into root: inout Root,
    among keys: [Key]
  ) {
    let names = keys.map(\.name)
    for entry in value.entries where !names.contains(entry.key) {
      report(
        "unknown-key",
        "unknown key \(quoted(entry.key))",
        at: entry.place,
        remedy: entry.key == "<<"
          ? "write the keys out; merge keys (`<<`) are not supported"
          : spellingRemedy(for: entry.key, among: names)
      )
    }
    for field in fields {
      if let value = value[field.key.name] { field.read(value, &root, &self) }
    }
    // A key that is there but misspelt is told once.
    let meant = value.entries.compactMap { nearestWord(to: $0.key, in: names) }
    for key in keys where key.isRequired && !meant.contains(key.name) {
      report(
        "missing-key",
        "\(name) lacks the key \"\(key.name)\"",
        at: value.place,
        remedy: "add `\(key.name):` with \(key.shape.phrase)"
      )
    }
  }

  fileprivate mutating func reportEmpty(_ problem: String, at place: Place, _ least: String) {
    report("empty-value", problem, at: place, remedy: "give at least \(least), or remove the key")
  }

  fileprivate mutating func reportKind(of value: Value, named name: String, _ shape: Shape) {
    report(
      "wrong-type",
      "\(name) is \(value.phrase), not \(shape.kind)",
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
