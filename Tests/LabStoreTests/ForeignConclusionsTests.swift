import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

/// What of the conclusions of another host is not taken, since reports show it as it is.
@Suite(.temporaryDirectory) struct ForeignConclusionsTests {
  /// Takes an explanation that another host has pushed.
  private func take(
    _ explanation: AlertExplanation = Sample.explanation,
    flameGraph: String = "<svg/>",
    json: String = "{}"
  ) throws {
    let name = "\(TemporaryDirectory.path)/\(UUID().uuidString)"
    let source = try Store(path: "\(name)-source.sqlite", mode: .readWrite)
    try source.save([Sample.alert()])
    let documents = ExplanationDocuments(json: json, flameGraph: flameGraph)
    try source.explain(alert: 1, by: explanation, documents)
    let path = "\(name)-alerts.sqlite"
    try source.writeConclusions(scenario: "redis", identity: "machine-1", to: path)
    try Store.inMemory().takeConclusions(fromForeign: path, scenario: "redis", digest: "d")
  }

  /// Why something is not taken; nil where it is.
  private func reason(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch StoreError.corrupt(_, let detail) {
      return detail
    } catch {
      return "\(error)"
    }
  }

  private static let picture = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 90.5" width="1200" height="90.5" role="img" \
    aria-labelledby="t">
    <title id="t">B &lt;is&gt; slower</title>
    <style>
    .head { font: 14px "DejaVu Sans Mono", monospace; stroke-width: 0.6 } .wait.up { fill: #f3dd9a }
    @media (prefers-color-scheme: dark) {
    .head { fill: #e6edf3 }
    }
    </style>
    <defs><pattern id="gone" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
    <line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
    <svg x="16.00" y="66"><title>main</title><rect fill="url(#gone)" width="100%"/><text x="4">main</text></svg>
    </svg>

    """

  @Test func `takes what launchlab writes`() throws {
    try take()
    try take(flameGraph: Self.picture)
    var explanation = Sample.explanation
    explanation.markdown = #"waiting in `` a`\|<b> `` (new), clock\_nanosleep \[x\] &lt;y&gt;"#
    explanation.section = #"""
      ### B is slower \[vdso\]

      | reason | evidence |
      | ------ | -------- |
      | `operator\|(std::vector<int>)` | `main › ![x]` |

      <details>
      <summary>How it was measured</summary>

      - A: `./app <in.txt`

      </details>

      """#
    try take(explanation)
  }

  @Test(
    arguments: [
      // What was taken before.
      #"<svg xmlns="http://www.w3.org/2000/svg" id=">" onload="alert(1)"></svg>"#,
      #"<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>"#,
      #"<svg><a href="javascript:alert(1)"><text>x</text></a></svg>"#,
      #"<svg><rect xlink:href="javascript:alert(1)"/></svg>"#,
      "<svg><foreignObject><p>x</p></foreignObject></svg>", "<svg><script>alert(1)</script></svg>",
      "<svg><style>@import 'http://e.org/a.css';</style></svg>",
      "<svg><style>.a { fill: url(http://e.org/a) }</style></svg>",
      #"<svg><style>.a { fill: u\72l(a) }</style></svg>"#,
      "<svg><style><rect/></style></svg>", "<svg><title><style>a</style></title></svg>",
      #"<svg><rect fill="url(http://e.org/a)"/></svg>"#, #"<svg><rect style="fill: red"/></svg>"#,
      #"<svg><rect class='part'/></svg>"#, #"<svg><rect class=part/></svg>"#,
      #"<svg><rect class="</style>"/></svg>"#, #"<svg><rect onload="1"/></svg>"#,
      "<svg\tonload=\"alert(1)\"/>", "<svg\nonload=\"alert(1)\"/>", "<svg/onload=\"alert(1)\">",
      "<?xml version=\"1.0\"?><svg/>", "<!DOCTYPE svg><svg/>", "<svg><!-- x --></svg>",
      "<svg><![CDATA[x]]></svg>", "<svg>&x;</svg>", "<svg>></svg>", "<svg", "<svg>", "<svg></rect>",
      "<svg><rect></svg>", "<svg/><svg/>", "<svg/><script>alert(1)</script>", "<SVG/>", "", "x",
      "<rect/>", "x<svg/>",
    ]
  )
  func `a flame graph that launchlab does not draw`(_ picture: String) {
    let expected = "a flame graph has parts that launchlab does not draw"
    #expect(reason { try take(flameGraph: picture) } == expected)
  }

  @Test(
    arguments: [
      "<script>alert(1)</script>", "![x](http://e.org/a.png)", "[x](http://e.org)", #"\<b>"#,
      "<http://e.org>", "<!-- x", "`a", "`a``<b>``", "`a | <script>alert(1)</script> | b`",
      #"\`<b>`"#, "e\u{301}<\u{301}b>",
    ]
  )
  func `Markdown that launchlab does not write`(_ text: String) {
    var explanation = Sample.explanation
    explanation.markdown = text
    let expected = "an explanation has Markdown that launchlab does not write"
    #expect(reason { try take(explanation) } == expected)
    explanation = Sample.explanation
    explanation.section += "\n\(text)\n"
    #expect(reason { try take(explanation) } == expected)
  }

  @Test func `lines that launchlab does not write`() {
    let fold = "<details>\n<summary>How it was measured</summary>\n"
    let expected = "an explanation has Markdown that launchlab does not write"
    for lines in [
      "## All is well", "~~~", "<details>\n`<b>`", "</details>", fold + "`<b>`\n\n</details>\n",
      fold,
      fold + "\n</details>\n`<b>`\n", "    <details>", fold + "\n\(fold)\n</details>\n",
    ] {
      var explanation = Sample.explanation
      explanation.section += "\n\(lines)"
      #expect(reason { try take(explanation) } == expected, "\(lines)")
    }
    var explanation = Sample.explanation
    explanation.markdown += "\n\n# All is well"
    #expect(reason { try take(explanation) } == expected)
  }

  @Test(arguments: ["\u{1B}[31m", "\r", "\r\n", "\u{9B}31m", "\u{202E}", "\u{2066}", "\u{2028}"])
  func `control characters`(_ text: String) {
    var explanation = Sample.explanation
    explanation.markdown += text
    #expect(reason { try take(explanation) } == "an explanation has control characters")
    explanation = Sample.explanation
    explanation.section += text
    #expect(reason { try take(explanation) } == "an explanation has control characters")
    let picture = "<svg><text>\(text)</text></svg>"
    #expect(reason { try take(flameGraph: picture) } == "a flame graph has control characters")
  }
}
