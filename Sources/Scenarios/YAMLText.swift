import Foundation
import Yams

/// The text of a scenario file, and how it becomes a value whose size is bounded.
struct YAMLText {
  /// Limits that no honest scenario comes near; an expanded alias counts each time.
  static let maximumBytes = 1 << 20
  static let maximumNodes = 10_000
  static let maximumDepth = 32

  private let text: String
  private var renamed = RenamedKeys()
  private var nodes = 0

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
    } catch let problem as YAMLProblem {
      findings.report(problem.id, problem.problem, at: problem.place, remedy: problem.remedy)
    } catch let error as YamlError {
      let problem = YAMLProblem(error, in: text)
      findings.report(problem.id, problem.problem, at: problem.place, remedy: problem.remedy)
    } catch {
      findings.report(
        "yaml-syntax",
        "the file cannot be parsed: \(error)",
        at: Place(line: 1, column: 1),
        remedy: "check the file with another YAML tool"
      )
    }
    return nil
  }

  /// Parses the text; keys given twice are renamed one by one, until the parser takes it.
  private mutating func composed() throws -> Node? {
    var candidate = text
    while true {
      do {
        // The basic resolver leaves every plain scalar a text, and costs no pattern matching.
        return try Yams.compose(yaml: candidate, .basic)
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let place = Place(line: context.mark.line, column: context.mark.column)
        guard let key = keys.first, let next = renamed.rename(key, at: place, in: candidate) else {
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

  private mutating func value(
    of node: Node,
    depth: Int,
    reporting findings: inout Findings
  ) throws -> Value {
    let place = Place(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
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
      let place = Place(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
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
      let key = renamed.original(at: place) ?? scalar.string
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
    var previous: Unicode.Scalar = "\n"
    var hasAlias = false
    var isInAliasName = false
    var isKeyPossible = false
    var suspect: Place?
    for scalar in text.unicodeScalars {
      if previous == "*", startsName(scalar) { isInAliasName = true }
      if isInAliasName { hasAlias = true }
      if opensKey(scalar, after: previous) || (scalar == ":" && isKeyPossible) {
        suspect = suspect ?? place
      }
      isKeyPossible = mayEndKey(scalar, isInAliasName, wasPossible: isKeyPossible)
      if isInAliasName, !startsName(scalar) { isInAliasName = false }
      place = scalar == "\n" ? Place(line: place.line + 1, column: 1) : place.next
      previous = scalar == "*" && !isBoundary(previous) ? "x" : scalar
    }
    return hasAlias ? suspect : nil
  }

  /// Whether a `?` begins an explicit key.
  private static func opensKey(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
    scalar == "?" && isBoundary(previous)
  }

  /// Whether a colon after this character would end a key that is an alias, a list or a map.
  private static func mayEndKey(
    _ scalar: Unicode.Scalar,
    _ isInAliasName: Bool,
    wasPossible: Bool
  ) -> Bool {
    switch scalar {
    case "]", "}": true
    case " ", "\t": wasPossible
    default: isInAliasName && startsName(scalar)
    }
  }

  private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || scalar == "_" || scalar == "-"
  }

  private static func isBoundary(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || "[{,:-?".unicodeScalars.contains(scalar)
  }
}

extension Place {
  /// The place one column further.
  fileprivate var next: Self { Self(line: line, column: column + 1) }
}

/// Keys that were renamed so that a text with duplicate keys can be parsed to its end.
///
/// The parser stops at the first map with a duplicate key and tells only where the key stands
/// first. Replacing the first character there, by one of a range without meaning, lets it go on
/// with all places as they were.
struct RenamedKeys {
  private static let maximumCount = 20

  /// Each renamed key costs another parse, so a large text gets no second one.
  private static let maximumBytes = 1 << 16

  private static let firstStandIn: UInt32 = 0xE000

  private var originals: [Place: String] = [:]

  /// The key that was written at a place, if it was renamed.
  func original(at place: Place) -> String? { originals[place] }

  /// Renames the key at a place of a text.
  ///
  /// - Returns: The new text, or nil when the key is not found there, or when looking for more
  ///   would cost too much.
  mutating func rename(_ key: String, at place: Place, in text: String) -> String? {
    var scalars = text.unicodeScalars
    let standIn = Self.firstStandIn + UInt32(originals.count)
    guard text.utf8.count <= Self.maximumBytes, originals.count < Self.maximumCount,
      originals[place] == nil,
      let character = Unicode.Scalar(standIn), let first = key.unicodeScalars.first,
      var index = scalars.index(of: place)
    else { return nil }
    if scalars[index] == "\"" || scalars[index] == "'" { index = scalars.index(after: index) }
    guard index < scalars.endIndex, scalars[index] == first else { return nil }
    scalars.replaceSubrange(index...index, with: CollectionOfOne(character))
    originals[place] = key
    return String(scalars)
  }
}

extension String.UnicodeScalarView {
  /// The index of a place, if the text has it.
  func index(of place: Place) -> Index? {
    var index = startIndex
    for _ in 1..<Swift.max(1, place.line) {
      guard let end = self[index...].firstIndex(of: "\n") else { return nil }
      index = self.index(after: end)
    }
    guard let found = self.index(index, offsetBy: place.column - 1, limitedBy: endIndex),
      found < endIndex
    else { return nil }
    return found
  }
}
