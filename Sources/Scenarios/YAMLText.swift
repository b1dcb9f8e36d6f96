import Foundation
import Yams

/// The text of a scenario file, and how it becomes a value whose size is bounded.
struct YAMLText {
  /// Limits that no honest scenario comes near; an expanded alias counts each time.
  static let maximumBytes = 1 << 20
  static let maximumNodes = 10_000
  static let maximumDepth = 32

  /// Each renamed key costs another parse.
  private static let maximumRenamedKeys = 20
  private static let maximumRenamedBytes = 1 << 16

  private let text: String
  private var nodes = 0

  /// The keys that were renamed, by their places.
  private var originals: [Place: String] = [:]

  init(_ text: String) { self.text = text }

  /// Reads the one document of the text.
  ///
  /// - Returns: Nil when there is nothing to go on with; then there is at least one finding.
  mutating func value(reporting findings: inout Findings) -> Value? {
    if let place = AliasGuard.aliasInKey(of: text) {
      findings.report(
        "alias-in-key",
        "an alias stands in a key",
        at: place,
        remedy: "write the key out"
      )
      return nil
    }
    do {
      guard let root = try composed() else {
        findings.report(
          "empty-scenario",
          "the file is empty",
          at: Place(line: 1, column: 1),
          remedy: "write a first scenario with `launchlab init`"
        )
        return nil
      }
      return try value(of: root, depth: 1, reporting: &findings)
    } catch {
      let problem = YAMLProblem(error, in: text)
      findings.report(problem.id, problem.problem, at: problem.place, remedy: problem.remedy)
      return nil
    }
  }

  /// Parses the text to its end, although the parser stops at the first map with a duplicate key.
  ///
  /// Its error has the first place of that key. With the first character there replaced by one of a
  /// private range, the parser continues, and all places stay the same.
  private mutating func composed() throws -> Node? {
    var candidate = text
    while true {
      do {
        // The basic resolver leaves every plain scalar a text, and costs no pattern matching.
        return try Yams.compose(yaml: candidate, .basic)
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let place = Place(context.mark)
        guard let key = keys.first, let next = renamed(key, at: place, in: candidate) else {
          throw YAMLProblem(
            id: "duplicate-key",
            problem: "duplicate key \(quoted(keys.first ?? ""))",
            place: place,
            remedy: "keep one of them"
          )
        }
        candidate = next
      }
    }
  }

  /// Renames the key at a place; nil if it is not there, or the limits are reached.
  private mutating func renamed(_ key: String, at place: Place, in text: String) -> String? {
    guard text.utf8.count <= Self.maximumRenamedBytes, originals[place] == nil,
      originals.count < Self.maximumRenamedKeys,
      let standIn = Unicode.Scalar(0xE000 + UInt32(originals.count))
    else { return nil }
    var scalars = Array(text.unicodeScalars)
    let lines = scalars.split(
      separator: "\n",
      maxSplits: place.line - 1,
      omittingEmptySubsequences: false
    )
    guard lines.count == place.line, let line = lines.last else { return nil }
    var index = line.startIndex + place.column - 1
    if index < scalars.count, scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
    guard index < scalars.count, scalars[index] == key.unicodeScalars.first else { return nil }
    scalars[index] = standIn
    originals[place] = key
    return String(String.UnicodeScalarView(scalars))
  }

  private mutating func value(
    of node: Node,
    depth: Int,
    reporting findings: inout Findings
  ) throws -> Value {
    let place = Place(node.mark)
    nodes += 1
    guard nodes <= Self.maximumNodes else { throw YAMLProblem.tooLarge(at: place) }
    guard depth <= Self.maximumDepth else { throw YAMLProblem.tooDeep(at: place) }
    switch node {
    case .scalar(let scalar):
      check(scalar.tag, at: place, reporting: &findings)
      return Value(place: place, content: content(of: scalar, at: place, reporting: &findings))
    case .sequence(let sequence):
      check(sequence.tag, at: place, reporting: &findings)
      let elements = try sequence.map { try value(of: $0, depth: depth + 1, reporting: &findings) }
      return Value(place: place, content: .list(elements))
    case .mapping(let mapping):
      check(mapping.tag, at: place, reporting: &findings)
      let entries = try entries(of: mapping, depth: depth + 1, reporting: &findings)
      return Value(place: place, content: .map(entries))
    case .alias:
      throw YAMLProblem(
        id: "yaml-syntax",
        problem: "an alias cannot be followed",
        place: place,
        remedy: "write the value out"
      )
    }
  }

