import Glibc

/// The regular expression of an output condition.
package enum ReadyPattern {
  /// Checks that a pattern is a POSIX extended regular expression.
  ///
  /// - Throws: ``HostError/launchRefused(_:)`` with the reason of the C library.
  package static func validate(_ pattern: String) throws(HostError) {
    guard !pattern.utf8.contains(0) else { throw .launchRefused(.containsNUL(pattern)) }
    var expression = unsafe regex_t()
    let status = unsafe regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB)
    guard status == 0 else {
      var text = [CChar](repeating: 0, count: 256)
      _ = unsafe regerror(status, &expression, &text, text.count)
      let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let reason = String(decoding: bytes, as: UTF8.self).lowercased()
      throw .launchRefused(.badPattern(pattern, reason: reason))
    }
    unsafe regfree(&expression)
  }
}
