import Foundation

/// How text is shown: its colours and its width.
///
/// Whether stdout is a terminal, and how wide it is, is for the caller to find out.
package struct TextStyle: Hashable, Sendable {
  package var usesColor: Bool

  /// In columns.
  package var width: Int

  /// Whether drawings keep to ASCII, for terminals and fonts without block elements.
  package var isASCII: Bool

  package init(usesColor: Bool = false, width: Int = 100, isASCII: Bool = false) {
    self.usesColor = usesColor
    self.width = width
    self.isASCII = isASCII
  }

  /// What a piece of text is, as far as colour can tell.
  package enum Ink: String, CaseIterable {
    case bold = "1"
    case dim = "2"
    case failure = "31"
    case success = "32"
    case warning = "33"
    case note = "36"
    case boldFailure = "1;31"
    case boldWarning = "1;33"
  }

  /// What ``paint(_:_:)`` writes around a text.
  static let sequences: [String.UnicodeScalarView] =
    ([reset] + Ink.allCases.map(beginning)).map(\.unicodeScalars)

  private static let reset = "\u{1B}[0m"

  private static func beginning(_ ink: Ink) -> String { "\u{1B}[\(ink.rawValue)m" }

  package func paint(_ text: String, _ ink: Ink?) -> String {
    guard usesColor, let ink, !text.isEmpty else { return text }
    return "\(Self.beginning(ink))\(text)\(Self.reset)"
  }

  /// Breaks a text between words into lines that fit, the later ones indented.
  ///
  /// A word that is wider than a line stays whole, so that a path can be copied.
  package func wrapped(_ text: String, indent: Int = 0) -> [String] {
    var lines: [String] = []
    var line: String?
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      guard let begun = line else {
        line = String(word)
        continue
      }
      let longer = "\(begun) \(word)"
      if longer.displayWidth <= width {
        line = longer
      } else {
        lines.append(begun)
        line = String(repeating: " ", count: indent) + word
      }
    }
    return lines + [line ?? ""]
  }
}

extension String {
  /// How many columns a terminal gives to the text: two for wide characters, one for others.
  ///
  /// Source: the wide and full-width ranges of Unicode Standard Annex 11, joined where no narrow
  /// character lies between them.
  package var displayWidth: Int {
    reduce(0) { width, character in
      let isWide = character.unicodeScalars.contains { scalar in
        Self.wideScalars.contains { $0.contains(scalar.value) }
      }
      return width + (isWide ? 2 : 1)
    }
  }

  /// The text filled with spaces to a width in columns.
  package func padded(to width: Int, onLeft: Bool = false) -> String {
    let filling = String(repeating: " ", count: max(0, width - displayWidth))
    return onLeft ? filling + self : self + filling
  }

  /// The text without spaces at its end.
  package var trimmed: String {
    String(prefix(upTo: lastIndex { $0 != " " }.map(index(after:)) ?? startIndex))
  }

  /// The text cut to a width in columns, with an ellipsis where something was cut.
  package func truncated(to width: Int) -> String {
    guard displayWidth > width else { return self }
    var text = ""
    var used = 1
    for character in self {
      used += String(character).displayWidth
      if used > width { break }
      text.append(character)
    }
    return text + "…"
  }

  private static let wideScalars: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x26AA...0x26AB,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1FAFF,
    0x2_0000...0x3_FFFD,
  ]
}

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

extension TextStyle {
  /// A text that stands below a heading, wrapped and two columns further in.
  package func wrappedBelow(_ text: String, ink: Ink? = nil) -> [String] {
    var narrow = self
    narrow.width = width == .max ? .max : max(20, width - 2)
    return narrow.wrapped(text, indent: 2).map { "  " + paint($0, ink) }
  }
}
