import Testing

@testable import LaunchCore
@testable import Rendering

@Suite struct QuantityTests {
  struct Case: CustomTestStringConvertible {
    var value: Double
    var unit: Metric.Unit
    var text: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Case(value: 0, unit: .nanoseconds, text: "0 ns"),
    Case(value: 999, unit: .nanoseconds, text: "999 ns"),
    Case(value: 999.5, unit: .nanoseconds, text: "999.5 ns"),
    Case(value: 1_000, unit: .nanoseconds, text: "1.000 µs"),
    Case(value: 45_670, unit: .nanoseconds, text: "45.67 µs"),
    Case(value: 326_512, unit: .nanoseconds, text: "326.5 µs"),
    Case(value: 2_613_000, unit: .nanoseconds, text: "2.613 ms"),
    Case(value: 61_000_000_000, unit: .nanoseconds, text: "61.00 s"),
    Case(value: 1_023, unit: .bytes, text: "1023 B"),
    Case(value: 5_242_880, unit: .bytes, text: "5.000 MiB"),
    Case(value: 402, unit: .count, text: "402"),
    Case(value: 0.5, unit: .count, text: "0.5"),
    Case(value: 123_456, unit: .count, text: "123456"),
    Case(value: 12_345_678, unit: .count, text: "12.35 M"),
  ])
  func `chooses the unit that reads best`(_ example: Case) {
    #expect(Quantity.text(example.value, example.unit) == example.text)
  }

  @Test(arguments: [
    Case(value: 6_502_500_000_000, unit: .nanoseconds, text: "6.50 ms²"),
    Case(value: 53_561_000_000, unit: .nanoseconds, text: "0.0536 ms²"),
    Case(value: 144_000_000, unit: .nanoseconds, text: "144 µs²"),
    Case(value: 0, unit: .nanoseconds, text: "0 ms²"),
  ])
  func `shows a variance in the square of the unit unless digits would be lost`(_ example: Case) {
    let scale = Scale(example.unit, for: 2_600_000)
    #expect(scale.squared(example.value) == example.text)
  }

  @Test(arguments: [
    (0.0, "0.0 %"), (0.0158, "1.6 %"), (0.0994, "9.9 %"), (0.0996, "10 %"), (0.6, "60 %"),
    (1.5, "150 %"),
  ])
  func `gives a share two digits`(share: Double, text: String) {
    #expect(Quantity.percent(share) == text)
  }

  @Test func `one launch is singular`() {
    #expect(Quantity.launches(1) == "1 launch")
    #expect(Quantity.launches(1, of: 2) == "1 of 2 launches")
  }

  @Test(arguments: [
    (Int64(3), "less than 10 seconds"), (45, "about 45 seconds"), (400, "about 7 minutes"),
    (9_000, "about 2.5 hours"),
  ])
  func `promises no precision of an estimate`(seconds: Int64, text: String) {
    #expect(Quantity.estimate(.seconds(seconds)) == text)
  }

  @Test(arguments: [
    9e307, -9e307, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e19, -1e19,
  ])
  func `shows any number that a file may hold`(_ value: Double) {
    for unit in [Metric.Unit.nanoseconds, .bytes, .count] {
      #expect(!Quantity.text(value, unit).isEmpty)
      #expect(!Scale(unit, for: value).squared(abs(value)).isEmpty)
    }
    #expect(!Quantity.significant(value).isEmpty)
    #expect(!SVGText.number(value).isEmpty)
    #expect(Sparkline(values: [value, 1, -9e307, nil, 9e307]).text.count == 5)
  }
}
