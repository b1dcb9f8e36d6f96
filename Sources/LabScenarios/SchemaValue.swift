/// A value of JSON.
enum SchemaValue: Encodable, Equatable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case text(String)
  case number(Int)
  case boolean(Bool)
  case list([SchemaValue])
  case map([String: SchemaValue])

  init(stringLiteral value: String) { self = .text(value) }

  init(integerLiteral value: Int) { self = .number(value) }

  init(booleanLiteral value: Bool) { self = .boolean(value) }

  init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }

  init(dictionaryLiteral elements: (String, SchemaValue)...) {
    self = .map(Dictionary(elements) { first, _ in first })
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .boolean(let boolean): try container.encode(boolean)
    case .list(let elements): try container.encode(elements)
    case .map(let members): try container.encode(members)
    }
  }

  /// The map with some members added or replaced; anything else stays as it is.
  func adding(_ members: [String: SchemaValue]) -> Self {
    guard case .map(let own) = self else { return self }
    return .map(own.merging(members) { _, new in new })
  }
}
