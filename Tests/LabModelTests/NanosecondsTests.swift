import Foundation
import Testing

@testable import LaunchCore

@Suite struct NanosecondsTests {
  @Test func `is a bare number in JSON`() throws {
    let data = try JSONEncoder().encode([Nanoseconds.milliseconds(3)])
    #expect(String(decoding: data, as: UTF8.self) == "[3000000]")
    #expect(try JSONDecoder().decode([Nanoseconds].self, from: data) == [.milliseconds(3)])
  }

  @Test func `adds, subtracts and compares`() {
    #expect(Nanoseconds.seconds(1) - .milliseconds(1) == Nanoseconds(999_000_000))
    #expect(Nanoseconds.milliseconds(999) + .milliseconds(1) == .seconds(1))
    #expect(Nanoseconds.milliseconds(999) < .seconds(1))
  }

  @Test func `ends at the largest number, since files may hold any`() {
    let (least, most) = (Nanoseconds(.min), Nanoseconds(.max))
    #expect(most + Nanoseconds(1) == most && least + Nanoseconds(-1) == least)
    #expect(least - Nanoseconds(1) == least && Nanoseconds(1) - least == most)
    #expect(Nanoseconds.seconds(.max) == most && Nanoseconds.milliseconds(.min) == least)
    #expect(Nanoseconds(3).times(4) == Nanoseconds(12) && least.times(-1) == most)
  }

  @Test func `a number of any size becomes the nearest whole one`() {
    #expect([2.9, -2.9, 0, -0.0].map { Int(clamping: $0) } == [2, -2, 0, 0])
    #expect(Int64(clamping: 9e307) == .max && Int64(clamping: -.infinity) == .min)
    #expect(Int(clamping: 0x1p63) == .max && Int(clamping: -0x1p63) == .min)
    #expect(UInt8(clamping: 255.9) == 255 && UInt8(clamping: -1.0) == 0)
    #expect(Int(clamping: Double.nan) == 0)
  }
}
