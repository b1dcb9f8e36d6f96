import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

@Suite struct NoticeTests {
  private static let night = Night(
    run: "20261121T020000Z-3fa2",
    startedAt: Date(timeIntervalSince1970: 1_795_226_400),
    fingerprint: "c0ffee",
    build: Night.Build(commit: "0123456789abcdef", subject: "Load <fonts> & icons", tree: "t")
  )

  private static func alert(
    _ number: Int = 17,
    target: String = "server",
    state: Alert.State = .confirmed,
    cause: Alert.Cause = .code,
    direction: Alert.Direction = .worse,
    proof: Proof? = proof
  ) -> Alert {
    Alert(
      number: number,
      kind: .step,
      series: SeriesKey.sample("redis", target, "c0ffee"),
      direction: direction,
      state: state,
      cause: cause,
      onset: night.run,
      lastGood: nil,
      before: 41_200_000,
      after: 46_300_000,
      proof: proof,
      events: [
        AlertEvent(
          at: night.startedAt,
          state: .suspected,
          cause: .unknown,
          reason: "tonight is beyond the limit"
        ),
        AlertEvent(
          at: night.startedAt,
          state: state,
          cause: cause,
          reason: "the comparison agrees: *slower* than <before>"
        ),
      ]
    )
  }

  private static let proof = Proof(
    run: "20261121T021000Z-1a2b",
    baseline: "server@good",
    candidate: "server@tonight",
    good: "aaaaaaaaaaaaaaaa",
    bad: "0123456789abcdef",
    scope: .build,
    pairs: 40,
    ratio: 1.124,
    low: 1.113,
    high: 1.136,
    confidence: 0.95,
    effectLimit: 0.02,
    verdict: .regression
  )

  private static let one = Notice([(alert(), 1)], scenario: "redis", nights: [night])

  private static let several = Notice(
    [
      (alert(3, state: .recovered, cause: .machine, proof: nil), 1),
      (alert(4, state: .suspected, cause: .unknown, proof: nil), 0),
      (alert(5, target: "größe"), 1),
    ],
    scenario: "redis",
    nights: [night],
    missedDays: ["2026-11-19", "2026-11-20"]
  )

  @Test func `tells one finding to Slack`() throws {
    try expectSnapshot(SlackNotice(Self.one).json + "\n", named: "slack", suite: "NoticeTests")
  }

  @Test func `tells several findings by mail, the gravest first`() throws {
    let message = MailNotice(Self.several, to: "dev@example.org").text
    try expectSnapshot(message, named: "mail", suite: "NoticeTests")
  }

  @Test func `tells several findings in the summary of a job`() throws {
    let markdown = SummaryNotice(Self.several).markdown
    try expectSnapshot(markdown, named: "summary", suite: "NoticeTests")
  }

  @Test func `tells a finding as it was at the event`() {
    let notice = Notice([(Self.alert(), 0)], scenario: "redis", nights: [])
    #expect(notice.subject.contains("suspected"))
    #expect(notice.paragraphs[0].details[0] == "reason: tonight is beyond the limit")
    #expect(!notice.paragraphs[0].commands.contains { $0.text.contains("launchlab ack") })
  }

  @Test func `tells first why launches are slower, where that is known`() {
    var alert = Self.alert()
    alert.explanation = SampleAlerts.explanation
    let notice = Notice([(alert, 1)], scenario: "redis", nights: [])
    #expect(notice.paragraphs[0].details[0] == "why: scan_plugins (new): +0.34 of +0.46 ms (73 %)")
    #expect(notice.paragraphs[0].details[1].hasPrefix("reason: "))
  }

  @Test func `gives Slack valid JSON that cannot link or mention`() throws {
    let data = Data(SlackNotice(Self.one).json.utf8)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: String]
    let text = try #require(object?["text"])
    #expect(text.contains("&lt;before&gt;"))
    #expect(!text.contains("<"))
  }

  @Test func `cuts a text that Slack would refuse, and says so`() throws {
    let alerts = (1...200).map { (Self.alert($0), 1) }
    let notice = Notice(alerts, scenario: "redis", nights: [])
    let json = SlackNotice(notice).json
    #expect(json.utf8.count < 20_000)
    #expect(json.hasSuffix("The rest was cut; see `launchlab report`.\"}"))
  }

  // MARK: - Headers

  @Test(arguments: [
    ("plain text", "plain text"),
    ("größe", "=?UTF-8?B?Z3LDtsOfZQ==?="),
    ("=?x?=", "=?UTF-8?B?PT94Pz0=?="),
  ])
  func `encodes the value of a header`(text: String, expected: String) {
    #expect(MailNotice.encoded(text) == expected)
  }

  @Test func `encodes a long subject in words of at most 75 characters`() {
    let text = String(repeating: "größe 🚀 ", count: 20)
    let words = MailNotice.encoded(text).components(separatedBy: "\n ")
    #expect(words.allSatisfy { $0.utf8.count <= 75 })
    let decoded = words.compactMap { word in
      Data(base64Encoded: String(word.dropFirst("=?UTF-8?B?".count).dropLast(2)))
        .flatMap { String(data: $0, encoding: .utf8) }
    }
    #expect(decoded.count == words.count)
    #expect(decoded.joined() == text)
  }

  @Test func `lets nobody add a header line`() {
    let notice = Notice(
      [(Self.alert(target: "a\nBcc: x@y.z\r\n\r\nbody"), 1)],
      scenario: "redis",
      nights: []
    )
    let text = MailNotice(notice, to: "dev@example.org\nBcc: x@y.z").text
    let header = text.prefix(upTo: text.range(of: "\n\n")?.lowerBound ?? text.endIndex)
    #expect(header.split(separator: "\n").filter { $0.hasPrefix("Bcc") }.isEmpty)
    #expect(header.hasPrefix("To: dev@example.orgBcc:x@y.z\n"))
    #expect(!text.contains("\r"))
  }

  @Test func `keeps the lines of a message short enough`() {
    let notice = Notice(
      [(Self.alert(target: String(repeating: "é", count: 2_000)), 1)],
      scenario: "redis",
      nights: []
    )
    let lines = MailNotice(notice, to: "a@b.c").text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 998 })
  }
}
