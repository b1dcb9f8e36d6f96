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
  enum Ink: String, CaseIterable {
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

  func paint(_ text: String, _ ink: Ink?) -> String {
    guard usesColor, let ink, !text.isEmpty else { return text }
    return "\(Self.beginning(ink))\(text)\(Self.reset)"
  }

  /// Breaks a text between words into lines that fit, the later ones indented.
  ///
  /// A word that is wider than a line stays whole, so that a path can be copied.
  func wrapped(_ text: String, indent: Int = 0) -> [String] {
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
