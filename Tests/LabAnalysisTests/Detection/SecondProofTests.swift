import Testing

@testable import History
@testable import LaunchCore

/// A first night of the new level that looks like one of the old.
struct SecondProofTests {
  /// The night with the change, which a quick machine hides, and two that show it.
  private static let hidden = 20

  private static func history() -> NightlyHistory {
    var nights = NightlyHistory()
    for index in 0..<hidden { nights.add([400 + Double(index % 3)]) }
    for value in [401.0, 425, 428] {
      nights.add([value])
      // The build of night 20 has the change already.
      let known = nights.nights
      nights.conclude { request in
        let verdict: Verdict =
          known.firstIndex(of: request.good).map { $0 < hidden } == true
          ? .regression : .same
        let proof = Proof.sample(
          verdict,
          good: request.good,
          bad: known.last ?? request.good
        )
        return .compared([NightlyHistory.key(): proof])
      }
    }
    return nights
  }

  @Test func `does not refute a step whose first night looked like the old level`() throws {
    let alert = try #require(Self.history().alerts.first)
    #expect(alert.state == .confirmed)
    #expect(alert.cause == .code)
  }

  @Test func `says that the change lies between the two builds that were compared`() throws {
    let alert = try #require(Self.history().alerts.first)
    #expect(alert.onset == NightlyHistory.run(Self.hidden))
    let good = try #require(alert.lastGood)
    #expect(good < NightlyHistory.run(Self.hidden))
    #expect(
      alert.proof?.good == Proof.sample(.same, good: Self.night(good), bad: Self.night(good)).good
    )
  }

  @Test func `asks for no second comparison once the first one has shown a difference`() {
    var nights = NightlyHistory()
    for index in 0..<Self.hidden { nights.add([400 + Double(index % 3)]) }
    nights.add([440])
    #expect(nights.conclude(.regression).count == 1)
  }

  private static func night(_ run: String) -> Night {
    history().nights.first { $0.run == run } ?? history().nights[0]
  }
}
