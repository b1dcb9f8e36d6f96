import Foundation
import LaunchCore

/// The values of variables that are taken from files and from the environment, and never stored.
package struct SecretValues {
  /// By the name of the target, then by that of the variable.
  private var values: [String: [String: String]] = [:]

  /// No values, where nothing is launched.
  static let none = Self()

  private init() {}

  /// Reads the values for the targets of a plan.
  ///
  /// - Throws: ``HostError/secretMissing(variable:place:reason:)``.
  init(
    of targets: [Target],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(HostError) {
    for target in targets {
      for (name, source) in target.secrets ?? [:] {
        do throws(SecretSource.Problem) {
          values[target.name, default: [:]][name] = try Self.value(of: source, environment)
        } catch {
          throw .secretMissing(variable: name, place: source.place, reason: error.reason)
        }
      }
    }
  }

  /// The variables of a target.
  func variables(of target: Target) -> [String: String] { values[target.name] ?? [:] }

  /// What takes the values out of what targets print.
  var redactor: Redactor {
    let all = values.values.flatMap(\.values)
    return Redactor(all.filter { $0.unicodeScalars.count >= Self.fewestCharacters })
  }

  /// A shorter value is not taken out, since it may be part of any word.
  private static let fewestCharacters = 4

  private static func value(
    of source: SecretSource,
    _ environment: [String: String]
  ) throws(SecretSource.Problem) -> String {
    switch source {
    case .variable(let name):
      return try SecretSource.value(ofVariable: name, in: environment)
    case .file(let path):
      let content: Data
      do {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        content = try file.read(upToCount: SecretSource.limit + 3) ?? Data()
      } catch {
        throw SecretSource.Problem("the file cannot be read")
      }
      return try SecretSource.value(ofContent: Array(content))
    }
  }
}

extension SecretSource {
  /// The file, or what holds the variable.
  fileprivate var place: String {
    switch self {
    case .file(let path): path
    case .variable: "environment"
    }
  }
}

/// Takes secrets out of texts, in every encoding that programs print or send them in.
///
/// A secret is found as it is; percent-encoded, as in URLs and forms; as quoted-printable; with
/// escapes of JSON, of C and of XML; in hexadecimal; and in base64 of both alphabets, also inside
/// the encoding of a longer text, such as `user:secret`.
struct Redactor: Sendable {
  private let patterns: [SecretPattern]
  private let replacement: [UInt8]

  /// Whether a secret may begin with a byte, so that most bytes cost one look.
  private let begins: [Bool]

  /// - Parameters:
  ///   - secrets: The texts to take out; empty ones are passed over.
  ///   - replacement: What stands in place of each.
  init(_ secrets: [String], replacement: String = "***") {
    patterns = Set(secrets).filter { !$0.isEmpty }.flatMap(SecretPattern.patterns)
    self.replacement = Array(replacement.utf8)
    var begins = [Bool](repeating: false, count: 256)
    for byte in patterns.flatMap(\.firstBytes) { begins[Int(byte)] = true }
    self.begins = begins
  }

  /// Whether there is nothing to take out.
  var isEmpty: Bool { patterns.isEmpty }

  func redacted(_ text: String) -> String {
    isEmpty ? text : String(decoding: redacted(Array(text.utf8)), as: UTF8.self)
  }

  /// Takes the secrets out of a text, or of a piece of one.
  ///
  /// - Parameters:
  ///   - bytes: A text, or a piece of one.
  ///   - isCutBefore: Whether the piece may begin in the middle of a secret.
  ///   - isCutAfter: Whether the piece may end in the middle of a secret.
  /// - Returns: The bytes with the replacement in place of each secret.
  func redacted(
    _ bytes: [UInt8],
    isCutBefore: Bool = false,
    isCutAfter: Bool = false
  ) -> [UInt8] {
    guard !isEmpty else { return bytes }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var index = 0
    if isCutBefore, let end = patterns.compactMap({ $0.endOfRest(in: bytes) }).max() {
      text += replacement
      index = end
    }
    while index < bytes.count {
      let end =
        begins[Int(bytes[index])]
        ? patterns.compactMap { $0.end(in: bytes, from: index, isCut: isCutAfter) }.max() : nil
      if let end {
        text += replacement
        index = end
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    return text
  }
}

// MARK: - Results of launches

extension Redactor {
  /// Takes the secrets out of all that a target printed or said of itself.
  func redact(_ result: inout LaunchResult) {
    guard !isEmpty else { return }
    redact(&result.output.stdout)
    redact(&result.output.stderr)
    if case .notStarted(let reason) = result.outcome {
      result.outcome = .notStarted(reason: redacted(reason))
    }
    if let events = result.timeline?.events {
      result.timeline?.events = events.map(redacted)
    }
    result.windows = result.windows?.map { window in
      var window = window
      window.title = redacted(window.title)
      window.windowClass = redacted(window.windowClass)
      return window
    }
    guard var seen = result.observation else { return }
    seen.loaderText = redacted(seen.loaderText)
    seen.notes = seen.notes.map { redacted($0) }
    for index in seen.events.indices { seen.events[index].text = redacted(seen.events[index].text) }
    result.observation = seen
  }

  private func redacted(_ event: TimelineEvent) -> TimelineEvent {
    var event = event
    switch event.kind {
    case .enteredCall(var call):
      call.text = call.text.map { redacted($0) }
      event.kind = .enteredCall(call)
    case .executed(let path): event.kind = .executed(path: redacted(path))
    default: break
    }
    return event
  }

  private func redact(_ stream: inout CapturedStream) {
    let isCut = !stream.tail.isEmpty
    stream.head = redacted(stream.head, isCutAfter: isCut)
    stream.tail = redacted(stream.tail, isCutBefore: isCut)
  }
}