  private mutating func entries(
    of mapping: Node.Mapping,
    depth: Int,
    reporting findings: inout Findings
  ) throws -> [Value.Entry] {
    var entries: [Value.Entry] = []
    var earlier: [String: Place] = [:]
    for (node, content) in mapping {
      let place = Place(node.mark)
      guard case .scalar(let scalar) = node else {
        findings.report(
          "wrong-type",
          "a key is a list or a map",
          at: place,
          remedy: "write a word as the key"
        )
        continue
      }
      let value = try value(of: content, depth: depth, reporting: &findings)
      let key = originals[place] ?? scalar.string
      if let first = earlier[key] {
        findings.report(
          "duplicate-key",
          "duplicate key \(quoted(key)), first given in line \(first.line)",
          at: place,
          remedy: "keep one of them"
        )
        continue
      }
      earlier[key] = place
      entries.append(Value.Entry(key: key, place: place, value: value))
    }
    return entries
  }

  private func content(
    of scalar: Node.Scalar,
    at place: Place,
    reporting findings: inout Findings
  ) -> Value.Content {
    if scalar.string.unicodeScalars.contains("\0") {
      findings.report(
        "nul-character",
        "\(quoted(scalar.string)) contains a NUL character",
        at: place,
        remedy: "remove it, because no argument, variable or path can hold one"
      )
    }
    let isPlain = scalar.style == .plain && scalar.tag.rawValue.isEmpty
    return .scalar(scalar.string, isPlain: isPlain)
  }

  /// Refuses tags that ask for another meaning than the one every value has here.
  private func check(_ tag: Tag, at place: Place, reporting findings: inout Findings) {
    let known: [Tag.Name] = [.implicit, .str, .seq, .map]
    guard !known.map(\.rawValue).contains(tag.rawValue) else { return }
    let shown = tag.rawValue.replacing("tag:yaml.org,2002:", with: "!!")
    findings.report(
      "unknown-tag",
      "the tag \(quoted(shown)) is not understood here",
      at: place,
      remedy: "remove the tag"
    )
  }
}

/// Finds aliases in keys before the parser sees them.
///
/// An alias costs the parser nothing, except in a key: keys are hashed, and nested aliases make
/// that take exponential time. Neither has a use in a scenario, so the test may be coarse: any
/// alias beside any key that could hold one is refused.
enum AliasGuard {
  /// Returns where a key is, or may be, made with an alias.
  static func aliasInKey(of text: String) -> Place? {
    var place = Place(line: 1, column: 1)
    var suspect: Place?
    var (hasAlias, isInAlias, isAfterStar) = (false, false, false)
    // Whether a `?` would begin a key here, and a colon end one that is an alias, a list or a map.
    var (mayBeginKey, mayEndKey) = (true, false)
    for scalar in text.unicodeScalars {
      isInAlias = (isInAlias || isAfterStar) && isOfName(scalar)
      hasAlias = hasAlias || isInAlias
      if (scalar == "?" && mayBeginKey) || (scalar == ":" && mayEndKey) {
        suspect = suspect ?? place
      }
      if scalar != " ", scalar != "\t" { mayEndKey = isInAlias || scalar == "]" || scalar == "}" }
      isAfterStar = scalar == "*" && mayBeginKey
      mayBeginKey = scalar.properties.isWhitespace || "[{,:-?".unicodeScalars.contains(scalar)
      place.column += 1
      if scalar == "\n" { place = Place(line: place.line + 1, column: 1) }
    }
    return hasAlias ? suspect : nil
  }

  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || scalar == "_" || scalar == "-"
  }
}

/// A text in double quotes, with some characters escaped, that YAML reads back unchanged.
func quotedYAML(_ text: String, escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
  let escaped = text.unicodeScalars.map { scalar in
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    guard isEscaped(scalar) else { return "\(scalar)" }
    let digits = String(scalar.value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
  }
  return "\"\(escaped.joined())\""
}

extension Place {
  /// The place of a mark of the parser.
  init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}
