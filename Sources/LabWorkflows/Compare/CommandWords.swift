/// A command line as words, split as a POSIX shell would, but that nothing is expanded.
///
/// Blanks separate words. Single quotes keep everything, double quotes everything but a backslash
/// before `"`, `\`, `$`, a grave accent or a line feed, and a backslash elsewhere keeps the next
/// character. A dollar sign, a star or a tilde stands for itself.
package struct CommandWords: Hashable, Sendable {
  /// At least one word.
  package let words: [String]

  /// Splits a command line.
  ///
  /// - Throws: ``WorkflowError/badCommandLine(_:reason:remedy:)`` for no words, an open quote, and
  ///   characters that only a shell could obey, such as `|`.
  package init(_ text: String) throws(WorkflowError) {
    var splitter = Splitter(text: text)
    words = try splitter.words()
    guard !words.isEmpty else {
      throw .badCommandLine(
        text,
        reason: "it is empty",
        remedy: "give a program, such as \"ls -l\""
      )
    }
  }
}

/// Reads a command line from its beginning to its end.
private struct Splitter {
  let text: String

  private var rest: Substring
  private var found: [String] = []

  /// The word that is being read; nil between words, and empty after `''`.
  private var word: String?

  init(text: String) {
    self.text = text
    rest = text[...]
  }

  mutating func words() throws(WorkflowError) -> [String] {
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r\n": endWord()
      case "'": try readSingleQuoted()
      case "\"": try readDoubleQuoted()
      case "\\": try readEscaped()
      case "|", "&", ";", "<", ">": throw shellNeeded(character)
      default: word = (word ?? "") + String(character)
      }
    }
    endWord()
    return found
  }

  private mutating func endWord() {
    if let word { found.append(word) }
    word = nil
  }

  private mutating func readSingleQuoted() throws(WorkflowError) {
    guard let end = rest.firstIndex(of: "'") else { throw open("single") }
    word = (word ?? "") + rest[..<end]
    rest = rest[rest.index(after: end)...]
  }

  private mutating func readDoubleQuoted() throws(WorkflowError) {
    var quoted = word ?? ""
    while let character = rest.popFirst() {
      if character == "\"" {
        word = quoted
        return
      }
      guard character == "\\", let next = rest.first, "\"\\$`\n".contains(next) else {
        quoted.append(character)
        continue
      }
      rest.removeFirst()
      if next != "\n" { quoted.append(next) }
    }
    throw open("double")
  }

  private mutating func readEscaped() throws(WorkflowError) {
    guard let next = rest.popFirst() else {
      throw .badCommandLine(
        text,
        reason: "nothing follows the last backslash",
        remedy: "write \\\\ for a backslash"
      )
    }
    if next != "\n" { word = (word ?? "") + String(next) }
  }

  private func open(_ kind: String) -> WorkflowError {
    .badCommandLine(
      text,
      reason: "a \(kind) quote has no end",
      remedy: "close it, or write \\ before it"
    )
  }

  private func shellNeeded(_ character: Character) -> WorkflowError {
    .badCommandLine(
      text,
      reason: "there is no shell to interpret \(character)",
      remedy:
        "quote it to use it literally, or compare \"sh -c '…'\", with the shell's own "
        + "launch in it"
    )
  }
}
