import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Rendering

@Suite struct AlertTextTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var alert: Alert
    var nights = SampleAlerts.nights
    var sentence: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(
      name: "a step by code",
      alert: SampleAlerts.confirmed,
      sentence: "server warm: launch is 12.4 % slower (41.20 → 46.31 ms), since 2026-11-14, "
        + "by a commit of 8ab12c0d1e..4c1f9e2d1e (1 night): confirmed, the code changed"
    ),
    Case(
      name: "a suspicion without commits",
      alert: SampleAlerts.alert {
        $0.state = .suspected
        $0.cause = .unknown
      },
      nights: [],
      sentence:
        "server warm: launch seems to be 12.4 % slower (41.20 → 46.31 ms), since 2026-11-14: "
        + "suspected, code or machine: unknown"
    ),
    Case(
      name: "a machine change for the better",
      alert: SampleAlerts.alert {
        $0.cause = .machine
        $0.direction = .better
        $0.series.metric = .peakRSS
        $0.before = 4_194_304
        $0.after = 4_096_000
      },
      nights: [],
      sentence: "server warm: peak RSS is 2.3 % smaller (4.000 → 3.906 MiB), since 2026-11-14: "
        + "confirmed, the machine changed, not the code"
    ),
    Case(
      name: "a broken budget",
      alert: SampleAlerts.alert {
        $0.kind = .budget
        $0.cause = .unknown
        $0.lastGood = nil
      },
      nights: [],
      sentence: "server warm: launch is 46.31 ms, over its budget of 41.20 ms, since 2026-11-14: "
        + "confirmed"
    ),
    Case(
      name: "a drift that ended",
      alert: SampleAlerts.alert {
        $0.kind = .drift
        $0.state = .recovered
      },
      nights: [],
      sentence: "server warm: launch was 12.4 % slower than its long-term level "
        + "(41.20 → 46.31 ms), since 2026-11-14: recovered"
    ),
    Case(
      name: "a run whose id has no date",
      alert: SampleAlerts.alert {
        $0.before = 0
        $0.onset = "csv-12"
      },
      nights: [],
      sentence: "server warm: launch is slower (0.00 → 46.31 ms), since run csv-12: "
        + "confirmed, the code changed"
    ),
  ])
  func `says in one sentence what changed`(_ example: Case) {
    #expect(AlertText(example.alert, nights: example.nights).sentence == example.sentence)
  }

  @Test(arguments: [80, 140])
  func `shows every criterion with its numbers`(_ width: Int) throws {
    let text = AlertText(
      SampleAlerts.confirmed,
      nights: SampleAlerts.nights,
      deliveries: SampleAlerts.deliveries,
      style: TextStyle(width: width)
    )
    try SampleAlerts.expectSnapshot(
      text.rendered(),
      named: "confirmed-\(width)",
      suite: "AlertText"
    )
  }

  @Test func `shows why launches are slower below the sentence, and all reasons further down`()
    throws
  {
    let alert = SampleAlerts.alert { $0.explanation = SampleAlerts.explanation }
    let text = AlertText(alert, nights: SampleAlerts.nights, style: TextStyle(width: 140))
    try SampleAlerts.expectSnapshot(text.rendered(), named: "explained", suite: "AlertText")
  }

  @Test func `lets no name steer the terminal`() {
    let alert = SampleAlerts.alert {
      $0.events[0].reason = "bad\u{1B}[2Jreason"
      $0.explanation = SampleAlerts.explanation
      $0.explanation?.why = "bad\u{1B}[2Jfunction"
      $0.explanation?.text = "bad\u{1B}[2Jfunction\n"
    }
    #expect(!AlertText(alert).rendered().contains("\u{1B}"))
  }

  @Test func `writes a finding as JSON`() throws {
    let text = FindingJSON(SampleAlerts.confirmed, nights: SampleAlerts.nights).rendered()
    try SampleAlerts.expectSnapshot(text, named: "confirmed", suite: "FindingJSON")
    let line = FindingJSON(SampleAlerts.confirmed, nights: SampleAlerts.nights).line
    #expect(line.count { $0 == "\n" } == 1)
    let pretty = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
    #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary == pretty)
  }

  @Test func `gives no 95 % interval where the proof has another confidence`() {
    let alert = SampleAlerts.alert { $0.proof?.confidence = 0.99 }
    #expect(FindingJSON(alert, nights: []).line.contains("\"ci95\":null"))
  }
}

extension SampleAlerts {
  /// Compares with the records that stand beside those of the other suites.
  static func expectSnapshot(_ text: String, named name: String, suite: String) throws {
    try LabTestSupport.expectSnapshot(
      text,
      named: name,
      suite: suite,
      filePath: #filePath.replacing("/LabReportTests/Alerts/", with: "/LabReportTests/")
    )
  }
}

extension AlertTextTests {
  /// Every pair of numbers of a sentence must give the change that stands beside it, unless a proof gives it,
  /// and there is no other change.
  @Test(arguments: 0..<300)
  func `the numbers of a sentence agree with each other`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let before = 1e5 * pow(10, 4 * generator.nextUniform())
    let after = before * (1.02 + 0.6 * generator.nextUniform())
    var alert = SampleAlerts.confirmed
    (alert.before, alert.after, alert.proof) = (before, after, nil)
    if seed % 3 > 0 {
      var proof = try #require(SampleAlerts.confirmed.proof)
      // Of half of them the machine has moved the levels as well.
      proof.ratio = seed % 3 == 1 ? after / before : 1.02 + 0.3 * generator.nextUniform()
      (proof.low, proof.high) = (proof.ratio * 0.99, proof.ratio * 1.01)
      alert.proof = proof
    }
    for text in [AlertSentence(alert).text, alert.evidenceText] {
      let levels = try #require(text.firstMatch(of: /([0-9.]+) → ([0-9.]+)/))
      let percents = text.replacing(#/\[[^\]]*\]/#, with: "").matches(of: #/([0-9.]+) %/#)
      let percent = try #require(Double(percents.first?.1 ?? ""))
      #expect(percents.count == 1, "\(text)")
      if let proof = alert.proof, text.contains("by A/B proof") {
        #expect(abs(percent - 100 * (proof.ratio - 1)) <= 0.051, "\(text)")
        continue
      }
      func value(_ digits: Substring) throws -> (Double, Double) {
        let places = digits.split(separator: ".").dropFirst().first?.count ?? 0
        return (try #require(Double(digits)), 0.5 * pow(10, -Double(places)))
      }
      let ((old, oldError), (new, newError)) = (try value(levels.1), try value(levels.2))
      let low = 100 * ((new - newError) / (old + oldError) - 1) - 0.051
      let high = 100 * ((new + newError) / (old - oldError) - 1) + 0.051
      #expect(low <= percent && percent <= high, "\(text)")
    }
  }
}
