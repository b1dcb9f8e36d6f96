import Testing

@testable import Bisection

struct VersionOrderTests {
  @Test(arguments: [
    ["v1", "v2", "v9", "v10", "v100"],
    ["1.2", "1.2.1", "1.10", "1.10.0"],
    ["app-2026-01-02", "app-2026-01-10", "app-2026-02-01"],
    ["a1b2", "a1b10", "a2b1"],
    ["r01", "r1", "r02", "r2"],
    ["99999999999999999999998", "99999999999999999999999", "199999999999999999999999"],
  ])
  func `orders names by the numbers in them`(names: [String]) {
    #expect(names.reversed().sorted(by: VersionOrder.isBefore) == names)
  }
}
