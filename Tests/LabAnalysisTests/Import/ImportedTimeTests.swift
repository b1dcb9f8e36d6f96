import Foundation
import Testing

@testable import History
@testable import LaunchCore

@Suite struct ImportedTimeTests {
  @Test(
    arguments: [
      ("2026-11-21", 1_795_219_200), ("2026-11-21T04:30:00Z", 1_795_235_400),
      ("2026-11-21 04:30:00", 1_795_235_400), ("2026-11-21T04:30", 1_795_235_400),
      ("2026-11-21T05:30:00+01:00", 1_795_235_400), ("2026-11-20T23:00:00-0530", 1_795_235_400),
      ("2026-11-21T06:30:00.125+02", 1_795_235_400.125), ("1365825251", 1_365_825_251),
      ("1365825251.5", 1_365_825_251.5), ("1970-01-01", 0), ("2000-02-29", 951_782_400),
      ("2024-12-31T23:59:59.9996Z", 1_735_689_600), ("2100-03-01", 4_107_542_400),
      ("9999-12-31", 253_402_214_400),
    ] as [(String, Double)]
  )
  func `reads an instant`(text: String, seconds: Double) {
    #expect(ImportedTime.date(text)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "yesterday", "20261121", "2026-13-01", "2026-02-29", "2026-04-31", "2100-02-29",
    "2026-11-21T24:00:00Z", "2026-11-21T04:30:00X", "2026-11-21T04:30:00Z ", "2026-11-21T",
    "2026-11-21T04:30:00.Z", "1969-12-31", "1970-01-01T00:00:00+01:00", "1365825251000",
    "1365825251.", "+1365825251", "0x1365825251", "２０２６-11-21",
  ])
  func `takes no other text`(text: String) {
    #expect(ImportedTime.date(text) == nil)
  }

  @Test(
    arguments: [
      ("2026-11-21", 1_795_219_200), ("2026-02-29", nil), ("2026-11-21T04:30", nil),
      ("1365825251", nil), ("2026-1-021", nil), ("1365825.51", nil),
    ] as [(String, Double?)]
  )
  func `reads a day and nothing else`(text: String, seconds: Double?) {
    #expect(ImportedTime.day(text)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: 0..<40)
  func `agrees with the calendar`(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    let date = Date(timeIntervalSince1970: Double(generator.next(below: 253_402_300_800)))
    #expect(ImportedTime.date(date.formatted(.iso8601)) == date)
  }
}

@Suite struct ImportedUnitTests {
  @Test(
    arguments: [
      ("ns", "12", 12, Metric.Unit.nanoseconds), ("us", "1.5", 1_500, .nanoseconds),
      ("µs", "2", 2_000, .nanoseconds), ("ms", "303.458", 303_458_000, .nanoseconds),
      ("s", "0.1", 100_000_000, .nanoseconds), ("min", "1", 60_000_000_000, .nanoseconds),
      ("B", "7", 7, .bytes), ("KB", "2", 2_000, .bytes), ("KiB", "2", 2_048, .bytes),
      ("MB", "1e1", 10_000_000, .bytes), ("MiB", "1.5", 1_572_864, .bytes),
      ("GiB", "1", 1_073_741_824, .bytes), ("1", "3", 3, .count),
    ] as [(String, String, Int64, Metric.Unit)]
  )
  func `turns values into the unit of a metric`(
    name: String,
    text: String,
    value: Int64,
    unit: Metric.Unit
  ) throws {
    let found = try #require(ImportedUnit(name))
    #expect(found.unit == unit)
    #expect(found.value(text) == value)
  }

  @Test(arguments: ["", "-1", "nan", "inf", "0x10", "1,5", "1e30", "12 ms", "--1"])
  func `takes no other value`(text: String) throws {
    #expect(try #require(ImportedUnit("ms")).value(text) == nil)
  }

  @Test func `knows no other unit`() { #expect(ImportedUnit("h") == nil) }
}
