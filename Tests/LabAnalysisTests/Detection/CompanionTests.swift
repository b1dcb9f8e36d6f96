import Testing

@testable import History
@testable import LaunchCore

@Suite struct CompanionTests {
  /// Nights after a machine change that the control went along with, and that was told of.
  static func moved() -> NightlyHistory {
    var nights = NightlyHistory()
    for value in SuspicionTests.quiet {
      nights.add(["app": value, "control": value / 4], tree: "old", control: "c")
    }
    for index in 0..<10 {
      let value = 440 + Double(index % 3)
      nights.add(["app": value, "control": value / 4], tree: "old", control: "c")
      nights.conclude { _ in .sameBuild }
    }
    return nights
  }

  @Test func `a control that moved weeks ago does not make a new step the machine`() {
    var nights = Self.moved()
    #expect(nights.alerts.map(\.cause) == [.machine])
    for value in [500.0, 501, 500] {
      nights.add(["app": value, "control": 110], control: "c")
      nights.conclude { _ in .impossible(reason: "the build is gone") }
    }
    #expect(nights.alerts.map(\.state) == [.confirmed, .suspected])
    let moved = nights.alerts[1].events[0].criteria.first { $0.id == "control-moved" }
    #expect(moved?.isMet == false)
  }

  @Test func `a control that is new says nothing`() {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet)
    for _ in 0..<4 { nights.add(["app": 400, "control": 100], control: "c") }
    for _ in 0..<2 {
      nights.add(["app": 440, "control": 130], control: "c")
      nights.conclude { _ in .impossible(reason: "the build is gone") }
    }
    #expect(nights.alerts.map(\.state) == [.suspected])
  }

  @Test func `another control is one also when a night does not tell which it had`() {
    var nights = NightlyHistory()
    for night in 0..<10 {
      let digest = night < 5 ? "one" : night == 5 ? nil : "two"
      nights.add(["app": 400, "control": 100], control: digest)
    }
    let breaks = nights.verdicts.trends.map { $0.breaks.map(\.index) }
    #expect(breaks == [[], [6]])
  }
}
