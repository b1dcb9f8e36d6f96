/// A text for people that Markdown and a terminal show each in its own way.
///
/// The literal parts are written as Markdown; what is put into them is shown as it is, whatever it
/// holds.
package struct Phrase: ExpressibleByStringInterpolation, Hashable, Sendable {
  private var pieces: [Piece]

  fileprivate enum Piece: Hashable, Sendable {
    case literal(String)
    case text(String)
    case code(String)
    case strong(String)
    case link(code: String, url: String)
  }

  package init(stringLiteral value: String) { pieces = [.literal(value)] }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// The phrases one after the other.
  package init(_ phrases: [Phrase], separator: String) {
    pieces = phrases.enumerated().flatMap { number, phrase in
      (number == 0 ? [] : [.literal(separator)]) + phrase.pieces
    }
  }

  package var markdown: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .text(let text): MarkdownTable.escaped(text)
      case .code(let text): Self.code(text)
      case .strong(let text): "**\(MarkdownTable.escaped(text))**"
      case .link(let text, let url): "[\(Self.code(text))](\(url))"
      }
    }.joined()
  }

  /// The text for a terminal.
  package var plain: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .text(let text), .strong(let text): text.printable
      case .code(let text), .link(let text, _): "`\(text.printable)`"
      }
    }.joined()
  }

  /// A code span that no backquote inside it can end, and that a table cell can hold.
  package static func code(_ text: String) -> String {
    let printable = text.printable.replacing("|", with: "\\|")
    guard printable.contains("`") || printable.isEmpty else { return "`\(printable)`" }
    let longest = printable.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    return "\(fence) \(printable) \(fence)"
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { pieces.append(.literal(literal)) }

    package mutating func appendInterpolation(_ text: String) { pieces.append(.text(text)) }

    package mutating func appendInterpolation(_ number: Int) {
      pieces.append(.text(String(number)))
    }

    package mutating func appendInterpolation(_ phrase: Phrase) { pieces += phrase.pieces }

    /// Text that cannot hold anything of a user, and is not escaped, such as a number.
    package mutating func appendInterpolation(raw text: String) { pieces.append(.literal(text)) }

    package mutating func appendInterpolation(code text: String) { pieces.append(.code(text)) }

    /// Text that links to where a URL leads, if there is one.
    package mutating func appendInterpolation(code text: String, url: String?) {
      pieces.append(url.map { .link(code: text, url: $0) } ?? .code(text))
    }

    package mutating func appendInterpolation(strong text: String) { pieces.append(.strong(text)) }
  }
}
