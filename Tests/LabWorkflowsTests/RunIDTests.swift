import Foundation
import Testing

@testable import Measuring

@Suite struct RunIDTests {
  @Test func `tells the time in UTC, and ends with 64 bits`() {
    let date = Date(timeIntervalSince1970: 1_795_235_405)
    #expect(RunID.make(at: date, salt: 0xab) == "20261121T043005Z-00000000000000ab")
    #expect(RunID.make(at: date, salt: .max) == "20261121T043005Z-ffffffffffffffff")
  }

  @Test(arguments: ["20261121T043005Z-00ab", "20261121T043005Z-00ab00ab00ab00ab"])
  func `is known by its form, also the short one of old runs`(id: String) {
    #expect(RunID.isOne(id))
    #expect(!RunID.isOne(id + "0") && !RunID.isOne("x" + id))
  }

  @Test func `sorts by time`() {
    let ids = [0, 59, 3_600, 86_400, 31_536_000].map {
      RunID.make(at: Date(timeIntervalSince1970: 1_795_235_405 + $0), salt: 7)
    }
    #expect(ids == ids.sorted())
  }
}
