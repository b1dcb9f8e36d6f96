import Foundation
import LabModel
import LabStore

/// Finds stored runs by what a person calls them.
struct StoredRuns {
  private let stores: [Store]

  /// - Parameter store: The SQLite file; nil means those of the working directory and right below.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store, and `StoreError`.
  init(store: String?) throws {
    stores = try StoreLocation.stores(store, from: FileManager.default.currentDirectoryPath)
  }

  /// Whether a text can only be the name of a run: `last`, `last~2`, or the beginning of an id, which
  /// is a date with at least four digits.
  static func isName(_ text: String) -> Bool { age(text) != nil || isBeginning(text) }

  /// Finds a run.
  ///
  /// - Parameter text: `last` for the newest, `last~N` for the one N before it, an id, or the
  ///   beginning of one.
  /// - Returns: The run, and the store that holds it.
  /// - Throws: ``WorkflowError`` when no run, or more than one, is meant; `StoreError`.
  func run(_ text: String) throws -> (store: Store, run: RunRecord) {
    var listed: [(store: Store, run: RunListing)] = []
    for store in stores {
      for run in try store.runs() { listed.append((store, run)) }
    }
    listed.sort { ($1.run.startedAt, $1.run.id) < ($0.run.startedAt, $0.run.id) }
    let found = try Self.chosen(text, among: listed)
    return (found.store, try found.store.run(found.run.id))
  }

  private static func chosen(
    _ text: String,
    among listed: [(store: Store, run: RunListing)]
  ) throws(WorkflowError) -> (store: Store, run: RunListing) {
    if let age = age(text) {
      let counted = listed.filter { $0.run.decision == nil }
      guard age < counted.count else { throw .unknownRun(text) }
      return counted[age]
    }
    let matches = listed.filter { $0.run.id.hasPrefix(text) }
    guard let first = matches.first else { throw .unknownRun(text) }
    if let exact = matches.first(where: { $0.run.id == text }) { return exact }
    guard matches.count == 1 else {
      throw .ambiguousRun(text, candidates: matches.map(\.run.id))
    }
    return first
  }

  /// How many runs are newer than the one that is meant; nil for other texts.
  private static func age(_ text: String) -> Int? {
    if text == "last" { return 0 }
    guard text.hasPrefix("last~") else { return nil }
    let digits = text.dropFirst(5)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }

  /// Whether a text is the beginning of an id such as `20261121T043000Z-3fa2`.
  private static func isBeginning(_ text: String) -> Bool {
    let shape = Array("00000000T000000Z-ffff")
    guard (4...shape.count).contains(text.count) else { return false }
    return zip(text, shape).allSatisfy { character, kind in
      switch kind {
      case "0": character.isASCII && character.isNumber
      case "f": character.isASCII && character.isHexDigit && !character.isUppercase
      default: character == kind
      }
    }
  }
}
