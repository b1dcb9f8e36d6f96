import LaunchCore

// Names of others: symbols, files, commits, processes and whatever else launchlab did not write itself.
//
// They may hold anything. A text for people is made of lines by `joinedLines`, and of names that stand in
// Markdown, XML or JSON by what escapes them there; all of these make control characters visible.

extension Sequence<String> {
  /// The text of these lines, with a line feed after each.
  ///
  /// Every text for people is made here: a name with a line end does not begin a line of its own, since
  /// control characters are made visible.
  ///
  /// - Parameter style: Whether the colours stay that launchlab itself sets.
  /// - Returns: The text; empty without lines.
  package func joinedLines(_ style: TextStyle = TextStyle()) -> String {
    reduce(into: "") { $0 += $1.visible(keepingLines: false, styles: style.usesColor) + "\n" }
  }
}

extension String {
  /// The text with control characters made visible, so that a name neither steers a terminal nor begins
  /// another line.
  package var printable: String { visible(keepingLines: false, styles: false) }

  /// The text with control characters made visible.
  ///
  /// - Parameters:
  ///   - keepsLines: Whether line feeds, tabs, and carriage returns before a line feed stay.
  ///   - keepsStyles: Whether the colours stay that launchlab itself sets.
  /// - Returns: The text with `\u{1B}` and the like in place of each such character.
  package func visible(keepingLines keepsLines: Bool, styles keepsStyles: Bool) -> String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var text = ""
    var rest = Substring(self).unicodeScalars
    while let scalar = rest.first {
      if keepsStyles, scalar == "\u{1B}", let style = TextStyle.sequences.first(where: rest.starts)
      {
        text.unicodeScalars += style
        rest = rest.dropFirst(style.count)
        continue
      }
      rest = rest.dropFirst()
      let isLineEnd = scalar == "\n" || scalar == "\t" || scalar == "\r" && rest.first == "\n"
      if scalar.isControl, !(keepsLines && isLineEnd) {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text of several lines, none of which a CI system takes for one of its commands.
  ///
  /// Source: `ActionCommand.cs` of actions/runner, by which `::` begins a command after white space, and
  /// `##[` anywhere in a line; `##vso[` of Azure Pipelines and `##teamcity[` are alike.
  package var withoutCommands: String {
    guard contains("::") || contains("##") else { return self }
    var text = ""
    var isAtStart = true
    var rest = Substring(self).unicodeScalars
    while let scalar = rest.first {
      let isCommand =
        isAtStart && rest.starts(with: "::".unicodeScalars)
        || Self.markers.contains(where: rest.starts)
      rest = rest.dropFirst()
      isAtStart = scalar == "\n" || isAtStart && scalar.properties.isWhitespace
      if isCommand {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static let markers = ["##[", "##vso[", "##teamcity["].map(\.unicodeScalars)
}
