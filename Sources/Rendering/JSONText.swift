package import LaunchCore

/// Turns JSON values into text, piece by piece, so that a large one is never held as text.
package struct JSONText {
  /// How a value is laid out.
  package enum Layout {
    /// Everything on one line.
    case line

    /// One member or element per line, two spaces per level; arrays of integers on one line.
    case indented
  }

  private static let pieceSize = 64 * 1_024

  private let layout: Layout

  /// Writes a value and a line feed in pieces of about 64 KiB.
  ///
  /// - Throws: What `sink` throws.
  package static func write(
    _ value: JSONValue,
    _ layout: Layout,
    to sink: (String) throws -> Void
  ) rethrows {
    var buffer = ""
    try Self(layout: layout).append(value, 0, to: &buffer) { buffer in
      guard buffer.utf8.count > pieceSize else { return }
      try sink(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    try sink(buffer + "\n")
  }

  /// The text of a value on one line, with a line feed.
  package static func line(_ value: JSONValue) -> String {
    var text = ""
    Self(layout: .line).append(value, 0, to: &text) { _ in }
    return text + "\n"
  }

  private func append(
    _ value: JSONValue,
    _ level: Int,
    to text: inout String,
    flush: (inout String) throws -> Void
  ) rethrows {
    switch value {
    case .null: text += "null"
    case .bool(let bool): text += bool ? "true" : "false"
    case .integer(let number): text += String(number)
    case .unsigned(let number): text += String(number)
    case .number(let number): text += Self.text(of: number)
    case .string(let string): Self.append(quoted: string, to: &text)
    case .document(let document):
      let lines = document.split(separator: "\n")
      text += lines.joined(separator: layout == .indented ? Self.newLine(level) : " ")
    case .integers(let numbers):
      try append(numbers, "[", "]", nil, to: &text, flush: flush) { number, text in
        text += String(number)
      }
    case .array(let elements):
      try append(elements, "[", "]", level, to: &text, flush: flush) { element, text in
        try append(element, level + 1, to: &text, flush: flush)
      }
    case .object(let members):
      try append(members, "{", "}", level, to: &text, flush: flush) { member, text in
        Self.append(quoted: member.name, to: &text)
        text += layout == .line ? ":" : ": "
        try append(member.value, level + 1, to: &text, flush: flush)
      }
    }
  }

  /// Writes items between brackets; on lines of their own if they have a level.
  private func append<Item>(
    _ items: [Item],
    _ opening: String,
    _ closing: String,
    _ level: Int?,
    to text: inout String,
    flush: (inout String) throws -> Void,
    item appendItem: (Item, inout String) throws -> Void
  ) rethrows {
    let lineLevel = layout == .indented && !items.isEmpty ? level : nil
    text += opening
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      if let lineLevel {
        text += Self.newLine(lineLevel + 1)
      } else if index > 0, layout == .indented {
        text += " "
      }
      try appendItem(item, &text)
      try flush(&text)
    }
    if let lineLevel { text += Self.newLine(lineLevel) }
    text += closing
  }

  private static func newLine(_ level: Int) -> String {
    "\n" + String(repeating: "  ", count: level)
  }

  /// The shortest text that reads back as the same number; whole numbers have no point.
  package static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    return Int64(exactly: number).map(String.init) ?? number.description
  }

  private static func append(quoted string: String, to text: inout String) {
    text += "\""
    var previous: Unicode.Scalar?
    for scalar in string.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // Two of them begin a command of CI systems, which JSON can write otherwise.
      case _ where scalar.isControl || scalar == "#" && previous == "#":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// A result that is written as one JSON value.
package protocol JSONDocument {
  /// The whole result.
  var value: JSONValue { get }

  /// How it is laid out; indented, unless the document says otherwise.
  var layout: JSONText.Layout { get }
}

extension JSONDocument {
  package var layout: JSONText.Layout { .indented }

  /// Writes the JSON text in pieces, so that a long one is never held as text.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    try JSONText.write(value, layout, to: sink)
  }

  /// The JSON text, with a line feed at its end.
  package func rendered() -> String {
    var text = ""
    write { text += $0 }
    return text
  }
}

/// A JSON text whose objects keep the order of their members.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)

  /// Written as null when it is not finite.
  case number(Double)
  case string(String)
  case array([JSONValue])

  /// Many integers, kept as compact as they come.
  case integers([Int64])
  case object([(name: String, value: JSONValue)])

  /// A JSON text that ``JSONText`` has written before, with or without its last line feed.
  case document(String)
}

// MARK: - Making values

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { (name: $0.0, value: $0.1) })
  }

  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  package init(stringLiteral value: String) { self = .string(value) }

  package init(nilLiteral: ()) { self = .null }

  package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  package init(_ number: Int64?) { self = number.map(JSONValue.integer) ?? .null }

  package init(_ number: Double?) { self = number.map(JSONValue.number) ?? .null }

  /// An object with its members in the order of their names.
  package init<Value>(_ members: [String: Value], _ value: (Value) -> JSONValue) {
    self = .object(
      members.sorted { $0.key < $1.key }.map { (name: $0.key, value: value($0.value)) }
    )
  }
}

extension JSONValue {
  package init(diagnostic: Diagnostic) {
    self = [
      "severity": .string(diagnostic.severity.rawValue),
      "id": .string(diagnostic.id),
      "problem": .string(diagnostic.problem),
      "place": JSONValue(diagnostic.place),
      "remedy": JSONValue(diagnostic.remedy),
    ]
  }
}
