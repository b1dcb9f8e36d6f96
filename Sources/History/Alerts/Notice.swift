import Foundation
import Gate
package import LaunchCore
import Rendering

/// What people are told of findings: one subject, and a paragraph per finding.
///
/// Every way of telling them shows the same words; see ``SlackNotice``, ``MailNotice`` and
/// ``SummaryNotice``.
package struct Notice: Hashable, Sendable {
  package let scenario: String

  /// One line, without characters that end it.
  package let subject: String

  /// At least one, the gravest first.
  let paragraphs: [Paragraph]

  /// What else must be known, as sentences without a full stop.
  let remarks: [String]

  /// What is said of one finding.
  struct Paragraph: Hashable {
    /// The finding, as a sentence without a full stop.
    let title: String

    /// Why it is slower, why it is told, and how far it is proved, as sentences without a full stop.
    let details: [String]

    /// Commands, each with what it is for.
    let commands: [Command]
  }

  struct Command: Hashable {
    let purpose: String
    let text: String
  }

  /// Puts findings into words.
  ///
  /// - Parameters:
  ///   - findings: Each alert with the index of the event that is told; at least one.
  ///   - scenario: The name of the scenario.
  ///   - nights: Those of the scenario, for commits and days.
  ///   - missedDays: The days without a result since the last one, ascending.
  package init(
    _ findings: [(alert: Alert, event: Int)],
    scenario: String,
    nights: [Night],
    missedDays: [String] = []
  ) {
    self.scenario = scenario
    let sorted = findings.map { Self.told($0.alert, event: $0.event) }
      .sorted { (Self.gravity(of: $0), $0.number) < (Self.gravity(of: $1), $1.number) }
    paragraphs = sorted.map { Paragraph($0, nights: nights) }
    let first = paragraphs.first?.title ?? ""
    subject = Self.oneLine(
      paragraphs.count == 1
        ? "launchlab \(scenario): \(first)"
        : "launchlab \(scenario): \(paragraphs.count) findings, first \(first)"
    )
    remarks = missedDays.isEmpty ? [] : [Self.remark(on: missedDays)]
  }

  /// Puts into words that a night has no result.
  ///
  /// - Parameter summary: What the night is concluded with.
  package init(failureOf summary: TrendSummary) {
    self.init(NightFailure(summary).sentence, of: summary)
  }

  /// Puts into words what a night has counted and is not allowed.
  init(countsOf summary: TrendSummary, _ counts: NightCounts) {
    self.init(counts.sentence, of: summary)
  }

  private init(_ sentence: String, of summary: TrendSummary) {
    scenario = summary.scenario.name
    subject = Self.oneLine("launchlab \(scenario): \(sentence)")
    let report = "launchlab report --run \(summary.run.id)"
    paragraphs = [
      Paragraph(
        title: sentence.printable,
        details: [],
        commands: [Command(purpose: "what is known of it", text: report)]
      )
    ]
    remarks = []
  }

  /// The alert as it was right after an event.
  private static func told(_ alert: Alert, event: Int) -> Alert {
    guard alert.events.indices.contains(event) else { return alert }
    var told = alert
    told.events = Array(alert.events.prefix(event + 1))
    told.state = alert.events[event].state
    told.cause = alert.events[event].cause
    return told
  }

  /// Red ones first, then what is open, then what ended.
  private static func gravity(of alert: Alert) -> Int {
    if alert.isRed { return 0 }
    if alert.direction == .worse, alert.isOpen { return 1 }
    return alert.isOpen ? 2 : 3
  }

  private static let shownDays = 5

  private static func remark(on days: [String]) -> String {
    let more = days.count > shownDays ? " and \(days.count - shownDays) more" : ""
    let nights = days.count == 1 ? "the night" : "the nights"
    return
      "no result for \(nights) \(days.prefix(shownDays).joined(separator: ", "))\(more)"
  }

  /// The text with visible control characters, cut to what a subject can hold.
  private static func oneLine(_ text: String) -> String { text.printable.truncated(to: 200) }
}

