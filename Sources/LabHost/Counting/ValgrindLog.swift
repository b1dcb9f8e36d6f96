/// What valgrind's tool `cachegrind` writes of one process.
///
/// Format: the lines `==PID== I   refs:      1,398,690` of valgrind 3.19 and `I refs:` of later ones,
/// which come when the process ends; cg_main.c, `fini`.
enum ValgrindLog {
  /// The instructions that a process executed in user mode.
  ///
  /// - Parameter text: The whole log of the process.
  /// - Returns: The last count of the log; nil when it has none, as of a process that was killed.
  static func instructions(in text: String) -> Int64? {
    text.split(whereSeparator: \.isNewline).reversed().lazy.compactMap(count).first
  }

  private static func count(in line: Substring) -> Int64? {
    let words = line.split(separator: " ")
    guard words.count == 4, words[0].hasPrefix("=="), words[1] == "I", words[2] == "refs:" else {
      return nil
    }
    return Int64(words[3].filter { $0 != "," })
  }
}
