import Testing

@testable import Bisection

@Suite struct BisectProgressTextTests {
  struct Case: CustomTestStringConvertible {
    var progress: BisectProgress
    var text: String
    var testDescription: String { text }
  }

  static let cases = [
    Case(
      progress: BisectProgress(
        remaining: nil,
        best: nil,
        probability: 0,
        phase: .ends,
        buildsLeft: 6.2,
        launchesLeft: 200,
        secondsLeft: nil
      ),
      text: "good against bad: is there a difference; about 7 builds left"
    ),
    Case(
      progress: BisectProgress(
        remaining: 5...16,
        best: 11...11,
        probability: 0.62,
        phase: .search,
        buildsLeft: 1,
        launchesLeft: 90,
        secondsLeft: 20...180
      ),
      text: "search: 12 commits left, 01582dababab has 62.0 %; "
        + "about 1 build, about 20 seconds to about 3 minutes left"
    ),
    Case(
      progress: BisectProgress(
        remaining: 11...13,
        best: 11...13,
        probability: 0.9999,
        phase: .confirmation,
        buildsLeft: 0,
        launchesLeft: 64,
        secondsLeft: 5...Double.infinity
      ),
      text: "confirmation: 3 commits left, 01582dababab..01960bababab has more than 99.9 %; "
        + "up to about 27777.8 hours left"
    ),
    Case(
      progress: BisectProgress(
        remaining: 11...11,
        best: 11...11,
        probability: 1,
        phase: .done,
        buildsLeft: 0,
        launchesLeft: 0,
        secondsLeft: 0...0
      ),
      text: "done: 1 commit left, 01582dababab has more than 99.9 %"
    ),
  ]

  @Test(arguments: cases)
  func `says how far it is on one line`(_ example: Case) {
    let text = BisectProgressText(example.progress, start: SampleBisect.start()).rendered()
    #expect(text == example.text)
  }
}
