/// A JSON text whose objects keep the order of their members.
enum JSONValue: Sendable {
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
}

// MARK: - Making values

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { (name: $0.0, value: $0.1) })
  }

  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  init(stringLiteral value: String) { self = .string(value) }

  init(nilLiteral: ()) { self = .null }

  init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }

  init(_ number: Int64?) { self = number.map(JSONValue.integer) ?? .null }

  init(_ number: Double?) { self = number.map(JSONValue.number) ?? .null }

  /// An object with its members in the order of their names.
  init<Value>(_ members: [String: Value], _ value: (Value) -> JSONValue) {
    self = .object(
      members.sorted { $0.key < $1.key }.map { (name: $0.key, value: value($0.value)) }
    )
  }
}
