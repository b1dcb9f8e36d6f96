import Foundation
import Testing

@testable import LaunchStore

@Suite struct TimestampTests {
  struct Case: CustomTestStringConvertible {
    var seconds: Double
    var text: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Case(seconds: 0, text: "1970-01-01T00:00:00.000Z"),
    Case(seconds: 0.001, text: "1970-01-01T00:00:00.001Z"),
    Case(seconds: 1_795_235_400.9996, text: "2026-11-21T04:30:01.000Z"),
    Case(seconds: 1_795_235_400.125, text: "2026-11-21T04:30:00.125Z"),
    Case(seconds: -0.25, text: "1969-12-31T23:59:59.750Z"),
  ])
  func `writes a date to the millisecond`(example: Case) {
    #expect(Timestamp.text(Date(timeIntervalSince1970: example.seconds)) == example.text)
  }

  @Test func `reads back every millisecond of a second`() {
    let texts = (0..<1_000).map {
      Timestamp.text(Date(timeIntervalSince1970: 1_795_235_400 + Double($0) / 1_000))
    }
    #expect(Set(texts).count == 1_000)
    #expect(texts.compactMap(Timestamp.date).map(Timestamp.text) == texts)
  }

  @Test(arguments: [
    "", "2026-11-21T04:30:00Z", "2026-11-21 04:30:00.125Z", "2026-11-21T04:30:00.12xZ",
  ])
  func `does not read other forms`(text: String) { #expect(Timestamp.date(text) == nil) }
}
