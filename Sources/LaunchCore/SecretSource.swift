/// Where the value of a variable comes from that must not be stored.
package enum SecretSource: Hashable, Codable, Sendable {
  /// A file, by its absolute path; one line end at its end is no part of the value.
  case file(path: String)

  /// A variable of the environment that launchlab itself was started with.
  case variable(name: String)

  /// The most bytes of a value; the kernel takes no variable of more than 128 KiB.
  package static let limit = 64 * 1_024

  /// Why there is no value; a phrase such as `the file is empty`.
  package struct Problem: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
  }

  /// The value that the content of a file stands for.
  ///
  /// - Throws: A ``Problem`` for what cannot be the value of a variable.
  package static func value(ofContent content: [UInt8]) throws(Problem) -> String {
    var content = content[...]
    if content.last == UInt8(ascii: "\n") { content.removeLast() }
    if content.last == UInt8(ascii: "\r") { content.removeLast() }
    guard !content.isEmpty else { throw Problem("the file is empty") }
    guard content.count <= limit else { throw Problem("the file is larger than \(limit) bytes") }
    guard !content.contains(0) else { throw Problem("the file holds a NUL byte") }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Problem("the file is not UTF-8 text")
    }
    return text
  }

  /// The value of a variable of the environment.
  ///
  /// - Throws: A ``Problem`` when it is not set, or empty.
  package static func value(
    ofVariable name: String,
    in environment: [String: String]
  ) throws(Problem) -> String {
    guard let value = environment[name] else {
      throw Problem("the variable \(name) is not set")
    }
    guard !value.isEmpty else { throw Problem("the variable \(name) is empty") }
    guard value.utf8.count <= limit else {
      throw Problem("the variable \(name) is larger than \(limit) bytes")
    }
    return value
  }
}
