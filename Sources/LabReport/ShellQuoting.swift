import Foundation

/// Commands as a person would type them.
package enum ShellQuoting {
  /// The words of a command, quoted for a POSIX shell where they need it.
  package static func text(_ command: [String]) -> String {
    command.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let needsNone = !word.isEmpty && word.allSatisfy { $0.isASCII && isPlain($0) }
    return needsNone ? word : "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "-_./:=@%+,".contains(character)
  }
}
