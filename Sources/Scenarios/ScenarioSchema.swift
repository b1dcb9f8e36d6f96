import Foundation

/// Writes the JSON Schema of scenario files, which editors complete and check with.
package enum ScenarioSchema {
  /// Writes the schema, in the dialect of draft 2020-12, from the keys that the validator uses.
  ///
  /// It is as strict as a schema can be; contradictions and dangers are found by loading only.
  ///
  /// - Returns: JSON with sorted keys and a last line feed; the same in every call.
  package static func json() -> String {
    let schema = ScenarioKeys.scenario.shape.schema.adding([
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "launchlab scenario",
      "description": "Which programs launchlab launches, how cold, and how often.",
    ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding a tree of plain values into memory has no way to fail.
    let data = (try? encoder.encode(schema)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

extension Shape {
  var schema: SchemaValue {
    switch self {
    case .scalar(_, let schema): schema
    case .list(let element): ["type": "array", "minItems": 1, "items": element.schema]
    case .map(let keys): Self.object(keys)
    case .oneOf(let keys): Self.object(keys).adding(["minProperties": 1, "maxProperties": 1])
    case .named(let pattern, let shape):
      [
        "type": "object",
        "minProperties": 1,
        "propertyNames": .map(["pattern": .text(pattern)]),
        "additionalProperties": shape.schema,
      ]
    case .choice(let shapes): ["anyOf": .list(shapes.map(\.schema))]
    }
  }

  /// What a text of the shape matches, if it has a pattern.
  var pattern: String? {
    guard case .scalar(_, .map(let members)) = self, case .text(let pattern) = members["pattern"]
    else { return nil }
    return pattern
  }

  private static func object(_ keys: [Key]) -> SchemaValue {
    let properties = keys.map { key in
      (key.name, key.shape.schema.adding(["description": .text(key.summary)]))
    }
    let required = keys.filter(\.isRequired).map { SchemaValue.text($0.name) }
    let object: SchemaValue = [
      "type": "object",
      "properties": .map(Dictionary(properties) { first, _ in first }),
      "additionalProperties": false,
    ]
    return required.isEmpty ? object : object.adding(["required": .list(required)])
  }
}

/// A value of JSON.
enum SchemaValue: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
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
