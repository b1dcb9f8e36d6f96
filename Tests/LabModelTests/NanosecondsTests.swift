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
}