extension Notice.Paragraph {
  fileprivate init(_ alert: Alert, nights: [Night]) {
    title = "\(alert.id) \(AlertSentence(alert, nights: nights).text)".printable
    let reason = alert.events.last?.reason
    details = [
      alert.openExplanation.map { "why: \($0.why)" }, reason.map { "reason: \($0)" },
      alert.proof.map(Self.phrase),
    ].compactMap(\.self).map(\.printable)
    let why = Notice.Command(purpose: "every number behind it", text: "launchlab why \(alert.id)")
    let isToBeTaken = alert.state == .confirmed && alert.direction == .worse
    commands =
      [why]
      + (isToBeTaken
        ? [
          Notice.Command(
            purpose: "to accept the new level as the baseline",
            text: "launchlab ack \(alert.id) --reason TEXT"
          )
        ] : [])
  }

  private static func phrase(_ proof: Proof) -> String {
    let interval =
      proof.low.flatMap { low in
        proof.high.map { high in
          " (\(Quantity.percent(proof.confidence)) interval \(Quantity.significant(low)) to "
            + "\(Quantity.significant(high)))"
        }
      } ?? ""
    return
      "proof: \(Quantity.count(proof.pairs, "pair")) of launches of \(proof.good.prefix(12)) and "
      + "\(proof.bad.prefix(12)) in turn, ratio \(Quantity.significant(proof.ratio))\(interval): "
      + proof.verdict.rawValue
  }
}

/// A night without a result, as notifiers tell it.
package struct NightFailure {
  private let summary: TrendSummary

  /// - Parameter summary: What the night is concluded with.
  package init(_ summary: TrendSummary) { self.summary = summary }

  /// Such as `the run has no result: app warm exited with status 1`.
  package var sentence: String {
    let reason = summary.failure.map { ": \($0)" } ?? ""
    return (TrendLead(summary).statusText ?? "the run is complete") + reason
  }

  /// One JSON text on one line, of schema `launchlab.failure/1`, with a line feed.
  package var line: String {
    JSONText.line([
      "schema": "launchlab.failure/1",
      "scenario": .string(summary.scenario.name),
      "run": .string(summary.run.id),
      "status": .string(summary.tonight.status.rawValue),
      "sentence": .string(sentence),
      "reason": JSONValue(summary.failure),
    ])
  }
}

/// What a night has counted for the first time and is not allowed, as notifiers tell it.
struct NightCounts {
  private let summary: TrendSummary
  private let changes: [CountedChange]

  /// Nil where there is nothing to tell.
  ///
  /// - Parameter summary: What the night is concluded with.
  init?(_ summary: TrendSummary) {
    self.summary = summary
    changes = summary.openChanges.filter { $0.run == summary.tonight.run }
    if changes.isEmpty { return nil }
  }

  /// Such as `app: 1 library more: libfoo.so.1; instructions 1.2 G → 1.3 G (+8 %)`.
  var sentence: String {
    CountedWords.groups(changes).map { "\($0.finding.target): \($0.text)" }.joined(separator: "; ")
  }

  /// One JSON text on one line, of schema `launchlab.counts/1`, with a line feed.
  var line: String {
    JSONText.line([
      "schema": "launchlab.counts/1",
      "scenario": .string(summary.scenario.name),
      "run": .string(summary.run.id),
      "sentence": .string(sentence),
      "findings": .array(changes.map { GateReport.document($0.finding) }),
    ])
  }
}

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

/// A notice as Markdown, for the summary of a job.
package struct SummaryNotice {
  private let notice: Notice

  package init(_ notice: Notice) { self.notice = notice }

  /// The text, with a line feed after every line.
  package var markdown: String {
    let paragraphs = notice.paragraphs.flatMap { paragraph in
      ["- **\(MarkdownTable.escaped(paragraph.title))**"]
        + paragraph.details.map { "  - \(MarkdownTable.escaped($0))" }
        + paragraph.commands.map { "  - \($0.purpose): `\($0.text)`" }
    }
    let remarks = notice.remarks.flatMap { ["", MarkdownTable.escaped($0)] }
    let lines =
      ["## launchlab: \(MarkdownTable.escaped(notice.scenario))", ""] + paragraphs + remarks
    return lines.joinedLines()
  }
}

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
    // A long subject has several lines.
    let subject = "Subject: \(Self.encoded(notice.subject))".split(separator: "\n").map(String.init)
    let header =
      ["To: \(recipient)"] + subject + [
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
        "Auto-Submitted: auto-generated",
        "",
      ]
    return (header + body.flatMap(Self.folded)).joinedLines()
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
