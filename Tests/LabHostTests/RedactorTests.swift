import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct RedactorTests {
  struct Spelling: CustomTestStringConvertible {
    var name: String
    var text: String
    var testDescription: String { name }
  }

  /// With characters that every encoding treats in its own way.
  private static let secret = "s3cr t/+\"&<é🔑\\=x"

  private static func encoded(_ format: (UInt8) -> String) -> String {
    secret.utf8.map(format).joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  static let spellings: [Spelling] = [
    Spelling(name: "raw", text: secret),
    Spelling(name: "percent", text: encoded { "%" + hexadecimal($0).uppercased() }),
    Spelling(name: "percent, lower case", text: encoded { "%" + hexadecimal($0) }),
    Spelling(name: "form", text: "s3cr+t%2F%2B%22%26%3C%C3%A9%F0%9F%94%91%5C%3Dx"),
    Spelling(name: "path", text: "s3cr%20t/+%22&%3C%C3%A9%F0%9F%94%91%5C=x"),
    Spelling(name: "quoted-printable", text: "s3cr t/+\"&<=C3=A9=F0=9F=94=91\\=3Dx"),
    Spelling(
      name: "quoted-printable with a break",
      text: "s3cr t/=\r\n+\"&<=C3=A9=F0=9F=94=91\\=3Dx"
    ),
    Spelling(name: "JSON", text: #"s3cr t\/+\"&<é🔑\\=x"#),
    Spelling(name: "JSON in ASCII", text: #"s3cr t/+\"\u0026\u003c\u00e9\ud83d\udd11\\=x"#),
    Spelling(name: "XML", text: "s3cr t/+&quot;&amp;&lt;é🔑\\=x"),
    Spelling(name: "XML by number", text: "s3cr t/+&#34;&#x26;&#060;&#233;&#x1F511;\\=x"),
    Spelling(name: "C", text: #"s3cr t/+\"&<\303\251\xf0\x9f\x94\x91\\=x"#),
    Spelling(name: "CSV", text: "s3cr t/+\"\"&<é🔑\\=x"),
    Spelling(name: "hexadecimal", text: encoded(hexadecimal)),
    Spelling(name: "hexadecimal, upper case", text: encoded { hexadecimal($0).uppercased() }),
  ]

  @Test(arguments: spellings)
  func `finds a secret however it is written`(spelling: Spelling) {
    let text = "token=(\(spelling.text)), done"
    #expect(Redactor([Self.secret]).redacted(text) == "token=(***), done")
  }

  @Test(arguments: ["", "u", "us", "user:", "Bearer of it: "], ["", "!", "!!", "\n"])
  func `finds a secret in the base64 of a longer text`(before: String, after: String) {
    let redactor = Redactor([Self.secret])
    let text = Self.base64(before + Self.secret + after)
    let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let form = text.replacing("+", with: "%2B").replacing("/", with: "%2f")
    let json = text.replacing("/", with: #"\/"#).replacing("+", with: #"\u002B"#)
    for encoded in [text, url, form, json] {
      let shown = redactor.redacted("Authorization: Basic \(encoded)\r\n")
      #expect(shown.hasPrefix("Authorization: Basic ") && shown.contains("***"))
      // Digits at its edges hold bits of what stands beside it.
      #expect(shown.count <= "Authorization: Basic ***\r\n".count + (before + after).count * 2 + 4)
    }
  }

  @Test func `finds base64 in lines of 76 characters`() {
    let long = String(repeating: "correct horse battery staple ", count: 6)
    let encoded = Data(long.utf8).base64EncodedString(options: .lineLength76Characters)
    #expect(Redactor([long]).redacted("<\(encoded)>") == "<***>")
  }

  @Test func `takes the longest of several secrets, and leaves all else`() {
    let redactor = Redactor(["hunter2", "hunter2-and-more"])
    #expect(
      redactor.redacted("hunter2-and-more hunter2 hunter3 %zz &#; \\u12")
        == "*** *** hunter3 %zz &#; \\u12"
    )
    #expect(Redactor([]).redacted("x") == "x")
  }

  @Test func `finds the pieces of a secret where the kept text was cut`() {
    let redactor = Redactor(["hunter2-secret"])
    let bytes = { (text: String) in Array(text.utf8) }
    #expect(redactor.redacted(bytes("so hunter2-s"), isCutAfter: true) == bytes("so ***"))
    #expect(redactor.redacted(bytes("so hunter2-s")) == bytes("so hunter2-s"))
    #expect(redactor.redacted(bytes("r2-secret on"), isCutBefore: true) == bytes("*** on"))
    #expect(redactor.redacted(bytes("so hunter%32%2"), isCutAfter: true) == bytes("so ***"))
    #expect(redactor.redacted(bytes("2%2Dsecret on"), isCutBefore: true) == bytes("*** on"))
  }

  @Test func `takes secrets out of the paths of a traced launch`() {
    let path = "/run/app-\(Self.secret)/sock"
    var result = LaunchResult(outcome: .ready)
    let call = TimelineEvent.SystemCall(name: "openat", arguments: [], text: path)
    result.timeline = LaunchTimeline(
      begin: .zero,
      ready: Nanoseconds(1),
      process: 7,
      events: [TimelineEvent.Kind.enteredCall(call), .executed(path: path), .ended].map {
        TimelineEvent(time: .zero, thread: 7, kind: $0)
      }
    )
    Redactor([Self.secret]).redact(&result)
    let hidden = "/run/app-***/sock"
    let hiddenCall = TimelineEvent.SystemCall(name: "openat", arguments: [], text: hidden)
    #expect(
      result.timeline?.events.map(\.kind)
        == [.enteredCall(hiddenCall), .executed(path: hidden), .ended]
    )
  }

  @Test func `hides the name and password of a webhook in base64 too`() {
    let said = "rejected: Basic \(Self.base64("me:p%ss word9"))"
    let shown = NoticeSender.redacted(said, of: "https://me:p%25ss%20word9@a.example/T0/abcdefgh")
    #expect(shown.hasPrefix("rejected: Basic …") && shown.count < 26, "\(shown)")
  }
}
