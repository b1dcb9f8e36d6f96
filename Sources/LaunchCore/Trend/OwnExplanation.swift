// What an explanation of another host must be for it to be shown: what launchlab can have written itself.
//
// Its Markdown and its picture go into reports as they are. So nothing is looked for that does harm; what launchlab
// never writes is not taken, whatever it would do.

extension AlertExplanation {
  /// What of its Markdown launchlab does not write; nil where all of it can be its own.
  package var foreignPart: String? {
    if (markdown + section).hasForeignControls {
      return "an explanation has control characters"
    }
    return markdown.utf8.contains(OwnMarkdown.lineFeed) || !OwnMarkdown.isLine(markdown[...])
      || !OwnMarkdown.isSection(section)
      ? "an explanation has Markdown that launchlab does not write" : nil
  }
}

extension ExplanationDocuments {
  /// What of them launchlab does not write or draw; nil where all of it can be its own.
  package var foreignPart: String? {
    if flameGraph.hasForeignControls { return "a flame graph has control characters" }
    if json.hasForeignControls { return "an explanation has control characters" }
    var picture = OwnPicture(flameGraph)
    return picture.isWhole() ? nil : "a flame graph has parts that launchlab does not draw"
  }
}

extension String {
  fileprivate var hasForeignControls: Bool {
    unicodeScalars.contains { $0.isControl && $0 != "\n" && $0 != "\t" }
  }
}

// MARK: - Markdown

/// The Markdown of explanations: names are escaped or in code, and the only HTML folds how it was measured.
private enum OwnMarkdown {
  static let lineFeed = UInt8(ascii: "\n")
  private static let backquote = UInt8(ascii: "`")

  private static let fold: [Substring] = [
    "<details>", "<summary>How it was measured</summary>", "",
  ]

  static func isSection(_ text: String) -> Bool {
    let all = text.split(separator: "\n", omittingEmptySubsequences: false)
    var lines = all[...]
    var isFolded = false
    while let line = lines.first {
      if !isFolded, lines.starts(with: fold) {
        isFolded = true
        lines = lines.dropFirst(fold.count)
        continue
      }
      let isFirst = lines.startIndex == 0
      lines = lines.dropFirst()
      // Without an empty line after it, what follows would be HTML too.
      if isFolded, line == "</details>", lines.first?.isEmpty != false {
        isFolded = false
      } else if !isLine(line) || !isFirst && beginsBlock(line) {
        return false
      }
    }
    return !isFolded
  }

  /// Whether a line begins a heading, or code that goes on below it.
  private static func beginsBlock(_ line: Substring) -> Bool {
    let first = line.utf8.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return first == UInt8(ascii: "#") || first == UInt8(ascii: "~")
  }

  /// Whether a line has no tag, no link and no picture outside code, and ends all of its code.
  static func isLine(_ line: Substring) -> Bool {
    var rest = Array(line.utf8)[...]
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: "["): return false
      case UInt8(ascii: "\\"):
        rest = rest.dropFirst()
        // Ours are entities.
        if rest.first == UInt8(ascii: "<") { return false }
        rest = rest.dropFirst()
      case backquote:
        let fence = rest.prefix { $0 == backquote }.count
        rest = rest.dropFirst(fence)
        guard let length = lengthOfCode(rest, fence: fence), isInOneCell(rest.prefix(length)) else {
          return false
        }
        rest = rest.dropFirst(length + fence)
      default: rest = rest.dropFirst()
      }
    }
    return true
  }

  /// How long the code is that a text begins with; nil where as many backquotes do not follow on the line.
  private static func lengthOfCode(_ text: ArraySlice<UInt8>, fence: Int) -> Int? {
    var index = text.startIndex
    while let start = text[index...].firstIndex(of: backquote) {
      let end = text[start...].firstIndex { $0 != backquote } ?? text.endIndex
      if end - start == fence { return start - text.startIndex }
      index = end
    }
    return nil
  }

  /// Whether no cell of a table ends in the code, since the code would end there too.
  private static func isInOneCell(_ code: ArraySlice<UInt8>) -> Bool {
    code.indices.allSatisfy { index in
      code[index] != UInt8(ascii: "|")
        || index > code.startIndex && code[index - 1] == UInt8(ascii: "\\")
    }
  }
}

