import Testing

@testable import Builds

@Suite struct KeptRoomTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let limit: Int64
    let gone: [String]
    var testDescription: String { name }
  }

  static let rooms = [
    KeptRoom(path: "/new", bytes: 40, usedAt: 5, isNeeded: false),
    KeptRoom(path: "/needed", bytes: 50, usedAt: 1, isNeeded: true),
    KeptRoom(path: "/old", bytes: 30, usedAt: 2, isNeeded: false),
    KeptRoom(path: "/b", bytes: 10, usedAt: 3, isNeeded: false),
    KeptRoom(path: "/a", bytes: 10, usedAt: 3, isNeeded: false),
  ]

  static let cases = [
    Case(name: "everything fits", limit: 140, gone: []),
    Case(name: "one is too many", limit: 139, gone: ["/old"]),
    Case(name: "two of the same time", limit: 100, gone: ["/old", "/a"]),
    Case(name: "what is needed stays", limit: 0, gone: ["/old", "/a", "/b", "/new"]),
  ]

  @Test(arguments: cases)
  func `lets go of what was not used for the longest time`(_ test: Case) {
    let surplus = KeptRoom.surplus(of: Self.rooms, limit: test.limit)
    #expect(surplus.map(\.path) == test.gone)
  }
}
