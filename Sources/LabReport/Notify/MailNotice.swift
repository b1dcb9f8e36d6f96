import Foundation

/// A notice as a message of e-mail.
package struct MailNotice {
  /// A line of a message has at most 998 bytes (RFC 5322, 2.1.1).
  private static let mostBytes = 900

  private let notice: Notice
  private let recipient: String

  /// - Parameters:
  ///   - notice: What is told.
  ///   - recipient: One address; characters that could begin another header line are left out.
  package init(_ notice: Notice, to recipient: String) {
    self.notice = notice
    self.recipient = String(recipient.filter { $0.isASCII && !$0.isWhitespace && $0 != "," })
  }

  /// Header and body, with a line feed after every line, as sendmail takes them.
  package var text: String {
    let header = [
      "To: \(recipient)",
      "Subject: \(Self.encoded(notice.subject))",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=UTF-8",
      "Content-Transfer-Encoding: 8bit",
      "Auto-Submitted: auto-generated",
      "",
    ]
    return (header + body.flatMap(Self.folded)).map { $0 + "\n" }.joined()
  }

  private var body: [String] {
    let paragraphs = notice.paragraphs.flatMap { paragraph in
      [paragraph.title] + paragraph.details.map { "  \($0)" }
        + paragraph.commands.map { "  \($0.purpose): \($0.text)" } + [""]
    }
    return paragraphs + notice.remarks
  }

  /// The value of a header line; what is not plain ASCII becomes encoded words.
  ///
  /// Source: RFC 2047: an encoded word has at most 75 characters, and holds whole characters.
  static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
    guard !isPlain || text.utf8.count > 65 else { return text }
    var words: [String] = []
    var word = ""
    for scalar in text.unicodeScalars {
      // 45 bytes are 60 characters of base64, and the frame has 12.
      if word.utf8.count + String(scalar).utf8.count > 45 {
        words.append(word)
        word = ""
      }
      word.unicodeScalars.append(scalar)
    }
    return (words + [word]).map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }
      .joined(separator: "\n ")
  }

  /// A line in pieces that a message may hold.
  private static func folded(_ line: String) -> [String] {
    var lines: [String] = [""]
    var used = 0
    for character in line {
      let size = character.utf8.count
      if used + size > mostBytes {
        lines.append("")
        used = 0
      }
      lines[lines.count - 1].append(character)
      used += size
    }
    return lines
  }
}