// MARK: - Pictures

/// Reads a flame graph strictly: elements, attributes and texts of the forms that launchlab draws with, all closed, and
/// nothing else.
private struct OwnPicture {
  private let bytes: [UInt8]
  private var position = 0

  /// The elements around the position, outermost first.
  private var open: [String] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  private static let elements: Set<String> = [
    "svg", "title", "style", "defs", "pattern", "line", "rect", "text",
  ]

  private static let attributes: Set<String> = [
    "xmlns", "viewBox", "width", "height", "role", "aria-labelledby", "id", "class", "fill",
    "x", "y", "x1", "y1", "x2", "y2", "patternUnits", "patternTransform",
  ]

  /// The values that are no plain words and numbers; no other one can name something outside.
  private static let values: Set<String> = [
    "http://www.w3.org/2000/svg", "url(#gone)", "rotate(45)",
  ]

  private static let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"]

  /// Whether the whole text is one such picture.
  mutating func isWhole() -> Bool {
    while isTag() {
      if open.isEmpty { return bytes[position...].allSatisfy { $0 == UInt8(ascii: "\n") } }
      guard isText() else { return false }
    }
    return false
  }

  /// Reads a tag.
  private mutating func isTag() -> Bool {
    guard take("<") else { return false }
    if take("/") {
      guard let name = open.popLast() else { return false }
      return take(name) && take(">")
    }
    let name = word()
    guard Self.elements.contains(name), !open.isEmpty || name == "svg",
      open.last != "style", open.last != "title"
    else { return false }
    while take(" ") {
      guard Self.attributes.contains(word()), take("=\""), let value = content(before: "\""),
        take("\""), Self.isValue(value)
      else { return false }
    }
    if take("/>") { return true }
    open.append(name)
    return take(">")
  }

  /// Reads what stands before the next tag.
  private mutating func isText() -> Bool {
    guard let text = content(before: "<") else { return false }
    return open.last == "style" ? Self.isStyle(text) : Self.isEscaped(text)
  }

  private static func isValue(_ text: ArraySlice<UInt8>) -> Bool {
    text.allSatisfy { isWordByte($0) || " .%".utf8.contains($0) }
      || values.contains(String(decoding: text, as: UTF8.self))
  }

  /// Whether nothing of a text is left to be read as XML.
  private static func isEscaped(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.allSatisfy { index in
      switch text[index] {
      case UInt8(ascii: ">"): false
      case UInt8(ascii: "&"): entities.contains { text[(index + 1)...].starts(with: $0.utf8) }
      default: true
      }
    }
  }

  /// Whether a style has nothing but colours and sizes of classes, in the light and in the dark.
  ///
  /// Without brackets, `@`, `/` and `\` it cannot fetch anything; its colours differ between versions, of which
  /// some wrote line feeds as `\n`.
  private static func isStyle(_ text: ArraySlice<UInt8>) -> Bool {
    String(decoding: text, as: UTF8.self)
      .replacing("@media (prefers-color-scheme: dark)", with: "").replacing("\\n", with: "\n")
      .utf8.allSatisfy { isWordByte($0) || " \n.,:;#\"{}".utf8.contains($0) }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  // MARK: - Bytes

  private mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func word() -> String {
    let word = bytes[position...].prefix(while: Self.isWordByte)
    position = word.endIndex
    return String(decoding: word, as: UTF8.self)
  }

  /// Reads up to a character; nil where it does not follow.
  private mutating func content(before end: Unicode.Scalar) -> ArraySlice<UInt8>? {
    let rest = bytes[position...]
    guard let index = rest.firstIndex(of: UInt8(ascii: end)) else { return nil }
    position = index
    return rest[..<index]
  }
}
