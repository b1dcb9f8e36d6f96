/// A notice as the JSON that Slack and those who speak like it take.
package struct SlackNotice {
  /// Slack takes 40,000 characters, and curl lines of 100 KiB.
  private static let mostCharacters = 15_000

  private let notice: Notice

  package init(_ notice: Notice) { self.notice = notice }

  /// The JSON text on one line.
  ///
  /// Source: Slack, *Formatting text for app surfaces*: `&`, `<` and `>` are escaped.
  package var json: String {
    let value: JSONValue = ["text": .string(text)]
    return String(JSONText.line(value).dropLast())
  }

  private var text: String {
    let parts = notice.paragraphs.map { paragraph in
      let lines =
        ["*\(Self.escaped(paragraph.title))*"] + paragraph.details.map(Self.escaped)
        + paragraph.commands.map { "\($0.purpose): `\(Self.escaped($0.text))`" }
      return lines.joined(separator: "\n")
    }
    let all =
      (["launchlab \(Self.escaped(notice.scenario))"] + parts
      + notice.remarks.map(Self.escaped)).joined(separator: "\n\n")
    guard all.count > Self.mostCharacters else { return all }
    return all.prefix(Self.mostCharacters) + "…\n\nThe rest was cut; see `launchlab report`."
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
