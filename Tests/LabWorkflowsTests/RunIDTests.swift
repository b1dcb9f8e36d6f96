import Foundation
import Testing

@testable import Measuring

@Suite struct RunIDTests {
  @Test func `tells the time in UTC, and ends with four digits`() {
    let date = Date(timeIntervalSince1970: 1_795_235_405)
    #expect(RunID.make(at: date, salt: 0xab) == "20261121T043005Z-00ab")
    #expect(RunID.make(at: date, salt: .max) == "20261121T043005Z-ffff")
  }

  @Test func `sorts by time`() {
    let ids = [0, 59, 3_600, 86_400, 31_536_000].map {
      RunID.make(at: Date(timeIntervalSince1970: 1_795_235_405 + $0), salt: 7)
    }
    #expect(ids == ids.sorted())
  }
}
