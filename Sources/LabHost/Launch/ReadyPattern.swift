import LabPatterns

/// The regular expression of an output condition.
enum ReadyPattern {
  /// Checks that a pattern is a POSIX extended regular expression, and gives its steps.
  ///
  /// - Returns: The steps in the encoding of `spawner_match.c`.
  /// - Throws: ``HostError/launchRefused(_:)`` with the reason.
  static func encoded(_ pattern: String) throws(HostError) -> String {
    guard !pattern.utf8.contains(0) else { throw .launchRefused(.containsNUL(pattern)) }
    do throws(PatternError) {
      return try OutputPattern(pattern).encoded
    } catch {
      throw .launchRefused(.badPattern(pattern, reason: error.problem, remedy: error.remedy))
    }
  }
}
