/// A reason in a person's own words, as it is kept.
enum GivenReason {
  /// The longest reason, in characters.
  private static let mostCharacters = 500

  /// The reason on one line.
  ///
  /// - Parameters:
  ///   - reason: As it was given with `--reason`.
  ///   - subject: What the reason is for, as a phrase such as `why the run does not count`.
  /// - Returns: The words with single spaces between them.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for an empty or a long one.
  static func checked(_ reason: String, saying subject: String) throws(WorkflowError) -> String {
    let words = reason.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
    guard !words.isEmpty, words.count <= mostCharacters else {
      throw WorkflowError.badOption(
        name: "--reason",
        value: String(words.prefix(40)),
        expected: "\(subject), in at most \(mostCharacters) characters"
      )
    }
    return words
  }
}
