import LabAnalysis
import LabModel

/// The last line of a report: a comment that programs read, and that no reader sees.
struct TrendMark {
  private let lead: TrendLead

  init(_ lead: TrendLead) { self.lead = lead }

  /// Such as `<!-- launchlab:{"schema":"launchlab.report/1",…} -->`.
  ///
  /// Inside the texts, characters that could end the comment are written as escapes of JSON.
  var comment: String {
    let summary = lead.summary
    let value: JSONValue = [
      "schema": "launchlab.report/1",
      "scenario": .string(summary.scenario.name),
      "run": .string(summary.run.id),
      "colour": .string(lead.colour.rawValue),
      "alerts": .array(
        summary.alerts.map { alert in
          [
            "id": .string(alert.id), "state": .string(alert.state.rawValue),
            "cause": .string(alert.cause.rawValue), "red": .bool(alert.isRed),
          ]
        }
      ),
    ]
    let json = JSONText.line(value).dropLast()
      .replacing("<", with: #"\u003c"#).replacing(">", with: #"\u003e"#)
      .replacing("--", with: #"-\u002d"#)
    return "<!-- launchlab:\(Self.ascii(String(json))) -->"
  }

  /// The JSON text with everything that is not ASCII as escapes.
  private static func ascii(_ json: String) -> String {
    json.utf16.reduce(into: "") { text, unit in
      if let scalar = Unicode.Scalar(unit), scalar.isASCII {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}
